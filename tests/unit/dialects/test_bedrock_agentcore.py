import json

BODY = {
    "input": {"messages": [{"role": "user", "content": {"content": '[{"text": "q"}]'}}]},
    "output": {
        "messages": [
            {"role": "assistant", "content": {"message": "a", "finish_reason": "end_turn"}}
        ]
    },
}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
NAME = "strands.telemetry.tracer"


def test_the_content_of_a_span_is_in_its_log_event(span, log, view):
    """As an object, or as JSON text."""
    for body in (BODY, json.dumps(BODY)):
        record = log("1", "", body, **{"event.name": NAME, "session.id": "s"})
        seen = view(span("1", CHAT), logs=[record])
        assert (seen.question, seen.answer, seen.session_id) == ("q", "a", "s")
        assert "bedrock_agentcore" in seen.dialects


def test_on_a_tool_span_it_is_what_went_in_and_came_out(span, log, view):
    """Nothing else tells it."""
    body = {
        "input": {"messages": [{"role": "tool", "content": {"content": '{"city": "Rome"}'}}]},
        "output": {"messages": [{"role": "tool", "content": {"message": "sunny"}}]},
    }
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    (call,) = view(span("1", tool), logs=[log("1", NAME, body)]).tool_calls
    assert (call.arguments, call.result) == ({"city": "Rome"}, "sunny")


def test_other_log_records_are_left_alone(span, log, view):
    """A log line of the application may be anything."""
    for body in ("starting", '{"input": 5}', {"input": {"messages": 5}}, None, [BODY]):
        seen = view(span("1", CHAT), logs=[log("1", "", body)])
        assert "bedrock_agentcore" not in seen.dialects
        assert seen.question is None
