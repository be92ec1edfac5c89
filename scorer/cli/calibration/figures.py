"""The figures of a metric against labels, ready to print or to write as JSON."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from scorer.api import Threshold
from scorer.cli.calibration.agreement import Agreement, agreement
from scorer.cli.calibration.collect import Collected, Judge, Labelled, slices, unscored
from scorer.cli.calibration.cuts import (
    Confusion,
    Cut,
    all_cuts,
    best_f1,
    best_for_precision,
    confusion,
)
from scorer.cli.calibration.labels import is_bad
from scorer.cli.calibration.ranking import Interval, Ranked, auroc_interval, wilson
from scorer.errors import ConfigError, PermanentError

_MAX_CURVE = 100


class Settings(Struct, frozen=True, kw_only=True):
    """How the figures are made."""

    target_precision: float = 0.9
    resamples: int = 1000
    seed: int = 0
    bad_values: frozenset[str] = frozenset()


class Caught(Struct, frozen=True, kw_only=True):
    """What a threshold catches, with 95 % intervals; None where there is nothing to share."""

    threshold: Threshold
    confusion: Confusion
    precision: Interval | None
    recall: Interval | None
    f1: float


class CurvePoint(Struct, frozen=True):
    """One threshold of the precision/recall curve."""

    threshold: Threshold
    precision: float
    recall: float


class SliceFigures(Struct, frozen=True, kw_only=True):
    """One slice: None where it has only one kind of label, or no threshold is in effect."""

    samples: int
    bad: int
    auroc: Interval | None
    caught: Caught | None


class MetricFigures(Struct, frozen=True, kw_only=True):
    """How well one metric tells bad samples from good ones."""

    metric: str
    direction: str
    methods: tuple[str, ...]
    samples: int
    bad: int
    unlabelled: int
    unscored: Mapping[str, int]
    auroc: Interval
    in_effect: Caught | None
    at_precision: Caught | None
    target_precision: float
    at_best_f1: Caught | None
    curve: tuple[CurvePoint, ...]
    slices: Mapping[str, SliceFigures]
    against: Agreement | None = None


class _Points(Struct, frozen=True):
    """The values of a metric and the labels, side by side."""

    values: list[float]
    labels: list[bool]

    def ranked(self, *, lower_is_better: bool) -> Ranked:
        sign = 1 if lower_is_better else -1
        return Ranked([sign * value for value in self.values], self.labels)


def metric_figures(
    collected: Collected, judges: Sequence[Judge], settings: Settings
) -> MetricFigures:
    """Work out the figures of the first metric, and its agreement with a second one.

    Raises:
        ConfigError: a label is none, or nothing can be told from the labels.
    """
    judge = judges[0]
    lower = judge.lower_is_better
    chosen = [s for s in collected.samples if s.scores[0].value is not None]
    points = _points(chosen, settings)
    missing = unscored(collected.samples)
    if len(set(points.labels)) < 2:
        raise ConfigError(_one_class(judge, points, missing))
    cuts = all_cuts(points.values, points.labels, lower_is_better=lower)
    reaching = best_for_precision(cuts, settings.target_precision)
    threshold = judge.loaded.threshold
    shown = threshold if reaching is None else reaching.threshold
    ranked = points.ranked(lower_is_better=lower)
    groups = dict(slices(chosen))
    return MetricFigures(
        metric=judge.name,
        direction="lower" if lower else "higher",
        methods=tuple(sorted({str(s.scores[0].method) for s in chosen})),
        samples=len(points.labels),
        bad=sum(points.labels),
        unlabelled=collected.unlabelled,
        unscored=missing,
        auroc=auroc_interval(ranked, len(points.labels), settings.resamples, settings.seed),
        in_effect=None if threshold is None else _caught(points, threshold),
        at_precision=_of_cut(reaching),
        target_precision=settings.target_precision,
        at_best_f1=_of_cut(best_f1(cuts)),
        curve=_curve(cuts),
        slices={
            name: _slice(_points(group, settings), shown, settings, lower_is_better=lower)
            for name, group in groups.items()
            if len(groups) > 1 or name
        },
        against=agreement(
            collected.samples, judges, settings.bad_values, settings.resamples, settings.seed
        )
        if len(judges) > 1
        else None,
    )


def _points(samples: Sequence[Labelled], settings: Settings) -> _Points:
    points = _Points([], [])
    for sample in samples:
        try:
            label = is_bad(sample.label, settings.bad_values)
        except PermanentError as error:
            raise ConfigError(f"line {sample.line}: {error}") from error
        points.values.append(sample.scores[0].value or 0.0)
        points.labels.append(label)
    return points


def _one_class(judge: Judge, points: _Points, missing: Mapping[str, int]) -> str:
    if not points.labels:
        why = ", ".join(f"{reason} ({count})" for reason, count in missing.items())
        return f"{judge.name} gave no labelled sample a value: {why or 'there is none'}"
    kind = "bad" if points.labels[0] else "good"
    return f"all {len(points.labels)} labelled samples are {kind}: there is nothing to tell apart"


def _caught(points: _Points, threshold: Threshold) -> Caught:
    return _with_intervals(threshold, confusion(points.values, points.labels, threshold))


def _of_cut(cut: Cut | None) -> Caught | None:
    return None if cut is None else _with_intervals(cut.threshold, cut.confusion)


def _with_intervals(threshold: Threshold, counts: Confusion) -> Caught:
    return Caught(
        threshold=threshold,
        confusion=counts,
        precision=wilson(counts.caught_bad, counts.caught_bad + counts.caught_good),
        recall=wilson(counts.caught_bad, counts.caught_bad + counts.missed_bad),
        f1=counts.f1,
    )


def _curve(cuts: Sequence[Cut]) -> tuple[CurvePoint, ...]:
    step = max(1, -(-len(cuts) // _MAX_CURVE))
    return tuple(
        CurvePoint(cut.threshold, cut.confusion.precision or 0.0, cut.confusion.recall or 0.0)
        for cut in cuts[step - 1 :: step]
    )


def _slice(
    points: _Points, threshold: Threshold | None, settings: Settings, *, lower_is_better: bool
) -> SliceFigures:
    auroc = None
    if len(set(points.labels)) > 1:
        ranked = points.ranked(lower_is_better=lower_is_better)
        auroc = auroc_interval(ranked, len(points.labels), settings.resamples, settings.seed)
    return SliceFigures(
        samples=len(points.labels),
        bad=sum(points.labels),
        auroc=auroc,
        caught=None if threshold is None else _caught(points, threshold),
    )
