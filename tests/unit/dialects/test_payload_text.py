import json

import pytest

from scorer.dialects.payload_text import last_reply, messages_in, reply_in, request_in
from scorer.model.agent_trace import Message, RequestedCall


@pytest.mark.parametrize(
    "value",
    [
        "why?",
        '"why?"',
        {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "why?"}]},
        {"inputs": {"messages": [["user", "why?"]]}},
        {"args": ["why?"], "kwargs": {}},
        {"args": [], "kwargs": {"question": "why?"}},
        {"topic": "why?"},
        {"data": {"retriever": {"query": "why?"}, "prompt": {"question": "why?"}}},
        {"user_id": "u", "new_message": {"parts": [{"text": "why?"}], "role": "user"}},
        {"task": "why?", "stream": False},
        [{"role": "user", "content": "why?"}],
    ],
)
def test_a_request_is_found_in_what_frameworks_record(value):
    """The envelope of a call is opened down to the user's words."""
    raw = value if isinstance(value, str) else json.dumps(value)
    assert request_in(raw) == "why?"


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"init_state": {"is_running": False, "config": {"secret": "abc"}}},
        {"limit": 3, "flag": True},
        "StopEvent(result=Output(",
        '{"messages": [{"role": "assistant", "cont',
    ],
)
def test_nothing_is_guessed(value):
    """A payload without a known name for a request gives none."""
    raw = json.dumps(value) if isinstance(value, dict) else value
    assert request_in(raw) is None


@pytest.mark.parametrize(
    "value",
    [
        "so",
        '"so"',
        {"outputs": "so", "kwargs": {}},
        {"raw": "so", "tasks_output": []},
        {"messages": [{"type": "ai", "data": {"content": "so"}}]},
        {"content": {"parts": [{"text": "so"}], "role": "model"}, "finish_reason": "STOP"},
        {"choices": [{"message": {"role": "assistant", "content": "so"}}]},
        {"llm": {"replies": ["Msg(_role='assistant', _content=[TextContent(text='so')])"]}},
    ],
)  # fmt: skip
def test_a_reply_is_found_in_what_frameworks_record(value):
    """The return value is opened down to the assistant's last words."""
    raw = value if isinstance(value, str) else json.dumps(value)
    assert reply_in(raw) == "so"


def test_a_turn_that_calls_a_tool_is_no_reply():
    """The words "let me check" are not an answer."""
    messages = [
        Message("assistant", "first"),
        Message("user", "q"),
        Message("assistant", "let me check", (RequestedCall("f"),)),
    ]
    assert last_reply(messages) is None


def test_a_conversation_is_found_inside_a_payload():
    """Crews and pipelines keep the messages in their output."""
    value = {"raw": "so", "tasks_output": [{"messages": [{"role": "user", "content": "q"}]}]}
    assert messages_in(json.dumps(value)) == (Message("user", "q"),)
