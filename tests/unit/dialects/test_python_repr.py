import pytest

from scorer.dialects.python_repr import CLASS, NotARepr, fields_in, is_repr, parse_repr


def test_a_literal_is_read():
    """Arguments arrive as the repr of a dict."""
    assert parse_repr("{'city': 'Oslo', 'days': -2}") == {"city": "Oslo", "days": -2}


def test_a_constructor_becomes_a_dict_of_its_fields():
    """Message objects arrive as reprs, with enum members inside."""
    value = parse_repr("Msg(role=<Role.USER: 'user'>, parts=[Text(text='hi')])")
    assert value == {CLASS: "Msg", "role": "user", "parts": [{CLASS: "Text", "text": "hi"}]}


@pytest.mark.parametrize(
    "hostile",
    [
        "__import__('os').system('x')",
        "[" * 5_000,
        "-" * 5_000 + "1",
        "(" * 3_000 + ")" * 3_000,
        "[x for x in y]",
        "f(1)(2)",
        "'a' * 10",
        "{**a}",
        "A(" + "1," * 20_000 + ")",
        "1 +",
        "",
    ],
)
def test_anything_else_is_refused_and_never_evaluated(hostile):
    """Only literals and keyword constructors are read, within bounds."""
    with pytest.raises(NotARepr):
        parse_repr(hostile)


def test_prose_does_not_look_like_a_repr():
    """Text is parsed only if it begins like a constructor call."""
    assert is_repr("ToolCall(name='x')")
    assert not is_repr("Call me (later)")


def test_the_text_of_a_model_is_its_fields():
    """What is no literal stays text."""
    text = "status='failure' result=None error='it\\'s x=1' at=datetime.date(2026, 1, 2) n=3"
    assert fields_in(text) == {
        "status": "failure",
        "result": None,
        "error": "it's x=1",
        "at": "datetime.date(2026, 1, 2)",
        "n": 3,
    }


@pytest.mark.parametrize(
    "text", ["", "a", "a=1", "a='b", "see a=1 b=2", "a= b", "a='x' " + "b" * 20_000]
)
def test_any_other_text_has_no_fields(text):
    """One field alone is an assignment in a sentence."""
    assert fields_in(text) is None
