import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scorer.api import Threshold
from scorer.cli.calibration.cuts import (
    Confusion,
    all_cuts,
    best_f1,
    best_for_precision,
    between,
    confusion,
)

POINTS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=30)


def test_precision_recall_and_f1_by_hand():
    """6 of 8 caught are bad: .75; 6 of 9 bad are caught: .667; F1 = 12 / (12 + 2 + 3) = .706."""
    found = Confusion(caught_bad=6, caught_good=2, missed_bad=3, passed_good=4)
    assert found.precision == 0.75
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(12 / 17)
    nothing = Confusion()
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, None, 0.0)


@given(POINTS, st.booleans())
def test_a_cut_catches_what_its_threshold_fails(points, lower_is_better):
    """What is reported of a threshold is what the service will do with it."""
    values, labels = zip(*points, strict=True)
    for cut in all_cuts(values, labels, lower_is_better=lower_is_better):
        assert cut.confusion == confusion(values, labels, cut.threshold)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_limit_lies_between(one, other):
    """It is neither of the two, and short; two neighbours have nothing between them."""
    low, high = sorted((one, other))
    assume(low < (low + high) / 2 < high)
    assert low < between(one, other) < high


def test_a_limit_is_short():
    """A number to paste, not sixteen digits."""
    assert between(1 / 3, 2 / 3) == 0.5
    assert between(0.7112, 0.7139) == 0.713


def test_the_cut_for_a_precision_has_the_highest_recall():
    """Bad .9 .8 .6, good .7 .1: precision 1 down to .8; 3 of 4 at .6."""
    cuts = all_cuts([0.9, 0.8, 0.7, 0.6, 0.1], [1, 1, 0, 1, 0], lower_is_better=True)
    strict = best_for_precision(cuts, 0.9)
    assert strict.threshold == Threshold(max=0.75)
    assert strict.confusion == Confusion(2, 0, 1, 2)
    assert best_for_precision(cuts, 0.75).confusion == Confusion(3, 1, 0, 1)
    assert best_f1(cuts).confusion.f1 == pytest.approx(6 / 7)
    assert best_for_precision(cuts[3:], 0.9) is None


def test_where_higher_is_better_low_values_are_caught():
    """The same data upside down gives a minimum."""
    cuts = all_cuts([0.1, 0.2, 0.9], [True, True, False], lower_is_better=False)
    assert best_f1(cuts).threshold == Threshold(min=0.6)
