import pytest

from scorer.dialects.message_text import message_fields


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("content='q' additional_kwargs={} response_metadata={} id='1'", "user"),
        ("content='a' additional_kwargs={} response_metadata={'model': 'm'} id='1'", "assistant"),
        (
            "content='' additional_kwargs={} response_metadata={} tool_calls=[{'name': 'f'}]",
            "assistant",
        ),
        ("content='r' name='f' tool_call_id='c1'", "tool"),
        ("id='1' source='user' content='q' type='TextMessage'", "user"),
        ("id='1' source='helper' content='a' type='TextMessage'", "assistant"),
    ],
)
def test_the_role_shows_in_the_fields(text, role):
    """The text of a message does not name it."""
    assert message_fields(text)["role"] == role


@pytest.mark.parametrize(
    "text", ["", "content='q'", "source= and content= are keys", "a=1 content=2"]
)
def test_any_other_text_is_no_message(text):
    """It stays what it is."""
    assert message_fields(text) is None


def test_the_words_of_such_a_message_are_the_question(span, view):
    """A recorded input holds the texts of messages."""
    text = "id='1' source='user' models_usage=None content='q' type='TextMessage'"
    attributes = {"openinference.span.kind": "AGENT", "input.value": f'{{"messages": ["{text}"]}}'}
    assert view(span("1", attributes)).question == "q"
