import json

CONTEXT = {
    "items": [
        {"type": "message", "role": "system", "content": ["s"]},
        {"type": "message", "role": "user", "content": ["q"]},
    ]
}


def test_a_turn_is_read(span, view):
    """Its context is a list of items; tools have spans."""
    turn = {"lk.agent_name": "host", "lk.room_name": "room", "lk.user_input": "q"}
    model = {
        "lk.chat_ctx": json.dumps(CONTEXT),
        "lk.response.text": "a",
        "lk.response.ttft": 0.5,
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
    }
    tool = {
        "lk.function_tool.name": "f",
        "lk.function_tool.id": "c1",
        "lk.function_tool.arguments": '{"a": 1}',
        "lk.function_tool.output": "r",
        "lk.function_tool.is_error": False,
    }
    seen = view(
        span("1", turn, name="agent_turn"),
        span("2", tool, parent="1", name="function_tool"),
        span("3", model, parent="1", name="llm_node"),
    )
    assert (seen.question, seen.answer, seen.agent) == ("q", "a", "host")
    assert (seen.session_id, seen.usage.input) == ("room", 7)
    assert seen.llm_calls[0].time_to_first_chunk == 0.5
    (call,) = seen.tool_calls
    assert (call.name, call.id, call.arguments, call.result) == ("f", "c1", {"a": 1}, "r")


def test_a_failed_tool_is_told_by_its_mark(span, view):
    """The newer keys say what is personal; the span itself went well."""
    tool = {
        "lk.function_tool.name": "f",
        "lk.pii.function_tool.output": "no",
        "lk.function_tool.is_error": True,
    }
    (call,) = view(span("1", tool, name="function_tool")).tool_calls
    assert (call.status, call.result) == ("error", "no")


def test_requested_calls_are_read(span, view):
    """They are a list of calls in JSON."""
    model = {
        "lk.chat_ctx": json.dumps(CONTEXT),
        "lk.response.function_calls": json.dumps(
            [{"name": "f", "arguments": "{}", "call_id": "c"}]
        ),
    }
    (call,) = view(span("1", model, name="llm_node")).llm_calls
    assert [requested.name for requested in call.output_messages[0].tool_calls] == ["f"]


def test_what_is_broken_says_nothing(span, view):
    """No context, no words."""
    model = {"lk.chat_ctx": "{", "lk.response.function_calls": "5", "lk.response.text": ""}
    seen = view(span("1", model, name="llm_node"))
    assert seen.answer is None
