import pytest

from metrics.privacy.phone_words import is_announced, is_labelled, is_spoken_of


def at_number(text):
    return next(i for i, character in enumerate(text) if character.isdigit())


@pytest.mark.parametrize(
    "text",
    [
        "phone 123",
        "call me at 123",
        "tél. 123",
        "work_phone=123",
        '"mobileNumber": "123',
        "Handynummer 123",
        "電話は123",
        "Rufen Sie mich an: 123",
    ],
)
def test_a_word_right_in_front_announces(text):
    """With at most twenty characters between."""
    assert is_announced(text, at_number(text), len(text))


def test_a_word_right_behind_announces():
    """As on a business card."""
    assert is_announced("123-Office", 0, 3)
    assert is_announced("123 is my cell", 0, 3)
    assert is_announced("123 by SMS", 0, 3)
    assert not is_announced("123 days", 0, 3)


@pytest.mark.parametrize("text", ["part no. 123", "Order 123", "customer id: 123", "#123"])
def test_the_number_of_a_thing_is_labelled(text):
    """What it is the number of stands in front."""
    assert is_labelled(text, at_number(text))


@pytest.mark.parametrize(
    ("text", "is_grouped", "expected"),
    [
        ("They do not answer, try the other line at 123", False, True),
        ("She texted from somewhere in town 123", True, True),
        ("She texted from somewhere in town 123", False, False),
        ("She texted. The total was 123", True, False),
        ("The sum was 123", True, False),
        ("You can call:\n- 123", True, True),
        ("They call it a day.\nTotal: 123", True, False),
        ('{"text": "call", "sum": 123', True, False),
        ("call | 123", True, False),
    ],
)
def test_a_sentence_that_speaks_of_calling(text, is_grouped, expected):
    """A number without groups must follow a preposition; the sentence before does not count."""
    assert is_spoken_of(text, at_number(text), is_grouped=is_grouped) == expected
