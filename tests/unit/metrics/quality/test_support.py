import pytest

from metrics.quality.figures import Figures
from metrics.quality.said import said
from metrics.quality.sources import Source
from metrics.quality.support import support_of

TOWER = "The old tower stands in Paris. It was built by Gustave Eiffel. It weighs many tons."


def support(claim, *contexts, figures=None):
    found = figures if figures is not None else Figures()
    return support_of(said(claim, "english"), Source(contexts, "english"), found)


def test_a_quote_has_all_support_and_other_words_have_none():
    """From 1 to 0."""
    assert support("It was built by Gustave Eiffel", TOWER).value == 1.0
    assert support("Zebras chase elephants", TOWER).value == 0.0


def test_nearer_words_support_more():
    """Within a sentence and its neighbour, rather than anywhere."""
    near = support("The tower in Paris is old", TOWER)
    far = support(
        "The tower in Paris is old", "Paris is big. We eat.", "A tower fell. An old tree."
    )
    assert near.value > far.value > 0


def test_a_missing_name_takes_more_than_a_missing_word():
    """And is named."""
    word = support("The shaky tower stands in Paris", TOWER)
    name = support("The tower stands in London", TOWER)
    assert word.value > name.value
    assert name.against == ("name",)
    assert word.against == ()


def test_a_missing_figure_takes_its_part():
    """Each one, up to a few."""
    values = [
        support("The old tower stands", TOWER, figures=Figures(missing=n)).value for n in range(3)
    ]
    assert values == sorted(values, reverse=True)
    assert values[1] == pytest.approx(values[0] * 0.4)


def test_the_context_that_does_not_contradict_counts():
    """Another one that does takes nothing from it."""
    claim = "The tower is not open"
    alone = support(claim, "The tower is not open on Monday.")
    both = support(claim, "The tower is open.", "The tower is not open on Monday.")
    assert both.value >= alone.value
    assert support(claim, "The tower is open.").against == ("negation",)
