from scorer.model.agent_trace import Message, RequestedCall

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


def test_messages_of_the_old_convention_come_from_log_records(span, log, view):
    """Each message is a record of its own, joined on the span id."""
    logs = (
        log("1", "gen_ai.system.message", {"content": "s"}),
        log("1", "gen_ai.user.message", {"content": "q"}),
        log("1", "gen_ai.assistant.message", {"tool_calls": [CALL]}),
        log("1", "gen_ai.tool.message", {"id": "c1", "content": "r"}),
        log("1", "gen_ai.choice", {"message": {"role": "assistant", "content": "a"}}),
    )
    call = view(span("1", CHAT), logs=logs).llm_calls[0]
    assert call.input_messages == (
        Message("system", "s"),
        Message("user", "q"),
        Message("assistant", None, (RequestedCall("f", {"a": 1}, "c1"),)),
        Message("tool", "r", tool_call_id="c1"),
    )
    assert call.output_messages == (Message("assistant", "a"),)


def test_a_body_may_be_json_text_and_the_name_an_attribute(span, log, view):
    """Python logging cannot send kvlists or event names."""
    record = log(
        "1", "", '{"role": "user", "content": "q"}', **{"event.name": "gen_ai.user.message"}
    )
    assert view(span("1", CHAT), logs=[record]).question == "q"


def test_a_record_of_another_span_is_not_joined(span, log, view):
    """The join is on the span id, not on the trace."""
    record = log("2", "gen_ai.user.message", {"content": "q"})
    assert view(span("1", CHAT), logs=[record]).question is None


def test_span_events_with_content_blocks_are_read(span, view):
    """Strands writes Bedrock blocks as JSON text into span events."""
    events = (
        ("gen_ai.user.message", {"content": '[{"text": "q"}]'}),
        ("gen_ai.choice", {"message": '[{"text": "a"}]', "finish_reason": "end_turn"}),
    )
    result = view(span("1", CHAT, events=events))
    assert (result.question, result.answer) == ("q", "a")


def test_the_details_event_carries_structured_messages(span, log, view):
    """Since v1.37 one event holds all content as attributes."""
    parts = [{"type": "text", "content": "q"}]
    attributes = {
        "gen_ai.input.messages": [{"role": "user", "parts": parts}],
        "gen_ai.output.messages": [{"role": "assistant", "content": "a"}],
        "gen_ai.system_instructions": [{"type": "text", "content": "s"}],
    }
    record = log("1", "gen_ai.client.inference.operation.details", None, **attributes)
    call = view(span("1", CHAT), logs=[record]).llm_calls[0]
    assert call.input_messages == (Message("system", "s"), Message("user", "q"))
    assert call.output_messages == (Message("assistant", "a"),)


def test_the_oldest_events_hold_prompt_and_completion(span, view):
    """Before v1.28: `gen_ai.content.prompt` and `.completion`."""
    events = (
        ("gen_ai.content.prompt", {"gen_ai.prompt": '[{"role": "user", "content": "q"}]'}),
        ("gen_ai.content.completion", {"gen_ai.completion": "a"}),
    )
    result = view(span("1", CHAT, events=events))
    assert (result.question, result.answer) == ("q", "a")


def test_a_tool_span_holds_arguments_and_result_in_its_events(span, view):
    """On a tool span the tool message is what went in and the choice is what came out."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    events = (
        ("gen_ai.tool.message", {"content": '{"a": 1}'}),
        ("gen_ai.choice", {"message": '[{"text": "r"}]'}),
    )
    (call,) = view(span("1", attributes, events=events)).tool_calls
    assert (call.arguments, call.result) == ({"a": 1}, "r")


def test_a_whole_body_in_one_attribute_is_opened(span, view):
    """Azure's clients put it there as JSON, others as plain text."""
    key = "gen_ai.event.content"
    events = [
        ("gen_ai.user.message", {key: '{"role": "user", "content": "q"}'}),
        ("gen_ai.choice", {key: '{"message": {"content": "a"}, "finish_reason": "stop"}'}),
    ]
    seen = view(span("1", CHAT, events=events))
    assert (seen.question, seen.answer) == ("q", "a")
    assert view(span("1", CHAT, events=[("gen_ai.user.message", {key: "q"})])).question == "q"
