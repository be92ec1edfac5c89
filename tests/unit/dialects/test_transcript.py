from scorer.dialects.messages import Content
from scorer.dialects.transcript import read_transcript
from scorer.model.agent_trace import Message


def read(text):
    return read_transcript(text, Content())


def test_each_speaker_begins_a_message():
    """Words may go over several lines."""
    assert read("system: be brief\nuser: one\ntwo: three\nassistant: a") == (
        Message("system", "be brief"),
        Message("user", "one\ntwo: three"),
        Message("assistant", "a"),
    )


def test_a_history_in_a_message_is_opened():
    """It is the repr of a list of messages."""
    found = read(
        "user: q\nuser: [{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}]"
    )
    assert [message.role for message in found] == ["user", "user", "assistant"]


def test_any_other_text_is_no_transcript():
    """A prompt that speaks of a user is what the user wrote."""
    assert read("Who is the user: me?") is None
    assert read("") is None


def test_an_old_prompt_attribute_is_read(span, view):
    """Older OpenLIT puts the whole conversation into one text."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.prompt": "system: s\nuser: q"}
    seen = view(span("1", {**attributes, "gen_ai.completion": "a"}))
    assert (seen.question, seen.answer) == ("q", "a")
    events = [("gen_ai.content.prompt", {"gen_ai.prompt": "user: q"})]
    assert view(span("1", {"gen_ai.operation.name": "chat"}, events=events)).question == "q"
