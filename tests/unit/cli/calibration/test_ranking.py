import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.cli.calibration import ranking
from scorer.cli.calibration.ranking import (
    Ranked,
    auroc_interval,
    difference_interval,
    percentile_interval,
    resamples,
    share_interval,
    wilson,
)

POINTS = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30).filter(
    lambda points: len({label for _, label in points}) == 2
)


def by_pairs(values, labels):
    """The definition: bad against good, ties counted half."""
    pairs = [
        (bad > good) + (bad == good) / 2
        for bad, is_bad in zip(values, labels, strict=True)
        for good, other in zip(values, labels, strict=True)
        if is_bad and not other
    ]
    return sum(pairs) / len(pairs)


@given(POINTS)
def test_auroc_is_the_share_of_pairs_in_the_right_order(points):
    """Whatever the ties."""
    values, labels = zip(*points, strict=True)
    assert Ranked(values, labels).auroc() == pytest.approx(by_pairs(values, labels))


@given(POINTS, st.data())
def test_a_resample_is_as_if_each_sample_stood_there_so_often(points, data):
    """Counts are weights."""
    size = len(points)
    counts = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    drawn = [point for point, count in zip(points, counts, strict=True) for _ in range(count)]
    values, labels = zip(*points, strict=True)
    found = Ranked(values, labels).auroc(counts)
    if len({label for _, label in drawn}) < 2:
        assert found is None
    else:
        assert found == pytest.approx(by_pairs(*zip(*drawn, strict=True)))


def test_one_kind_of_label_ranks_nothing():
    """There must be bad and good ones."""
    with pytest.raises(ValueError, match="same"):
        Ranked([1.0, 2.0], [True, True])


def test_the_interval_is_the_same_each_time_and_holds_the_value():
    """The seed decides; with another one it differs."""
    values = [0.1, 0.4, 0.35, 0.8, 0.6, 0.2, 0.9, 0.5]
    labels = [False, False, True, True, True, False, True, False]
    ranked = Ranked(values, labels)
    found = auroc_interval(ranked, 8, 200, seed=1)
    assert found == auroc_interval(ranked, 8, 200, seed=1)
    assert found != auroc_interval(ranked, 8, 200, seed=2)
    assert found.low < found.value < found.high


def test_equal_metrics_differ_by_nothing():
    """The comparison is paired: both see the same resamples."""
    ranked = Ranked([1.0, 2.0, 3.0, 0.0], [False, True, True, False])
    found = difference_interval(ranked, ranked, 4, 100, seed=0)
    assert (found.low, found.value, found.high) == (0.0, 0.0, 0.0)


def test_a_percentile_interval_leaves_out_the_tails():
    """Of 0 to 1000, 2.5 % on either side: 25 and 975."""
    found = percentile_interval(500, list(range(1001)))
    assert (found.low, found.high) == (pytest.approx(25), pytest.approx(975))
    assert percentile_interval(0.5, []).low == 0.5


def test_many_samples_are_drawn_less_often(monkeypatch):
    """So many draws in all, but at least a hundred resamples."""
    monkeypatch.setattr(ranking, "_MAX_DRAWS", 2_000)
    assert sum(1 for _ in resamples(5, 300, seed=0)) == 300
    assert sum(1 for _ in resamples(10, 300, seed=0)) == 200
    assert sum(1 for _ in resamples(1_000, 300, seed=0)) == 100
    assert all(sum(counts) == 10 for counts in resamples(10, 5, seed=0))


def test_wilson_by_hand():
    """8 of 10: .4902 to .9433; nothing has no share; 0 and all stay within 0 and 1."""
    found = wilson(8, 10)
    assert (found.low, found.high) == (
        pytest.approx(0.4902, abs=1e-4),
        pytest.approx(0.9433, abs=1e-4),
    )
    assert wilson(0, 0) is None
    assert wilson(0, 5).low == 0.0
    assert wilson(5, 5).high == 1.0


def test_a_perfect_share_of_few_is_not_sure():
    """Every resample of it is perfect too; five of five say that it is at least 0.57."""
    assert share_interval(1.0, [1.0] * 100, 5) == wilson(5, 5)
    assert share_interval(0.0, [0.0] * 100, 5) == wilson(0, 5)
    assert share_interval(0.5, [0.25, 0.75], 5) == percentile_interval(0.5, [0.25, 0.75])
    found = auroc_interval(Ranked([1, 2, 3], [False, True, True]), 3, 100, seed=0)
    assert found == wilson(1, 1)
