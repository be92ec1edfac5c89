import pytest

from metrics.privacy import phones


@pytest.mark.parametrize(
    ("before", "number", "after", "expected"),
    [
        ("", "+44 20 7946 0958", "", 0.95),
        ("", "+999 12", "", 0.0),
        ("", "555-123-4567", "", 0.9),
        ("", "555-123-4567 x89", "", 0.9),
        ("mobile: ", "25 833387", "", 0.8),
        ("", "25 833387", " office", 0.8),
        ("", "25 833387", "", 0.0),
        ("", "001 418 555 0123", "", 0.9),
        ("", "0049 30 901820", "", 0.8),
        ("", "(02) 9876 5432", "", 0.6),
        ("", "2026-01-02", "", 0.0),
        ("$", "123 456 7890", "", 0.0),
        ("id-", "123-456-7890", "", 0.0),
        ("", "123-456-7890", "-12", 0.0),
        ("", "123 456 7890", ".5", 0.0),
        ("", "123456", "", 0.0),
        ("part ", "555-123-4567", "", 0.0),
        ("part ", "+1 555 123 4567", "", 0.95),
        ("call, no. ", "555-123-4567", "", 0.9),
        ("no. ", "555-123-4567", "", 0.0),
    ],
)
def test_country_code_shape_or_a_word_beside_it_make_a_phone_number(
    before, number, after, expected
):
    """The surer the sign, the higher the confidence; without a sign it is no phone number."""
    start = len(before)
    assert phones.confidence(before + number + after, start, start + len(number)) == expected
