import pytest

from metrics.privacy.patterns import Finder


def found(text):
    return [text[f.start : f.end] for f in Finder(("national_id",)).find(text)]


@pytest.mark.parametrize(
    "number",
    ["111.444.777-35", "36 574 261 809", "54362315K", "AB 12 34 56 C", "RCCMNL83S18D969H"],
)
def test_numbers_with_a_right_checksum_are_found(number):
    """Brazil, Germany, Spain, the United Kingdom, Italy."""
    assert found(f"her number {number} is known") == [number]


@pytest.mark.parametrize(
    "text", ["111.444.777-36", "54362315A", "RCCMNL83S18D969A", "+33612347509"]
)
def test_a_wrong_checksum_is_none(text):
    """Nor is the number of a phone."""
    assert found(text) == []
