import json


def action(subtype, name, given=None, returned=None, **more):
    attributes = {"genkit:metadata:subtype": subtype, "genkit:name": name, **more}
    if given is not None:
        attributes["genkit:input"] = json.dumps(given)
    if returned is not None:
        attributes["genkit:output"] = json.dumps(returned)
    return attributes


def said(role, *parts):
    return {"role": role, "content": list(parts)}


def test_a_flow_is_read(span, view):
    """Parts are named by their key; the usage is in the output of the model."""
    history = [
        said("user", {"text": "q"}),
        said("model", {"toolRequest": {"name": "f", "input": {"a": 1}, "ref": "c1"}}),
        said("tool", {"toolResponse": {"name": "f", "output": "r", "ref": "c1"}}),
    ]
    reply = {
        "message": said("model", {"text": "a"}),
        "finishReason": "stop",
        "usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10},
    }
    found = {"documents": [{"content": [{"text": "d1"}], "metadata": {}}]}
    seen = view(
        span("1", action("flow", "chat", "q", "a", **{"genkit:sessionId": "s"})),
        span("2", action("tool", "f", {"a": 1}, "r"), parent="1"),
        span("3", action("retriever", "docs", {"query": {"text": "q"}}, found), parent="1"),
        span("4", action("model", "googleai/gemini", {"messages": history}, reply), parent="1"),
    )
    assert (seen.question, seen.answer, seen.session_id) == ("q", "a", "s")
    assert (seen.models, seen.usage.input, seen.usage.output) == (("gemini",), 7, 3)
    assert [document.text for document in seen.contexts] == ["d1"]
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("f", {"a": 1}, "r")


def test_a_failed_action_is_told_by_its_state(span, view):
    """The span status may be unset."""
    assert view(span("1", action("flow", "chat", **{"genkit:state": "error"}))).has_error


def test_what_is_broken_says_nothing(span, view):
    """Evaluators are no agents; a document of the wrong shape holds nothing."""
    assert not view(span("1", action("evaluator", "faithful", "q", "a"))).is_agent
    seen = view(span("1", action("model", "m", [1], {"usage": 5, "message": "x"})))
    assert seen.usage is None
