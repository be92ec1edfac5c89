from io import StringIO

from msgspec.structs import replace
from rich.console import Console

from scorer.cli.replay_report import report
from scorer.receivers.replay import ReplaySummary

EMPTY = ReplaySummary(
    files=0,
    skipped_files=(),
    spans={},
    traces={},
    closed_by_reason={},
    log_records={},
    problem_count=0,
    problems=(),
    metrics=(),
)


def text_of(**changes):
    out = StringIO()
    console = Console(file=out, width=160)
    for part in report(replace(EMPTY, **changes)):
        console.print(part)
    return out.getvalue()


def test_counts_that_are_not_zero_are_shown():
    """Where nothing happened there is nothing to read."""
    text = text_of(files=2, skipped_files=("a.txt",), spans={"offered": 1200, "refused": 0})
    assert "2 read, 1 without OTLP skipped" in text
    assert "1,200 offered" in text
    assert "refused" not in text


def test_problems_are_told():
    """What could not be read is counted, and the first ones are named."""
    text = text_of(problem_count=12, problems=("f.jsonl: line 3: truncated",))
    assert "12 parts of the input could not be read" in text
    assert "f.jsonl: line 3: truncated" in text
    assert "and 11 more" in text


def test_one_of_a_kind_is_singular():
    """`1 parts` reads like a fault."""
    text = text_of(problem_count=1, problems=("f: bad",), skipped_files=("a.txt",))
    assert "1 part of the input" in text
    assert "1 file without OTLP was skipped: a.txt" in text


def test_what_is_outside_of_the_window_is_counted():
    """A narrow window must not look like an empty recording."""
    assert "3 traces outside of --since and --until" in text_of(outside_window=3)
    assert "--since" not in text_of()


def test_a_run_without_scores_says_so():
    """An empty table would look like a fault."""
    assert "nothing was scored" in text_of()
