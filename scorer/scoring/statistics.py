"""Statistics of the scores of a run, per metric and output.

Percentiles are exact, by linear interpolation between the two nearest ranks (rank
`(n - 1) * q`, counted from 0). Scores without a value are counted by status and reason; they
never enter a mean.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum

from msgspec import Struct

from scorer.model.score import Direction, Method, Score


class MetricSummary(Struct, frozen=True, kw_only=True):
    """One output of one metric over a run; the statistics are None when nothing was scored.

    `fails` counts the scores labelled "fail". `unscored` maps `status/reason` to a count.
    """

    metric: str
    output: str
    unit: str
    direction: Direction
    methods: tuple[Method, ...] = ()
    scored: int = 0
    fails: int = 0
    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    min: float | None = None
    max: float | None = None
    unscored: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The metric's name, followed by the output's when it is not the primary one."""
        return self.metric if self.output == "value" else f"{self.metric}.{self.output}"


class Statistics:
    """Collects scores; 8 bytes a value are kept, for the percentiles."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], _Tally] = {}

    def add(self, scores: Iterable[Score]) -> None:
        """Count the scores of one subject."""
        for score in scores:
            key = (score.metric, score.output)
            if key not in self._tallies:
                self._tallies[key] = _Tally(score)
            self._tallies[key].add(score)

    def summaries(self) -> tuple[MetricSummary, ...]:
        """Return a summary per metric and output, in the order of first appearance."""
        return tuple(tally.summary() for tally in self._tallies.values())


class _Tally:
    """What is kept of one output of one metric."""

    def __init__(self, first: Score) -> None:
        self._first = first
        self._values = array("d")
        self._methods: set[Method] = set()
        self._fails = 0
        self._unscored: Counter[str] = Counter()

    def add(self, score: Score) -> None:
        if score.value is None:
            self._unscored[f"{score.status}/{score.reason or '-'}"] += 1
            return
        self._values.append(score.value)
        self._methods.add(score.method)
        self._fails += score.label == "fail"

    def summary(self) -> MetricSummary:
        values = sorted(self._values)
        return MetricSummary(
            metric=self._first.metric,
            output=self._first.output,
            unit=self._first.unit,
            direction=self._first.direction,
            methods=tuple(sorted(self._methods)),
            scored=len(values),
            fails=self._fails,
            mean=_mean(values) if values else None,
            p50=percentile(values, 0.5),
            p95=percentile(values, 0.95),
            p99=percentile(values, 0.99),
            min=values[0] if values else None,
            max=values[-1] if values else None,
            unscored=dict(self._unscored.most_common()),
        )


def percentile(ordered: Sequence[float], q: float) -> float | None:
    """Return the q-quantile (0 to 1) of ascending values, interpolated; None for no values."""
    if not ordered:
        return None
    rank = (len(ordered) - 1) * q
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def _mean(values: Sequence[float]) -> float:
    """Return the mean, also where the sum is beyond every float."""
    try:
        return fsum(values) / len(values)
    except OverflowError:
        return fsum(value / len(values) for value in values)
