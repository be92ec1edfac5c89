import pytest

from scorer.model.score import Score
from scorer.scoring.statistics import Statistics, percentile


def score(value=None, metric="m", **fields):
    fields.setdefault("status", "scored" if value is not None else "not_applicable")
    return Score(id="x", metric=metric, value=value, subject="t", **fields)


def summary_of(*scores):
    statistics = Statistics()
    for item in scores:
        statistics.add([item])
    (summary,) = statistics.summaries()
    return summary


def test_values_are_summarised():
    """Mean, percentiles, ends and fails of the values."""
    summary = summary_of(
        *(score(float(n), label="fail" if n > 3 else "pass") for n in (4, 1, 3, 2))
    )
    # sorted 1 2 3 4: p50 at rank 1.5 = 2.5, p95 at rank 2.85 = 3.85, p99 at rank 2.97 = 3.97
    assert (summary.scored, summary.mean, summary.p50) == (4, 2.5, 2.5)
    assert (summary.p95, summary.p99) == (pytest.approx(3.85), pytest.approx(3.97))
    assert (summary.min, summary.max, summary.fails) == (1.0, 4.0, 1)


def test_a_missing_score_never_enters_a_mean():
    """Scores without a value are counted by status and reason."""
    summary = summary_of(
        score(1.0), score(reason="no_answer"), score(reason="no_answer"), score(status="failed")
    )
    assert summary.mean == 1.0
    assert summary.unscored == {"not_applicable/no_answer": 2, "failed/-": 1}


def test_without_any_value_the_statistics_are_none():
    """Nothing scored is None, not 0."""
    summary = summary_of(score(reason="no_answer"))
    assert summary.scored == 0
    assert summary.mean is summary.p50 is summary.p95 is summary.min is summary.max is None


def test_outputs_and_methods_are_kept_apart():
    """Each output has its own summary, named after the metric; the methods seen are listed."""
    statistics = Statistics()
    statistics.add([score(1.0, method="lexical"), score(2.0, output="count")])
    statistics.add([score(1.0, method="judge")])
    first, second = statistics.summaries()
    assert (first.name, second.name) == ("m", "m.count")
    assert first.methods == ("judge", "lexical")


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [([], 0.5, None), ([7.0], 0.95, 7.0), ([0.0, 10.0], 0.95, 9.5), ([1.0, 2.0, 3.0], 1.0, 3.0)],
)
def test_percentiles_interpolate(values, q, expected):
    """The q-quantile lies at rank (n - 1) q."""
    assert percentile(values, q) == expected


def test_the_mean_of_the_largest_numbers_is_a_number():
    """Their sum is none."""
    assert summary_of(score(1.6e308), score(1.2e308)).mean == pytest.approx(1.4e308)
