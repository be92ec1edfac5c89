import math
import random

import pytest

from metrics.quality import support as supports
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


def test_a_context_that_is_not_looked_at_could_not_have_supported_more(monkeypatch):
    """A sentence alone holds what it holds; with a neighbour, twice that at most."""
    chance = random.Random(3)
    words = ["Rain", "snow", "wind", "fog", "hail", "not", "12", "June", "more", "the"]
    cases = []
    for _ in range(300):
        drawn = [[chance.choice(words) for _ in range(chance.randrange(1, 7))] for _ in range(9)]
        claim, *sentences = [" ".join(item) for item in drawn]
        cases.append((claim, [". ".join(sentences[place : place + 2]) for place in range(0, 8, 2)]))
    quick = [support(claim, *contexts) for claim, contexts in cases]
    by_context = supports._by_context
    monkeypatch.setattr(
        supports,
        "_by_context",
        lambda found, source: [(*item[:2], math.inf) for item in by_context(found, source)],
    )
    assert quick == [support(claim, *contexts) for claim, contexts in cases]


def test_as_much_is_in_order_as_the_longest_common_subsequence_has():
    """Of what both share."""
    chance = random.Random(5)
    for _ in range(300):
        size = chance.randrange(2, 6)
        ours, theirs = (
            [chance.choice(["rain", "snow", "wind", "fog"]) for _ in range(size)] for _ in range(2)
        )
        found = Source([" ".join(theirs)], "english")
        claim = said(" ".join(ours), "english")
        shared = [word for word in ours if word in theirs]
        expected = subsequence(ours, theirs) / len(shared) if shared else 0.0
        assert supports._order(claim, found, 0, 0) == expected


def subsequence(ours, theirs):
    if not (ours and theirs):
        return 0
    if ours[0] == theirs[0]:
        return 1 + subsequence(ours[1:], theirs[1:])
    return max(subsequence(ours[1:], theirs), subsequence(ours, theirs[1:]))


def test_two_sentences_are_read_in_the_order_of_the_context():
    """Whichever of them holds more."""
    found = Source(["Rain fell. Snow lay."], "english")
    claim = said("rain fell snow lay", "english")
    assert supports._order(claim, found, 1, 0) == supports._order(claim, found, 0, 1) == 1.0
