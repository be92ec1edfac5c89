"""What a threshold would have caught: confusion, precision and recall, and which one to take."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from scorer.api import Threshold


class Confusion(Struct, frozen=True):
    """How often a verdict (caught = the score fails) met a label (bad or good)."""

    caught_bad: int = 0
    caught_good: int = 0
    missed_bad: int = 0
    passed_good: int = 0

    @property
    def precision(self) -> float | None:
        """Share of the caught that are bad; None when nothing was caught."""
        return _share(self.caught_bad, self.caught_bad + self.caught_good)

    @property
    def recall(self) -> float | None:
        """Share of the bad that were caught; None when nothing is bad."""
        return _share(self.caught_bad, self.caught_bad + self.missed_bad)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 when nothing bad was caught."""
        wrong = self.caught_good + self.missed_bad
        return 2 * self.caught_bad / (2 * self.caught_bad + wrong) if self.caught_bad else 0.0


class Cut(Struct, frozen=True):
    """A threshold and what it catches."""

    threshold: Threshold
    confusion: Confusion


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def confusion(values: Sequence[float], labels: Sequence[bool], threshold: Threshold) -> Confusion:
    """Count verdicts against labels (True = bad)."""
    counts = [[0, 0], [0, 0]]
    for value, is_bad in zip(values, labels, strict=True):
        counts[threshold.label(value) == "fail"][is_bad] += 1
    return Confusion(counts[1][1], counts[1][0], counts[0][1], counts[0][0])


def all_cuts(
    values: Sequence[float], labels: Sequence[bool], *, lower_is_better: bool
) -> list[Cut]:
    """Return a cut between each two neighbouring values, the one that catches least first.

    A threshold lies halfway, in as few digits as keep it between the two. The last cut of the
    list catches everything but the best value; nothing tells where to catch that one too.
    """
    sign = 1 if lower_is_better else -1
    pairs = sorted(zip(values, labels, strict=True), key=lambda pair: -sign * pair[0])
    total_bad = sum(labels)
    total_good = len(labels) - total_bad
    cuts: list[Cut] = []
    bad = good = 0
    for (value, is_bad), (following, _) in pairwise(pairs):
        bad += is_bad
        good += not is_bad
        limit = between(value, following)
        if limit not in (value, following):  # two floats may have none between them
            threshold = Threshold(max=limit) if lower_is_better else Threshold(min=limit)
            cuts.append(Cut(threshold, Confusion(bad, good, total_bad - bad, total_good - good)))
    return cuts


def between(one: float, other: float) -> float:
    """Return a short number between two, or one of them where there is none between."""
    low, high = sorted((one, other))
    middle = low + (high - low) / 2
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if low < short < high:
            return short
    return low if middle >= high else middle


def best_for_precision(cuts: Sequence[Cut], target: float) -> Cut | None:
    """Return the cut of the highest recall whose precision reaches the target, if any does."""
    reaching = [cut for cut in cuts if (cut.confusion.precision or 0.0) >= target]
    return max(reaching, key=lambda cut: cut.confusion.caught_bad, default=None)


def best_f1(cuts: Sequence[Cut]) -> Cut | None:
    """Return the cut of the highest F1, the one that catches least among equals."""
    return max(cuts, key=lambda cut: cut.confusion.f1, default=None)
