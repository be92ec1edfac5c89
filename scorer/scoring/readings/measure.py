"""From the series of one OTLP metric to what it says of a window of time."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from scorer.model.reading import Coverage
from scorer.scoring.readings.names import Wanted
from scorer.scoring.readings.series import NS, Series, Window


class Figure(NamedTuple):
    """A value in the unit of its field, and how much of the window it speaks for."""

    value: float
    coverage: Coverage


class _Part(NamedTuple):
    mean: float
    peak: float
    coverage: Coverage


def measure(
    wanted: Wanted, series: Iterable[tuple[bytes, Series]], window: Window
) -> Figure | None:
    """Return what series of one metric, each with its part, say together; None = nothing.

    A series that says nothing of the window does not count. Where they speak for different shares
    of it, the smallest is told.
    """
    parts: defaultdict[bytes, list[_Part]] = defaultdict(list)
    for part, one in series:
        found = _part(one, window)
        if found is not None:
            parts[part].append(found)
    if not parts:
        return None
    figures = [_sum(found, wanted, window) for found in parts.values()]
    value = sum(figures) / len(figures) if wanted.parts else sum(figures)
    every = [one.coverage for found in parts.values() for one in found]
    return Figure(value * wanted.scale, min(every, key=attrgetter("known")))


def together(wanted: str, figures: Sequence[tuple[Figure, Window]], whole_ns: int) -> Figure:
    """Return what the figures of several processes of a trace say together.

    Totals are added up, of peaks the largest is taken, of means the mean over the time of their
    windows. `whole_ns` is the time of all windows, also of those without a figure.
    """
    spans = [window.length_ns for _, window in figures]
    values = [figure.value for figure, _ in figures]
    if wanted == "total":
        value = sum(values)
    elif wanted == "peak":
        value = max(values)
    else:
        value = sum(v * (span / sum(spans)) for v, span in zip(values, spans, strict=True))
    shares = [
        (figure.coverage, span / whole_ns) for (figure, _), span in zip(figures, spans, strict=True)
    ]
    return Figure(
        value,
        Coverage(
            sum(coverage.measured * share for coverage, share in shares),
            sum(coverage.held * share for coverage, share in shares),
        ),
    )


def _part(series: Series, window: Window) -> _Part | None:
    area = peak = 0.0
    known = held = 0
    for stretch in series.stretches(window):
        span = stretch.end_ns - stretch.start_ns
        area += stretch.rate * span
        peak = max(peak, stretch.rate)
        known += span
        held += span if stretch.held else 0
    if not known:
        return None
    # A counter of deltas may tell one time twice.
    whole = max(window.length_ns, known)
    return _Part(area / known, peak, Coverage((known - held) / whole, held / whole))


def _sum(parts: Sequence[_Part], wanted: Wanted, window: Window) -> float:
    if wanted.how == "peak":
        return sum(part.peak for part in parts)
    mean = sum(part.mean for part in parts)
    return mean * window.length_ns / NS if wanted.how == "total" else mean
