"""`spanscore replay`: scores stored spans with the engine of the live service."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from scorer.cli.options import Subparsers, add_config_options, add_metrics_option, read_config
from scorer.cli.output import say
from scorer.cli.times import parse_time
from scorer.errors import ConfigError

if TYPE_CHECKING:
    from scorer.api import MetricSpec, Sink
    from scorer.cli.assertion import Assertion
    from scorer.config import Config
    from scorer.receivers.files import StoredFiles
    from scorer.receivers.replay import ReplayProgress, ReplaySummary


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("replay", help="score stored spans")
    add = parser.add_argument
    add("sources", metavar="SOURCE", nargs="+", help="file or folder; - = stdin")
    add_config_options(parser)
    add_metrics_option(parser)
    add(
        "--scores",
        metavar="OUT.jsonl",
        help="write every score there (replaces the file); - = stdout, and the summary to stderr",
    )
    add("--since", metavar="TIME", type=parse_time, help="leave out traces that ended before")
    add(
        "--until", metavar="TIME", type=parse_time, help="leave out traces that ended then or later"
    )
    add("--summary", choices=("table", "json"), default="table", help="default: table")
    add(
        "--assert",
        dest="assertions",
        metavar="BOUND",
        action="append",
        default=[],
        help="METRIC[.STAT] OP NUMBER, such as 'latency.p95<=5' or 'cost.failed==0'; STAT: mean "
        "(default), p50, p95, p99, min, max, fails, or the count of a status (scored, failed, "
        "missing, not_applicable, skipped); exit 1 when it does not hold (repeatable)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Replay, print the summary, and check the assertions; 1 when one does not hold.

    Raises:
        ConfigError: the configuration or an assertion is wrong, or a source does not exist.
        PermanentError: a named file holds no spans, or nothing can be read at all.
    """
    from scorer.registry import load_metrics
    from scorer.telemetry import set_up_logging

    if args.since is not None and args.until is not None and args.since >= args.until:
        raise ConfigError("--since must be before --until: no trace can be in between")
    set_up_logging("WARNING")
    config = read_config(args)
    specs = [loaded.spec for loaded in load_metrics(config.scoring)]
    assertions = _parse_assertions(args.assertions, specs)
    summary = _replay(config, args)
    _print_summary(
        summary,
        as_json=args.summary == "json",
        out=sys.stderr if args.scores == "-" else sys.stdout,
    )
    return _check(assertions, summary)


def _parse_assertions(
    texts: Sequence[str], specs: "Sequence[MetricSpec]"
) -> "tuple[Assertion, ...]":
    from scorer.cli.assertion import parse_assertion
    from scorer.cli.output import output_name

    known = [output_name(spec.name, output.name) for spec in specs for output in spec.outputs]
    return tuple(parse_assertion(text, known) for text in texts)


def _replay(config: "Config", args: argparse.Namespace) -> "ReplaySummary":
    import asyncio

    from scorer.cli.stdout_scores import StdoutScores
    from scorer.receivers.files import StoredFiles
    from scorer.receivers.replay import replay

    # A mistyped source must not cost the scores file of an earlier run.
    sinks = _sinks(args, config, StoredFiles(args.sources))

    def check_stdout(at: "ReplayProgress") -> None:
        if any(isinstance(sink, StdoutScores) and sink.is_broken for sink in sinks):
            raise BrokenPipeError  # nobody reads: ends the command quietly
        show(at)

    with _progress() as show:
        return asyncio.run(
            replay(
                config,
                args.sources,
                sinks=sinks,
                progress=check_stdout,
                since_ns=args.since,
                until_ns=args.until,
            )
        )


def _sinks(args: argparse.Namespace, config: "Config", files: "StoredFiles") -> "list[Sink]":
    from scorer.cli.overwrite import refuse_overwrite
    from scorer.cli.stdout_scores import StdoutScores
    from scorer.sinks.jsonl import ScoresFile

    if not args.scores:
        return []
    if args.scores == "-":
        return [StdoutScores()]
    _check_readable(args.scores, files)
    inputs = (file.path for file in files.files)
    others = (args.config, config.scoring.references.file)
    refuse_overwrite("--scores", args.scores, (*inputs, *others))
    return [ScoresFile(args.scores, overwrite=True)]


def _check_readable(out: str, files: "StoredFiles") -> None:
    """Raise PermanentError rather than replace earlier scores by those of nothing."""
    from contextlib import closing
    from pathlib import Path

    if Path(out).exists() and not any(file.is_stream for file in files.files):
        with closing(files.requests()) as requests:
            next(requests, None)


@contextmanager
def _progress() -> "Iterator[Callable[[ReplayProgress], None]]":
    """Show a bar on stderr while it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from scorer.cli.output import make_console

    columns = (
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[spans]} spans, {task.fields[traces]} traces"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task("replay", total=None, spans=0, traces=0)

        def show(at: "ReplayProgress") -> None:
            total = at.bytes_total or None
            bar.update(task, completed=at.bytes_read, total=total, spans=at.spans, traces=at.traces)

        yield show


def _print_summary(summary: "ReplaySummary", *, as_json: bool, out: TextIO) -> None:
    if as_json:
        import msgspec

        out.write(msgspec.json.encode(summary).decode() + "\n")
        return
    from scorer.cli.output import print_all
    from scorer.cli.replay_report import report

    print_all(report(summary), stderr=out is sys.stderr)


def _check(assertions: "Sequence[Assertion]", summary: "ReplaySummary") -> int:
    failures = [failure for a in assertions if (failure := a.check(summary.metrics)) is not None]
    for failure in failures:
        say(f"assertion failed: {failure}")
    return 1 if failures else 0
