import json

import pytest

from scorer.dialects.pydantic_ai import DIALECT
from scorer.model.agent_trace import Usage

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
USER = {"event.name": "gen_ai.user.message", "content": "q", "role": "user"}
ASKED = {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [CALL]}
TOLD = {"event.name": "gen_ai.tool.message", "role": "tool", "id": "c1", "name": "f"}
REPLY = {"event.name": "gen_ai.assistant.message", "role": "assistant", "content": "a"}


def old_run(span, *, failing=False):
    """Return the spans of version 1 of the instrumentation."""
    result = "no\n\nFix the errors and try again." if failing else "r"
    events = [USER, ASKED, {**TOLD, "content": result}, REPLY]
    choice = {"event.name": "gen_ai.choice", "message": {"role": "assistant", "tool_calls": [CALL]}}
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    tokens = {"gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2}
    agent = {"agent_name": "w", "all_messages_events": json.dumps(events), "final_result": "a"}
    tool = {
        "gen_ai.tool.name": "f",
        "gen_ai.tool.call.id": "c1",
        "tool_arguments": '{"a": 1}',
        "tool_response": result,
    }
    fields = {"scope": "pydantic-ai"}
    error = {"status": 2, "events": [("exception", {"exception.type": "ToolRetryError"})]}
    return (
        span("1", {**agent, **tokens}, name="agent run", **fields),
        span("2", {**chat, **tokens, "events": json.dumps([USER, choice])}, parent="1", **fields),
        span("3", tool, name="running tool", parent="1", **fields, **(error if failing else {})),
    )


def test_a_run_of_version_1_is_read_as_a_whole(span, view):
    """Its agent span repeats the usage of the calls."""
    result = view(*old_run(span))
    assert (result.question, result.answer, result.usage) == ("q", "a", Usage(5, 2, 7))
    assert [agent.name for agent in result.agents] == ["w"]
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")


def test_a_retried_tool_has_failed(span, view):
    """What the model was told is the result."""
    result = view(*old_run(span, failing=True))
    (call,) = result.tool_calls
    assert (call.status, call.result) == ("error", "no\n\nFix the errors and try again.")
    assert result.has_error


def test_the_conversation_on_the_agent_is_split_at_the_last_word_of_the_user(span):
    """Later turns hold the earlier ones."""
    told = [("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4")]
    messages = [{"role": r, "parts": [{"type": "text", "content": text}]} for r, text in told]
    facts = DIALECT.read(span("1", {"pydantic_ai.all_messages": json.dumps(messages)}), ())
    assert [message.text for message in facts.input_messages] == ["1", "2", "3"]
    assert [message.text for message in facts.output_messages] == ["4"]


def test_a_picture_in_an_event_is_a_reference(span):
    """It is told by its kind, not by a type."""
    picture = {"kind": "binary", "media_type": "image/png", "binary_content": "AQID"}
    events = [{**USER, "content": ["q", picture]}]
    facts = DIALECT.read(span("1", {"events": json.dumps(events)}), ())
    assert facts.input_messages[0].text == "q"
    assert [media.kind for media in facts.media] == ["image"]


@pytest.mark.parametrize(
    ("conversation", "session"),
    [("01a22b9b-60e1-7706-8b4f-1f26fddd0cb9", None), ("mine", "mine")],
)
def test_a_conversation_made_up_for_the_run_is_no_session(span, view, conversation, session):
    """It is made together with the id of the run, and ties it to nothing."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.call.id": "01a22b9b-60e1-7706-8b4f-1f26fddd0cb8",
        "gen_ai.conversation.id": conversation,
        "session.id": conversation,
    }
    assert view(span("1", attributes, scope="pydantic-ai")).session_id == session
