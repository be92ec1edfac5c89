"""The figures of a metric that finds spans (personal data) against labelled spans.

Types are compared where both sides know them: a labelled type whose name no finding bears is
left out and told, for the detector may not look for it at all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from scorer.cli.calibration.collect import Collected, Judge, Labelled, slices, unscored
from scorer.cli.calibration.labels import ALIASES, spans_of
from scorer.cli.calibration.ranking import Interval, wilson
from scorer.cli.calibration.spans import (
    SpanCounts,
    TypedSpan,
    by_type,
    f1_interval,
    match_spans,
    pooled,
)
from scorer.errors import ConfigError, PermanentError


class TypeFigures(Struct, frozen=True, kw_only=True):
    """One type, or all of them pooled; None where there is nothing to share."""

    counts: SpanCounts
    precision: Interval | None
    recall: Interval | None
    f1: Interval


class SpanFigures(Struct, frozen=True, kw_only=True):
    """Found spans against labelled ones. `not_compared` counts the spans of other types."""

    metric: str
    samples: int
    unlabelled: int
    unscored: Mapping[str, int]
    pooled: TypeFigures
    types: Mapping[str, TypeFigures]
    slices: Mapping[str, TypeFigures]
    not_compared: Mapping[str, int]


class _Text(Struct, frozen=True):
    """The spans of one sample."""

    slice: str
    labelled: list[TypedSpan]
    found: list[TypedSpan]


class SpanSettings(Struct, frozen=True, kw_only=True):
    """Which types are compared, and how the intervals are made.

    `types` renames labelled ones, beyond the usual names; `only` leaves out all others, none =
    all that both sides know.
    """

    types: Mapping[str, str] = {}
    only: frozenset[str] = frozenset()
    resamples: int = 1000
    seed: int = 0


def span_figures(collected: Collected, judge: Judge, settings: SpanSettings) -> SpanFigures:
    """Work out the figures.

    Raises:
        ConfigError: a label is no list of spans, or no type is on both sides.
    """
    scored = [s for s in collected.samples if s.scores[0].value is not None]
    resamples, seed = settings.resamples, settings.seed
    names = {**ALIASES, **settings.types}
    texts = [_text(sample, names) for sample in scored]
    compared = _compared(texts, names)
    if settings.only:
        compared &= settings.only
    if not compared:
        raise ConfigError(
            f"{judge.name} found no span of a labelled type; --types LABELLED=FOUND,.. names them"
        )
    per_text = [_matched(text, compared) for text in texts]
    others = Counter(
        kind for text in texts for kind, *_ in (*text.labelled, *text.found) if kind not in compared
    )
    return SpanFigures(
        metric=judge.name,
        samples=len(texts),
        unlabelled=collected.unlabelled,
        unscored=unscored(collected.samples),
        pooled=_figures(pooled(per_text), resamples, seed),
        types={
            kind: _figures(by_type(per_text, kind), resamples, seed) for kind in sorted(compared)
        },
        slices=_slices(scored, per_text, resamples, seed),
        not_compared=dict(others.most_common()),
    )


def _compared(texts: Sequence[_Text], names: Mapping[str, str]) -> set[str]:
    """Return the types that are labelled and either found or known by name."""
    labelled = {kind for text in texts for kind, *_ in text.labelled}
    found = {kind for text in texts for kind, *_ in text.found}
    return labelled & (found | set(names.values()))


def _matched(text: _Text, compared: set[str]) -> dict[str, SpanCounts]:
    labelled = [span for span in text.labelled if span[0] in compared]
    return match_spans(labelled, [span for span in text.found if span[0] in compared])


def _slices(
    scored: Sequence[Labelled], per_text: Sequence[Mapping[str, SpanCounts]], n: int, seed: int
) -> dict[str, TypeFigures]:
    names = [sample.slice for sample in scored]
    if not any(names):
        return {}
    return {
        name: _figures(
            pooled([c for c, own in zip(per_text, names, strict=True) if own == name]), n, seed
        )
        for name, _ in slices(scored)
    }


def _figures(texts: Sequence[SpanCounts], resamples: int, seed: int) -> TypeFigures:
    total = sum(texts, SpanCounts())
    return TypeFigures(
        counts=total,
        precision=wilson(total.right, total.right + total.invented),
        recall=wilson(total.right, total.right + total.missed),
        f1=f1_interval(texts, resamples, seed),
    )


def _text(sample: Labelled, names: Mapping[str, str]) -> _Text:
    try:
        labelled = spans_of(sample.label, names, len(sample.text))
    except PermanentError as error:
        raise ConfigError(f"line {sample.line}: {error}") from error
    return _Text(sample.slice, _distinct(labelled, sample.text), _found(sample))


def _distinct(labelled: Sequence[TypedSpan], text: str) -> list[TypedSpan]:
    """Keep the first place of each value: a metric reports a value once."""
    first: dict[tuple[str, str], TypedSpan] = {}
    for span in sorted(labelled, key=lambda span: span[1]):
        kind, start, end = span
        first.setdefault((kind, text[start:end]), span)
    return list(first.values())


def _found(sample: Labelled) -> list[TypedSpan]:
    """Return the findings in the answer that the metric's detail tells of."""
    findings: Sequence[Any] = (sample.scores[0].detail or {}).get("findings") or ()
    return [
        (item["type"], item["offset"], item["offset"] + item["length"])
        for item in findings
        if item.get("where") == "answer"
    ]
