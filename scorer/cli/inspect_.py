"""`spanscore inspect`: the normalised view of each trace, that is, what a metric would read."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scorer.cli.options import Subparsers, add_config_options, read_config

if TYPE_CHECKING:
    from scorer.api import AgentTrace
    from scorer.cli.coverage import Coverage
    from scorer.config import Config
    from scorer.model.trace import ClosedTrace
    from scorer.receivers.files import StoredFiles
    from scorer.scoring.engine import Engine


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("inspect", help="show what a metric would read of each trace")
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help="file or folder; - = stdin")
    parser.add_argument("--json", action="store_true", help="print JSON, one trace a line")
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="with --json: add where each fact comes from (span and keys), and what is missing",
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="show which metrics can run, and what to switch on for the others",
    )
    add_config_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the view, or the coverage, of every trace in order of start.

    Raises:
        ConfigError: the configuration is wrong, or a source does not exist.
        PermanentError: a named file holds no spans, or nothing can be read at all.
    """
    from scorer.receivers.files import StoredFiles, collect
    from scorer.scoring.engine import build_engine
    from scorer.scoring.readings.build import all_readings

    config = read_config(args)
    engine = build_engine(config)
    files = StoredFiles(args.sources)
    traces = collect(files, all_readings(config))
    views = sorted(map(engine.view, traces), key=lambda view: view.start_ns)
    if args.coverage:
        coverage = covered(config, engine, views, _notes(traces, views))
        _print_coverage(coverage, as_json=args.json)
    elif args.evidence:
        _print_evidence(engine, traces, views)
    elif args.json:
        _print_json(views)
    else:
        _print_readable(views)
    print_unread(files)
    return 0


def _print_json(views: "Iterable[AgentTrace]") -> None:
    from scorer.dialects.inspection import inspection

    for view in views:
        _write_json(inspection(view))


def _print_evidence(
    engine: "Engine", traces: "Iterable[ClosedTrace]", views: "Iterable[AgentTrace]"
) -> None:
    from scorer.dialects.inspection import inspection

    closed = {trace.trace_id.hex(): trace for trace in traces}
    for view in views:
        sources = engine.evidence(closed[view.trace_id], view)
        _write_json({**inspection(view), "evidence": sources})


def _print_readable(views: "Iterable[AgentTrace]") -> None:
    from scorer.cli.output import counted, make_console
    from scorer.cli.view import render

    console = make_console()
    count = 0
    for count, view in enumerate(views, start=1):  # noqa: B007 - the count is used after the loop
        console.print(render(view))
    console.print(counted(count, "trace"))


def covered(
    config: "Config", engine: "Engine", views: "Sequence[AgentTrace]", notes: Sequence[str] = ()
) -> "Coverage":
    """Score the views and return what was there and what was not."""
    import asyncio

    from scorer.cli.coverage import Coverage, cover
    from scorer.scoring.accounts import accounts_in_memory

    accounts = accounts_in_memory(engine.metrics, config.scoring.accounts)
    scored = [engine.score_view(view, view.trace_id) for view in views]
    settled = asyncio.run(accounts.settle(scored))
    found = (cover(view, trace.scores) for view, trace in zip(views, settled, strict=True))
    return Coverage(tuple(found), tuple(notes))


def _print_coverage(coverage: "Coverage", *, as_json: bool) -> None:
    import msgspec

    from scorer.cli.coverage import render
    from scorer.cli.output import make_console

    if as_json:
        _write_json({"traces": msgspec.to_builtins(coverage.traces), "advice": coverage.advice()})
    else:
        make_console().print(render(coverage))


def _notes(traces: "Sequence[ClosedTrace]", views: "Iterable[AgentTrace]") -> list[str]:
    """Return what is to be said of traces that no dialect knows."""
    from scorer.cli.foreign import ForeignSpans
    from scorer.otlp.decode import decode_trace

    unknown = {view.trace_id for view in views if not view.dialects}
    foreign = ForeignSpans()
    for trace in traces:
        if trace.trace_id.hex() in unknown:
            foreign.add(decode_trace(trace))
    return list(foreign.advice())


def print_unread(files: "StoredFiles") -> None:
    """Tell on stderr what of the input the output lacks."""
    from scorer.cli.output import print_all
    from scorer.cli.unread import unread

    sys.stdout.flush()
    problems = [str(problem) for problem in files.problems]
    print_all(unread(len(problems), problems, files.skipped), stderr=True)


def _write_json(data: Any) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.encode(data).decode() + "\n")
