"""Do two metrics, or two methods of one, say the same about the same samples?"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from scorer.cli.calibration.collect import Judge, Labelled
from scorer.cli.calibration.labels import is_bad
from scorer.cli.calibration.ranking import Interval, Ranked, auroc_interval, difference_interval


class Agreement(Struct, frozen=True, kw_only=True):
    """What a second metric says; all over the samples that both gave a value.

    `auroc_gain` is the first's AUROC minus the second's, over the same resamples.
    `rank_correlation` is Spearman's, +1 = they order the samples alike. The verdicts are those of
    the thresholds in effect; None where one of the two has none.
    """

    metric: str
    samples: int
    auroc: Interval | None
    auroc_gain: Interval | None
    rank_correlation: float | None
    both_fail: int | None = None
    first_fails: int | None = None
    second_fails: int | None = None
    both_pass: int | None = None
    kappa: float | None = None


def agreement(
    samples: Sequence[Labelled],
    judges: Sequence[Judge],
    bad_values: Collection[str],
    wanted: int,
    seed: int,
) -> Agreement:
    """Compare the second metric with the first."""
    both = [s for s in samples if None not in (s.scores[0].value, s.scores[1].value)]
    labels = [is_bad(sample.label, bad_values) for sample in both]
    suspicions = [
        [(1 if judge.lower_is_better else -1) * (s.scores[i].value or 0.0) for s in both]
        for i, judge in enumerate(judges)
    ]
    auroc = gain = None
    if len(set(labels)) > 1:
        first, second = (Ranked(values, labels) for values in suspicions)
        auroc = auroc_interval(second, len(labels), wanted, seed)
        gain = difference_interval(first, second, len(labels), wanted, seed)
    verdicts = [
        tuple(judge.loaded.threshold.label(s.scores[i].value or 0.0) == "fail" for s in both)
        for i, judge in enumerate(judges)
        if judge.loaded.threshold is not None
    ]
    found = Agreement(
        metric=judges[1].name,
        samples=len(both),
        auroc=auroc,
        auroc_gain=gain,
        rank_correlation=spearman(*suspicions),
    )
    return _with_verdicts(found, *verdicts) if len(verdicts) == 2 else found


def _with_verdicts(found: Agreement, first: Sequence[bool], second: Sequence[bool]) -> Agreement:
    from msgspec.structs import replace

    pairs = list(zip(first, second, strict=True))
    return replace(
        found,
        both_fail=pairs.count((True, True)),
        first_fails=pairs.count((True, False)),
        second_fails=pairs.count((False, True)),
        both_pass=pairs.count((False, False)),
        kappa=cohens_kappa(first, second),
    )


def cohens_kappa(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """Return the agreement beyond chance; None when chance alone makes them agree always."""
    size = len(first)
    if not size:
        return None
    same = sum(a == b for a, b in zip(first, second, strict=True)) / size
    one, other = sum(first) / size, sum(second) / size
    chance = one * other + (1 - one) * (1 - other)
    return None if chance == 1 else (same - chance) / (1 - chance)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the correlation of the ranks; None when one of them is constant."""
    one, other = _ranks(first), _ranks(second)
    size = len(one)
    if not size:
        return None
    middle = (size + 1) / 2
    product = sum((a - middle) * (b - middle) for a, b in zip(one, other, strict=True))
    spread = sum((a - middle) ** 2 for a in one) * sum((b - middle) ** 2 for b in other)
    return product / spread**0.5 if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1, the mean rank among equals."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        start = end
    return ranks
