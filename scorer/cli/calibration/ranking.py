"""How well scores rank the bad above the good: area under the ROC curve, with its interval.

Everywhere here a score is a *suspicion*: the higher, the worse. A metric whose higher values are
better is negated before it comes here.
"""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

CONFIDENCE = 0.95
_Z = 1.959964  # of such an interval
_MAX_DRAWS = 20_000_000  # resamples times samples; beyond it there are fewer resamples
_MIN_RESAMPLES = 100


class Interval(Struct, frozen=True):
    """A figure and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Ranked:
    """Labelled suspicions, sorted once, so that a resample costs one pass.

    Raises:
        ValueError: all labels are the same.
    """

    def __init__(self, suspicions: Sequence[float], labels: Sequence[bool]) -> None:
        if len(set(labels)) < 2:
            raise ValueError("all labels are the same")
        order = sorted(range(len(labels)), key=suspicions.__getitem__)
        self._labels = [labels[i] for i in order]
        self.fewer = min(sum(labels), len(labels) - sum(labels))  # samples of the rarer class
        values = [suspicions[i] for i in order]
        self._ends = [
            i for i in range(1, len(values) + 1) if i == len(values) or values[i] != values[i - 1]
        ]
        self._place = {original: place for place, original in enumerate(order)}

    def auroc(self, counts: Sequence[int] | None = None) -> float | None:
        """Return the probability that a bad one is above a good one, ties counted half.

        `counts` says how often each sample was drawn; None where a class was not drawn at all.
        """
        weights = [1] * len(self._labels) if counts is None else self._sorted(counts)
        bad = list(accumulate(w if y else 0 for w, y in zip(weights, self._labels, strict=True)))
        every = list(accumulate(weights))
        total_bad, total_good = bad[-1], every[-1] - bad[-1]
        if not total_bad or not total_good:
            return None
        wins = 0.0
        bad_below = good_below = 0
        for end in self._ends:
            here = bad[end - 1] - bad_below
            good = every[end - 1] - bad[end - 1]
            wins += here * (good_below + (good - good_below) / 2)
            bad_below, good_below = bad[end - 1], good
        return wins / (total_bad * total_good)

    def _sorted(self, counts: Sequence[int]) -> list[int]:
        weights = [0] * len(counts)
        for original, place in self._place.items():
            weights[place] = counts[original]
        return weights


def wilson(part: int, whole: int) -> Interval | None:
    """Return a share with its Wilson interval; None of nothing."""
    if not whole:
        return None
    share, z2 = part / whole, _Z * _Z
    middle = (share + z2 / (2 * whole)) / (1 + z2 / whole)
    half = _Z * math.sqrt(share * (1 - share) / whole + z2 / (4 * whole * whole))
    half /= 1 + z2 / whole
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(share, low if part else 0.0, high if part < whole else 1.0)


def resamples(size: int, wanted: int, seed: int) -> Iterator[list[int]]:
    """Yield how often each of `size` samples was drawn, for each resample; the same each time."""
    chance = random.Random(seed)  # noqa: S311 - statistics, not secrets
    for _ in range(max(min(wanted, _MAX_DRAWS // max(1, size)), min(wanted, _MIN_RESAMPLES))):
        counts = [0] * size
        for drawn in chance.choices(range(size), k=size):
            counts[drawn] += 1
        yield counts


def percentile_interval(value: float, draws: Sequence[float]) -> Interval:
    """Return the value with the percentile interval of its bootstrap draws."""
    if not draws:
        return Interval(value, value, value)
    ordered = sorted(draws)
    tail = (1 - CONFIDENCE) / 2
    return Interval(value, _quantile(ordered, tail), _quantile(ordered, 1 - tail))


def share_interval(value: float, draws: Sequence[float], count: int) -> Interval:
    """Return the same for a share of about `count` things.

    Where the share is 0 or 1 so is every draw, which says nothing: then it is that of Wilson.
    """
    extreme = wilson(round(value * count), count) if value in (0.0, 1.0) else None
    return extreme or percentile_interval(value, draws)


def _quantile(ordered: Sequence[float], q: float) -> float:
    rank = (len(ordered) - 1) * q
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def auroc_interval(ranked: Ranked, size: int, wanted: int, seed: int) -> Interval:
    """Return the AUROC with its bootstrap interval."""
    draws = [ranked.auroc(counts) for counts in resamples(size, wanted, seed)]
    known = [draw for draw in draws if draw is not None]
    return share_interval(ranked.auroc() or 0.0, known, ranked.fewer)


def difference_interval(
    first: Ranked, second: Ranked, size: int, wanted: int, seed: int
) -> Interval:
    """Return AUROC of the first minus that of the second; both see the same resamples."""
    draws = []
    for counts in resamples(size, wanted, seed):
        one, other = first.auroc(counts), second.auroc(counts)
        if one is not None and other is not None:
            draws.append(one - other)
    return percentile_interval((first.auroc() or 0.0) - (second.auroc() or 0.0), draws)
