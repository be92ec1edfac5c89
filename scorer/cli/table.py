"""The table of metrics at the end of `replay` and `score`."""

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from scorer.cli.output import number
from scorer.scoring.statistics import MetricSummary


def metrics_table(summaries: Iterable[MetricSummary]) -> Table:
    """Return a row per metric: what was scored, how it came out, and why the rest was not."""
    table = Table(box=box.SIMPLE)
    table.add_column("metric", no_wrap=True)
    for name in ("unit", "method"):
        table.add_column(name)
    for name in ("scored", "mean", "p50", "p95", "min", "max", "fails"):
        table.add_column(name, justify="right")
    table.add_column("not scored")
    for summary in summaries:
        if summary.output == "value":
            table.add_row(*_cells(summary))
    return table


def _cells(summary: MetricSummary) -> Iterable[str | Text]:
    yield summary.metric
    yield summary.unit
    yield ", ".join(summary.methods) or "-"
    yield number(summary.scored)
    for value in (summary.mean, summary.p50, summary.p95, summary.min, summary.max):
        yield number(value)
    yield Text(number(summary.fails), style="red" if summary.fails else "")
    yield ", ".join(f"{reason} ({count})" for reason, count in summary.unscored.items()) or "-"
