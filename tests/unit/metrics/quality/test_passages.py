import pytest

from metrics.quality.passages import Passage
from metrics.quality.quantities import quantities


def amount(text):
    return quantities(text, "english")[0]


def passage(text):
    return Passage(text, "english")


@pytest.mark.parametrize(
    ("claim", "text", "holds"),
    [
        ("3-year warranty", "two-year warranty, 3 technicians", False),
        ("3-year warranty", "3-year plan, 2-year warranty", False),
        ("3-year warranty", "a warranty of 3 full years", True),
        ("3 gold medals", "5 gold medals and 3 silver medals", False),
        ("3 new members", "5 new offices, 3 members", True),
        ("5 lbs", "5 kg", False),
        ("5 kg", "it weighs 5", True),
        ("5 kg", "it weighs 5, not 3 lbs", False),
        ("$5", "USD 5", True),
        ("5 USD", "$5", True),
        ("5 USD", "CAD 5", False),
        ("5 pounds", "£5", True),
        ("5 pounds", "5 lbs", True),
        ("5 pounds", "5 kg", False),
        ("5 countries", "5 km", False),
        ("5", "5 km", True),
        ("6", "5 km", False),
        ("-5", "5", False),
        ("24.12.2025", "2025-12-24", True),
    ],
)
def test_an_amount_is_held_with_what_it_counts(claim, text, holds):
    """The number alone does not count where the text gives another for the same thing."""
    assert passage(text).amounts.holds(amount(claim)) is holds


@pytest.mark.parametrize(
    ("claim", "text", "gives"),
    [
        ("4711", "order 4711 is late", True),
        ("two years", "two players", False),
        ("two years", "is it two?", True),
        ("3 years", "5 years", False),
    ],
)
def test_an_amount_is_given_by_the_same_or_a_bare_number(claim, text, gives):
    """What the user counted otherwise gives nothing."""
    assert passage(text).amounts.gives(amount(claim)) is gives


@pytest.mark.parametrize(
    ("text", "month", "found"),
    [
        ("on 12 May", 5, True),
        ("it may rain", 5, False),
        ("2024-05-12", 5, True),
        ("12.05.2024", 5, True),
        ("in Sept.", 9, True),
        ("in June", 5, False),
    ],
)
def test_a_month_is_found_by_name_or_number(text, month, found):
    """The word "may" is a month with a capital letter only."""
    assert passage(text).has_month(month) is found


def test_an_address_is_found_as_it_is_written():
    """Whatever its case."""
    assert passage("Write to Help@Acme.com.").has_address("help@acme.com")
    assert not passage("Write to help@acme.com.").has_address("support@acme.com")
