import pytest

from metrics.quality.number_reader import has_number_words, numbers_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two or 3", [(0, 3, ("2",)), (7, 8, ("3",))]),
        ("5 thousand million", [(0, 18, ("5000000000",))]),
        ("one hundred thousand and two", [(4, 28, ("100002",))]),
        ("ten thousand one hundred", [(0, 24, ("10100",))]),
        ("twenty thirty", [(0, 6, ("20",)), (7, 13, ("30",))]),
        ("1,000", [(0, 5, ("1000", "1"))]),
        ("1.2.3", [(0, 5, ("1.2.3",))]),
        ("1" * 41, [(0, 41, ("1" * 41,))]),
    ],
)
def test_a_number_is_read_with_all_its_words(text, expected):
    """Where it starts and ends, and every value it may have."""
    assert numbers_in(text, "english", None, spelt=True) == expected


def test_number_words_are_known_before_they_are_read():
    """A text without any needs the quicker pattern only."""
    assert has_number_words(["the", "million"], "english")
    assert not has_number_words(["the", "7"], "english")
    assert numbers_in("7 of ten", "english", None, spelt=False) == [(0, 1, ("7",))]
