"""The summary of a replay for a person."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from scorer.cli.output import counted, number
from scorer.cli.table import metrics_report
from scorer.cli.unread import unread
from scorer.receivers.replay import ReplaySummary


def report(summary: ReplaySummary) -> Iterator[RenderableType]:
    """Return what was read, what became of it, the table of metrics, and what was wrong."""
    yield Text(f"files      {_files(summary)}")
    for name, counts in (
        ("spans", summary.spans),
        ("traces", summary.traces),
        ("closed by", summary.closed_by_reason),
        ("logs", summary.log_records),
    ):
        text = _counts(counts)
        if text:
            yield Text(f"{name:<10} {text}")
    if summary.outside_window:
        outside = counted(summary.outside_window, "trace")
        yield Text(f"left out   {outside} outside of --since and --until")
    yield from metrics_report(summary.metrics)
    yield from unread(summary.problem_count, summary.problems, summary.skipped_files)


def _files(summary: ReplaySummary) -> str:
    skipped = len(summary.skipped_files)
    return f"{summary.files} read" + (f", {skipped} without OTLP skipped" if skipped else "")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number(count)} {name}" for name, count in counts.items() if count)
