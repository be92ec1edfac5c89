import pytest

from metrics.quality.figures import Figures
from metrics.quality.otherwise import otherwise
from metrics.quality.said import said
from metrics.quality.sources import Source

HELD = Figures(held=True)


def other_forms(claim, *contexts, figures=HELD, holds=lambda _: True):
    return otherwise(said(claim, "english"), Source(contexts, "english"), figures, holds)


@pytest.mark.parametrize(
    ("claim", "context", "names"),
    [
        ("I saw the FBI", "The Federal Bureau of Investigation met.", {"fbi"}),
        ("I saw the World Bank", "The WB met.", {"world", "bank"}),
        ("I saw the fbi", "The Federal Bureau of Investigation met.", None),
        ("I saw the FBI", "The FBI met.", None),
        ("I saw the Bank", "The WB met.", None),
    ],
)
def test_a_context_has_a_name_that_it_spells_or_has_the_acronym_of(claim, context, names):
    """Not one that it writes as the claim does."""
    others = other_forms(claim, "Rain fell.", context)
    if names is None:
        assert others is None
        return
    assert others.all == names
    assert others.known_to(1, 0.0) == names
    assert not others.known_to(0, 0.0)


def test_a_context_has_numbers_that_it_writes_otherwise():
    """Where its sentence is about the same, and it has all amounts of the claim."""
    claim, context = "It took 1200 quiet days", "It took 1.2 thousand quiet days."
    assert other_forms(claim, context).known_to(0, 9.0) == {"1200"}
    assert not other_forms(claim, context).known_to(0, 0.1)
    assert not other_forms(claim, context, holds=lambda _: False).known_to(0, 9.0)
    assert not other_forms(claim, "It took 1200 days.").known_to(0, 9.0)
    assert other_forms(claim, context, figures=Figures(missing=1)) is None
