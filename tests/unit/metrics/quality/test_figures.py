import pytest

from metrics.quality.figures import Told, figures
from metrics.quality.passages import passage_of
from metrics.quality.said import said
from metrics.quality.sources import Source
from metrics.quality.terms import addresses_in


def compared(claim, *contexts, given=None):
    text, addresses = addresses_in(claim)
    told = passage_of(given, "english") if given else None
    return figures(Told(text, addresses), said(text, "english"), Source(contexts, "english"), told)


@pytest.mark.parametrize(
    ("claim", "context", "missing"),
    [
        ("It takes 5 days", "It takes 5 days", 0),
        ("It takes five days", "5 days is what it takes", 0),
        ("It takes 5 days", "It takes 6 days", 1),
        ("It cost 1.5 million dollars", "It cost $1,500,000", 0),
        ("It weighs 5 kg, 6 kg or 7 kg", "It weighs 5 kg", 2),
        ("It opens in June", "It opens on 2024-06-01", 0),
        ("It opens in June", "It opens in July", 1),
        ("It opens on 2024-06-01", "It opens on 1 June 2024", 0),
        ("It opens on 6/1/2024", "It opens on June 1, 2024", 0),
        ("It opens on 01/06/2024", "It opens on 1 June 2024", 0),
        ("It opens on 2024-07-01", "It opens on 1 June 2024", 1),
        ("It opens on 2024-06-02", "It opens on 1 June 2024", 1),
        ("Height: 330 m", "It is 330 metres tall", 0),  # no word in common, but the digits
        ("Height: 340 m", "It is 330 metres tall", 1),
        ("Write to a@b.org", "Write to a@b.org", 0),
        ("Write to a@b.org", "Write to c@b.org", 1),
        ("It rains", "It snows", 0),
    ],
)
def test_what_the_source_lacks_is_counted(claim, context, missing):
    """Numbers by value and unit, months by name or date, addresses as they are."""
    assert compared(claim, context).missing == missing


def test_a_figure_in_another_form_is_held():
    """It is not missing, though its digits are."""
    assert compared("It earned $1.5M", "It earned 1,500,000 dollars").held
    assert not compared("It earned $1.5M", "It earned 1,400,000 dollars").held


def test_a_number_for_other_things_is_loose():
    """It occurs, but beside other words."""
    found = compared("The crew had 5 cooks in all", "The crew had cooks. They ate 5 times in all.")
    assert (found.missing, found.loose) == (0, 1)


def test_what_the_user_said_is_not_missing():
    """Unless the contexts give another number for the same."""
    assert compared("Your order 4711 is covered", "Any order is covered").missing == 1
    given = "Where is order 4711?"
    assert compared("Your order 4711 is covered", "Any order is covered", given=given).missing == 0
