import pytest

from metrics.privacy.patterns import Finder

FINDER = Finder(["ssn"])


def found(text):
    return [f.value for f in FINDER.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        "123-45-6789",
        "123 45 6789",
        "123 - 45 - 6789",
        "SSN\n123456789",
        "social: 123456789",
        "socialSecurityNumber: 123456789",
        "social_security_no=123456789",
        '"ssn":123456789',
        r"\n123-45-6789",
    ],
)
def test_by_its_groups_or_by_what_stands_in_front(text):
    """Without groups a word must say what it is."""
    assert found(text) == ["123456789"]


@pytest.mark.parametrize(
    "text",
    [
        "123456789",
        "social media 123456789",
        "order 123-45-6789",
        "part number 123-45-6789",
        "Tel: 123 45 6789",
        "+123 45 6789",
        "900-45-6789",
    ],
)
def test_numbers_of_things_and_phones_are_none(text):
    """Nor are nine digits of which nothing is said, nor areas that are not given."""
    assert found(text) == []
