"""`spanscore inspect`: the normalised view of each trace, that is, what a metric would read."""

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scorer.cli.options import Subparsers, add_config_options, read_config

if TYPE_CHECKING:
    from scorer.api import AgentTrace
    from scorer.scoring.engine import Engine


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("inspect", help="show what a metric would read of each trace")
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help="file or folder; - = stdin")
    parser.add_argument("--json", action="store_true", help="print JSON, one trace a line")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="show which metrics can run, and what to switch on for the others",
    )
    add_config_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the view, or the coverage, of every trace in order of start."""
    from scorer.receivers.files import collect
    from scorer.scoring.engine import build_engine

    engine = build_engine(read_config(args))
    views = sorted(map(engine.view, collect(args.sources)), key=lambda view: view.start_ns)
    if args.coverage:
        _print_coverage(engine, views, as_json=args.json)
    elif args.json:
        _print_json(views)
    else:
        _print_readable(views)
    return 0


def _print_json(views: "Iterable[AgentTrace]") -> None:
    from scorer.dialects.inspection import inspection

    for view in views:
        _write_json(inspection(view))


def _print_readable(views: "Iterable[AgentTrace]") -> None:
    from scorer.cli.output import counted, make_console
    from scorer.cli.view import render

    console = make_console()
    count = 0
    for count, view in enumerate(views, start=1):  # noqa: B007 - the count is used after the loop
        console.print(render(view))
    console.print(counted(count, "trace"))


def _print_coverage(engine: "Engine", views: "Iterable[AgentTrace]", *, as_json: bool) -> None:
    import msgspec

    from scorer.cli.coverage import Coverage, cover, render
    from scorer.cli.output import make_console

    specs = [loaded.spec for loaded in engine.metrics]
    coverage = Coverage(tuple(cover(view, specs) for view in views))
    if as_json:
        _write_json(msgspec.to_builtins(coverage) | {"advice": coverage.advice()})
    else:
        make_console().print(render(coverage))


def _write_json(data: Any) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.encode(data).decode() + "\n")
