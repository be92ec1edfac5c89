import json

import pytest

from scorer.dialects.event_list import read_event_list, split_run
from scorer.dialects.messages import Content
from scorer.model.agent_trace import Message

USER = {"event.name": "gen_ai.user.message", "content": "q", "role": "user"}
REPLY = {"event.name": "gen_ai.assistant.message", "content": "a", "role": "assistant"}
CHOICE = {
    "event.name": "gen_ai.choice",
    "index": 0,
    "message": {"role": "assistant", "content": "a"},
}


@pytest.mark.parametrize("last", [REPLY, CHOICE])
def test_the_reply_is_the_choice_or_the_last_word(last):
    """Pydantic AI names it, Logfire does not."""
    inputs, outputs = read_event_list(json.dumps([USER, last]), Content())
    assert (inputs, outputs) == ((Message("user", "q"),), (Message("assistant", "a"),))


def test_a_run_begins_after_the_last_word_of_the_user():
    """What stands before is what the agent was given."""
    messages = (Message("user", "1"), Message("assistant", "2"), Message("user", "3"))
    reply = Message("assistant", "4")
    assert split_run((*messages, reply)) == (messages, (reply,))


@pytest.mark.parametrize("value", [None, "no", "{}", "[3]", '[{"event.name": 3}]', [{"a": 1}]])
def test_what_is_no_list_of_events_says_nothing(value):
    """Other instrumentations call their attributes `events`, too."""
    assert read_event_list(value, Content()) == ((), ())
