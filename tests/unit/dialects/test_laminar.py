import json

A = "lmnr.association.properties."


def test_a_run_is_read(span, view):
    """Decorated functions, a tool, and a model call with its cost in parts."""
    root = {
        "lmnr.span.type": "DEFAULT",
        "lmnr.span.input": '{"question": "q"}',
        "lmnr.span.output": '"a"',
        A + "session_id": "s",
        A + "user_id": "u",
    }
    model = {
        "lmnr.span.type": "LLM",
        "lmnr.span.input": json.dumps([{"role": "user", "content": "q"}]),
        "lmnr.span.output": json.dumps([{"role": "assistant", "content": "a"}]),
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.input_cost": 0.25,
        "gen_ai.usage.output_cost": 0.5,
    }
    tool = {"lmnr.span.type": "TOOL", "lmnr.span.input": '{"a": 1}', "lmnr.span.output": '"r"'}
    seen = view(
        span("1", root), span("2", tool, parent="1", name="f"), span("3", model, parent="1")
    )
    assert (seen.question, seen.answer) == ("q", "a")
    assert (seen.session_id, seen.user_id, seen.cost_usd) == ("s", "u", 0.75)
    assert (seen.usage.input, seen.usage.output, seen.models) == (7, 3, ("m",))
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("f", {"a": 1}, "r")


def test_a_cached_span_is_what_it_was(span, view):
    """A replayed model call is still one."""
    attributes = {"lmnr.span.type": "CACHED", "lmnr.span.original_type": "LLM"}
    assert len(view(span("1", attributes)).llm_calls) == 1


def test_evaluators_and_zero_costs_say_nothing(span, view):
    """A judge is not scored; a zero is a price that is not known."""
    judge = {"lmnr.span.type": "EVALUATOR", "lmnr.span.output": "1"}
    assert not view(span("1", judge)).is_agent
    model = {"lmnr.span.type": "LLM", "gen_ai.usage.cost": 0, "gen_ai.usage.input_tokens": 7}
    assert view(span("1", model)).cost_usd is None
