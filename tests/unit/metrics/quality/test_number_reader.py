import pytest

from metrics.quality.number_reader import numbers_in


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
    assert numbers_in(text, "english", None) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Ça coûte deux mille 3 €", "french", [("deux mille", "2000"), ("3", "3")]),
        ("São três milhões", "portuguese", [("três milhões", "3000000")]),
        (
            "Es sind DREISSIG, dreißig und 5",
            "german",
            [("DREISSIG", "30"), ("dreißig", "30"), ("5", "5")],
        ),
        ("6 950만", "italian", [("6 950만", "69500000")]),
        ("\ud800 5 of two", "english", [("5", "5"), ("two", "2")]),
    ],
)
def test_numbers_stand_where_they_are_whatever_is_around_them(text, language, expected):
    """Letters of more than one byte before a number do not move it."""
    found = numbers_in(text, language, None)
    assert [(text[start:end], readings[0]) for start, end, readings in found] == expected


def test_words_that_begin_as_a_number_are_none():
    """Nor is a number within a word."""
    assert numbers_in("tenants often own a sixpack, a x7 and a_8", "english", None) == []


@pytest.mark.parametrize(("mark", "value"), [(None, "1000"), (".", "1"), (",", "1000")])
def test_what_a_number_means_is_kept_for_each_decimal_mark(mark, value):
    """The same digits are read otherwise where another mark is known."""
    assert numbers_in("1.000", "english", mark)[0][2][0] == value
