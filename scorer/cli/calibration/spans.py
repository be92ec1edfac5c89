"""Found spans against labelled ones: precision, recall and F1 per type, with intervals.

A found span is right when it overlaps a labelled one of its type; each labelled one can be met
once. `exact` counts those that have the same ends.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from scorer.cli.calibration.ranking import Interval, resamples, share_interval

TypedSpan = tuple[str, int, int]
"""Type, start and end (characters, end exclusive)."""


class SpanCounts(Struct, frozen=True):
    """Right, invented and missed spans; shares are 0 where there is nothing to share."""

    right: int = 0
    invented: int = 0
    missed: int = 0
    exact: int = 0

    def __add__(self, other: "SpanCounts") -> "SpanCounts":
        """Return the sum of both."""
        return self.times(1, other)

    def times(self, count: int, other: "SpanCounts") -> "SpanCounts":
        """Return these and `count` times the others."""
        return SpanCounts(
            self.right + count * other.right,
            self.invented + count * other.invented,
            self.missed + count * other.missed,
            self.exact + count * other.exact,
        )

    @property
    def precision(self) -> float:
        """Share of the found that are right."""
        return self.right / max(1, self.right + self.invented)

    @property
    def recall(self) -> float:
        """Share of the labelled that were found."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / max(1, 2 * self.right + self.invented + self.missed)


def match_spans(labelled: Sequence[TypedSpan], found: Sequence[TypedSpan]) -> dict[str, SpanCounts]:
    """Return the counts of one text, by type."""
    left = list(labelled)
    counts: dict[str, SpanCounts] = {}
    for span in sorted(found, key=lambda span: span not in left):  # exact ones choose first
        met = next((other for other in left if _overlaps(span, other)), None)
        if span in left:
            met = span
        if met is not None:
            left.remove(met)
        hit = SpanCounts(1, 0, 0, int(met == span)) if met else SpanCounts(0, 1)
        counts[span[0]] = counts.get(span[0], SpanCounts()) + hit
    for span in left:
        counts[span[0]] = counts.get(span[0], SpanCounts()) + SpanCounts(missed=1)
    return counts


def _overlaps(one: TypedSpan, other: TypedSpan) -> bool:
    return one[0] == other[0] and min(one[2], other[2]) > max(one[1], other[1])


def f1_interval(texts: Sequence[SpanCounts], wanted: int, seed: int) -> Interval:
    """Return F1 over texts with its bootstrap interval (texts are drawn, not spans)."""
    # Texts without a span of the type change nothing but how often the others are drawn.
    rows = [(i, t.right, t.invented + t.missed) for i, t in enumerate(texts) if t != _NOTHING]
    draws = []
    for counts in resamples(len(texts), wanted, seed):
        right = sum(counts[i] * r for i, r, _ in rows)
        wrong = sum(counts[i] * w for i, _, w in rows)
        if right + wrong:
            draws.append(2 * right / (2 * right + wrong))
    total = sum(texts, _NOTHING)
    return share_interval(total.f1, draws, total.right + total.invented + total.missed)


_NOTHING = SpanCounts()


def by_type(texts: Sequence[Mapping[str, SpanCounts]], kind: str) -> list[SpanCounts]:
    """Return the counts of one type in each text."""
    return [text.get(kind, _NOTHING) for text in texts]


def pooled(texts: Sequence[Mapping[str, SpanCounts]]) -> list[SpanCounts]:
    """Return the counts of all types together in each text."""
    return [sum(text.values(), _NOTHING) for text in texts]
