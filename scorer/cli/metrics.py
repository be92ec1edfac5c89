"""`spanscore metrics`: the catalogue of metrics that are installed."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.cli.options import Subparsers

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from scorer.api import MetricSpec, OutputSpec
    from scorer.registry import LoadedMetric


class Fed(NamedTuple):
    """How many of the user's agent traces there are, and on how many of them a metric is scored."""

    traces: int
    scored: dict[str, int]


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("metrics", help="list the metrics that are installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument(
        "--fed-by",
        metavar="SOURCE",
        nargs="+",
        help="list those only that stored traces (file or folder; - = stdin) can feed",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the catalogue; a metric of another package that does not load is named on stderr.

    Raises:
        ConfigError: a source does not exist.
        PermanentError: a named file holds no spans, or nothing can be read at all.
    """
    from scorer.config import MetricConfig, ScoringConfig
    from scorer.errors import ConfigError
    from scorer.registry import load_metrics, names

    catalogue: list[LoadedMetric] = []
    for name in names("metrics"):
        try:
            catalogue += load_metrics(ScoringConfig(metrics=(MetricConfig(name=name),)))
        except ConfigError as error:
            print(f"spanscore: {error}", file=sys.stderr)
    every = [item.spec.name for item in catalogue]
    fed = None if args.fed_by is None else _feed(every, args.fed_by)
    listed = [item for item in catalogue if fed is None or item.spec.name in fed.scored]
    if args.json:
        _print_json(listed, fed)
    else:
        _print_tables(listed, fed, left_out=len(every) - len(listed))
    return 0


def _feed(names: Sequence[str], sources: Sequence[str]) -> Fed:
    """Score stored traces, as `inspect --coverage` does, and count."""
    from collections import Counter

    from scorer.cli.inspect_ import covered, print_unread
    from scorer.config import Config, ScoringConfig
    from scorer.receivers.files import StoredFiles, collect
    from scorer.scoring.engine import build_engine
    from scorer.scoring.readings.build import all_readings

    config = Config(scoring=ScoringConfig(metrics=tuple(names)))
    engine = build_engine(config)
    files = StoredFiles(sources)
    found = collect(files, all_readings(config))
    traces = covered(config, engine, [engine.view(trace) for trace in found]).scored
    print_unread(files)
    scored = Counter(
        name for trace in traces for name, reason in trace.metrics.items() if reason is None
    )
    return Fed(len(traces), scored)


def _print_json(catalogue: "Sequence[LoadedMetric]", fed: Fed | None) -> None:
    import msgspec

    for item in catalogue:
        row: dict[str, Any] = msgspec.to_builtins(item.spec)
        row["threshold"] = row.pop("default_threshold")
        row["source"] = _source(item)
        if fed is not None:
            row["fed"] = {"traces": fed.traces, "scored": fed.scored[item.spec.name]}
        sys.stdout.write(msgspec.json.encode(row).decode() + "\n")


def _source(item: "LoadedMetric") -> str:
    """Return where a metric is defined, as `module:class`."""
    made = type(item.metric)
    return f"{made.__module__}:{made.__qualname__}"


def _print_tables(catalogue: "Sequence[LoadedMetric]", fed: Fed | None, left_out: int) -> None:
    from scorer.cli.output import counted, make_console

    console = make_console()
    specs = [item.spec for item in catalogue]
    for part in (_catalogue(specs, fed), _meanings(catalogue), _reasons(specs)):
        console.print(part)
    if fed is not None:
        console.print(
            f"{counted(fed.traces, 'agent trace')}; {counted(left_out, 'other metric')} cannot run "
            "on any: `spanscore inspect SOURCE --coverage` says what to switch on"
        )


def _catalogue(specs: "Sequence[MetricSpec]", fed: Fed | None) -> "RenderableType":
    table = _table("system", "kind", "scope", "unit", "range", "better", "threshold", "cost")
    for column in ("methods", "default", "version"):
        table.add_column(column)
    if fed is not None:
        table.add_column("scored on")
    for spec in specs:
        counts = () if fed is None else (f"{fed.scored[spec.name]} of {fed.traces}",)
        table.add_row(*_cells(spec), *counts)
    return table


def _meanings(catalogue: "Sequence[LoadedMetric]") -> "Table":
    """Say what each metric measures of what, and what the system it comes from does otherwise."""
    table = _table("measures", "needs", "in mode documented", "source")
    for item in catalogue:
        spec, source = item.spec, _source(item).partition(":")[0]
        table.add_row(spec.name, spec.description, needed(spec), spec.documented or "-", source)
    return table


def _reasons(specs: "Sequence[MetricSpec]") -> "Table":
    """Say why a default threshold is where it is."""
    table = _table("threshold", "because")
    for spec in specs:
        if spec.default_threshold is not None:
            table.add_row(spec.name, threshold(spec), spec.threshold_reason or "-")
    return table


def _table(*columns: str) -> "Table":
    """Return a table by metric, whose names are never cut."""
    from rich import box
    from rich.table import Column, Table

    return Table(Column("metric", no_wrap=True), *columns, box=box.SIMPLE)


def _cells(spec: "MetricSpec") -> tuple[str, ...]:
    primary = spec.outputs[0]
    return (
        spec.name,
        spec.system or "-",
        spec.kind,
        spec.scope,
        primary.unit,
        value_range(primary),
        "-" if primary.direction == "none" else primary.direction,
        threshold(spec),
        spec.cost_class,
        ", ".join(spec.methods),
        "yes" if spec.in_default else "-",
        spec.version,
    )


def needed(spec: "MetricSpec") -> str:
    """Return what a metric cannot do without; "-" for nothing."""
    return spec.inputs or ", ".join(spec.needs) or "-"


def value_range(output: "OutputSpec") -> str:
    """Return an output's range as `0..1`; an open end is left out."""
    low, high = output.range or (None, None)
    return f"{_end(low)}..{_end(high)}"


def threshold(spec: "MetricSpec") -> str:
    """Return a default threshold as `min 0.7`; "-" for none."""
    limit = spec.default_threshold
    if limit is None:
        return "-"
    ends = (("min", limit.min), ("max", limit.max))
    return ", ".join(f"{name} {value:g}" for name, value in ends if value is not None)


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
