"""The figures as tables for a terminal."""

from collections.abc import Iterable, Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from scorer.api import Threshold
from scorer.cli.calibration.agreement import Agreement
from scorer.cli.calibration.figures import Caught, MetricFigures, SliceFigures
from scorer.cli.calibration.ranking import Interval
from scorer.cli.calibration.span_figures import SpanFigures, TypeFigures
from scorer.cli.output import number, printable

_CURVE_ROWS = 10


def metric_report(figures: MetricFigures) -> Iterator[RenderableType]:
    """Yield the figures of a metric against labels."""
    better = f"{figures.direction} is better"
    yield Text(f"{figures.metric} ({', '.join(figures.methods)}, {better})", style="bold")
    yield Text(
        f"{number(figures.samples)} labelled samples, {number(figures.bad)} of them bad"
        + _left_out(figures.unlabelled, figures.unscored)
    )
    yield Text(f"AUROC {interval(figures.auroc)}  (0.5 = chance)")
    yield Text()
    yield _thresholds(figures)
    yield Text()
    yield Text("precision and recall along the thresholds", style="bold")
    yield _curve(figures)
    if figures.slices:
        yield Text()
        yield _slices(figures.slices)
    if figures.against:
        yield from _agreement(figures.metric, figures.against)
    yield from _snippet(figures)


def span_report(figures: SpanFigures) -> Iterator[RenderableType]:
    """Yield the figures of found spans against labelled ones."""
    yield Text(figures.metric, style="bold")
    yield Text(
        f"{number(figures.samples)} labelled samples"
        + _left_out(figures.unlabelled, figures.unscored)
    )
    yield Text()
    yield _types({**figures.types, "all of these": figures.pooled}, "type")
    if figures.slices:
        yield Text()
        yield _types(figures.slices, "slice")
    if figures.not_compared:
        others = ", ".join(f"{printable(k)} ({number(n)})" for k, n in figures.not_compared.items())
        yield Text()
        yield Text(f"not compared, on one side only: {others}")


def interval(value: Interval | None) -> str:
    """Return `0.82 [0.78, 0.86]`; "-" for None."""
    return "-" if value is None else f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]"


def limit(threshold: Threshold) -> str:
    """Return a threshold as it is written in the configuration."""
    ends = (("min", threshold.min), ("max", threshold.max))
    return "{" + ", ".join(f"{name}: {value!r}" for name, value in ends if value is not None) + "}"


def snippet(metric: str, threshold: Threshold) -> str:
    """Return the lines of the configuration that put a threshold into effect."""
    return f"scoring:\n  thresholds:\n    {metric}: {limit(threshold)}"


def _left_out(unlabelled: int, unscored: Mapping[str, int]) -> str:
    parts = [f"{number(unlabelled)} without a label"] if unlabelled else []
    parts += [f"{reason} ({number(count)})" for reason, count in unscored.items()]
    return f"; left out: {', '.join(parts)}" if parts else ""


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", no_wrap=True)
    return table


def _thresholds(figures: MetricFigures) -> Table:
    table = _table(
        "threshold", "fails when", "caught bad", "caught good", "missed bad", "passed good",
        "precision", "recall", "F1",
    )  # fmt: skip
    target = f"for precision {figures.target_precision:g}"
    for name, caught in (
        ("in effect", figures.in_effect),
        (target, figures.at_precision),
        ("for the best F1", figures.at_best_f1),
    ):
        table.add_row(name, *(_caught(caught) if caught else ["not reached"]))
    return table


def _caught(caught: Caught) -> Iterator[str]:
    counts = caught.confusion
    yield _fails_when(caught.threshold)
    for count in (counts.caught_bad, counts.caught_good, counts.missed_bad, counts.passed_good):
        yield number(count)
    yield interval(caught.precision)
    yield interval(caught.recall)
    yield f"{caught.f1:.3f}"


def _fails_when(threshold: Threshold) -> str:
    ends = (("<", threshold.min), (">", threshold.max))
    return " or ".join(f"{sign} {value:g}" for sign, value in ends if value is not None) or "never"


def _curve(figures: MetricFigures) -> Table:
    table = _table("fails when", "precision", "recall")
    step = max(1, -(-len(figures.curve) // _CURVE_ROWS))
    for point in figures.curve[step - 1 :: step]:
        table.add_row(_fails_when(point.threshold), f"{point.precision:.3f}", f"{point.recall:.3f}")
    return table


def _slices(slices: Mapping[str, SliceFigures]) -> Table:
    table = _table("slice", "samples", "bad", "AUROC", "precision", "recall", "F1")
    for name, item in slices.items():
        caught = item.caught
        table.add_row(
            printable(name),
            number(item.samples),
            number(item.bad),
            interval(item.auroc),
            interval(caught.precision) if caught else "-",
            interval(caught.recall) if caught else "-",
            f"{caught.f1:.3f}" if caught else "-",
        )
    return table


def _types(figures: Mapping[str, TypeFigures], what: str) -> Table:
    table = _table(what, "right", "invented", "missed", "same ends", "precision", "recall", "F1")
    for name, item in figures.items():
        counts = item.counts
        cells = (counts.right, counts.invented, counts.missed, counts.exact)
        table.add_row(
            printable(name), *map(number, cells), *map(interval, (item.precision, item.recall)),
            interval(item.f1),
        )  # fmt: skip
    return table


def _agreement(first: str, against: Agreement) -> Iterable[RenderableType]:
    yield Text()
    yield Text(f"{first} against {against.metric}", style="bold")
    yield Text(f"{number(against.samples)} samples that both gave a value")
    yield Text(f"AUROC of {against.metric}: {interval(against.auroc)}")
    yield Text(f"AUROC gained by {first}: {interval(against.auroc_gain)}  (paired)")
    yield Text(f"rank correlation: {number(against.rank_correlation, digits=3)}")
    if against.both_fail is not None:
        yield Text(
            f"verdicts: both fail {against.both_fail}, only {first} {against.first_fails}, "
            f"only {against.metric} {against.second_fails}, both pass {against.both_pass}; "
            f"kappa {number(against.kappa, digits=3)}"
        )


def _snippet(figures: MetricFigures) -> Iterable[RenderableType]:
    chosen = figures.at_precision
    yield Text()
    if chosen is None:
        yield Text(
            f"no threshold reaches a precision of {figures.target_precision:g} on these samples; "
            "--target-precision asks for less"
        )
        return
    yield Text("to put it into effect (expect a little less on other data):", style="bold")
    yield Text(snippet(figures.metric.partition(":")[0], chosen.threshold))
