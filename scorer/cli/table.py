"""The scores of a run at the end of `replay` and `score`."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from scorer.cli.output import number
from scorer.scoring.statistics import MetricSummary


def metrics_report(summaries: Iterable[MetricSummary]) -> Iterator[RenderableType]:
    """Return a table with a row per metric, then why some of its scores have no value."""
    primary = [summary for summary in summaries if summary.output == "value"]
    if not primary:
        yield Text("nothing was scored")
        return
    yield Text()
    yield _table(primary)
    yield Text()
    lacking = [summary for summary in primary if summary.unscored]
    if lacking:
        yield Text("not scored", style="bold")
        yield _reasons(lacking)


def _table(summaries: Sequence[MetricSummary]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("metric", no_wrap=True)
    table.add_column("method", no_wrap=True)
    for name in ("scored", "mean", "p50", "p95", "min", "max", "fails"):
        table.add_column(name, justify="right", no_wrap=True)
    for summary in summaries:
        table.add_row(*_cells(summary))
    return table


def _cells(summary: MetricSummary) -> Iterator[str | Text]:
    unit = "" if summary.unit == "1" else f", {summary.unit.strip('{}')}"
    yield summary.metric + unit
    yield ", ".join(summary.methods) or "-"
    yield number(summary.scored)
    for value in (summary.mean, summary.p50, summary.p95, summary.min, summary.max):
        yield number(value, digits=3)
    yield Text(number(summary.fails), style="red" if summary.fails else "")


def _reasons(summaries: Sequence[MetricSummary]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 1))
    for summary in summaries:
        reasons = (f"{reason} ({number(count)})" for reason, count in summary.unscored.items())
        table.add_row(summary.metric, ", ".join(reasons))
    return table
