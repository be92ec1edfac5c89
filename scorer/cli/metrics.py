"""`spanscore metrics`: the catalogue of metrics that are installed."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scorer.cli.options import Subparsers

if TYPE_CHECKING:
    from rich.table import Table

    from scorer.api import MetricSpec, OutputSpec
    from scorer.registry import LoadedMetric


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("metrics", help="list the metrics that are installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the catalogue; a metric of another package that does not load is named on stderr."""
    from scorer.config import MetricConfig, ScoringConfig
    from scorer.errors import ConfigError
    from scorer.registry import load_metrics, names

    catalogue: list[LoadedMetric] = []
    for name in names("metrics"):
        try:
            catalogue += load_metrics(ScoringConfig(metrics=(MetricConfig(name=name),)))
        except ConfigError as error:
            print(f"spanscore: {error}", file=sys.stderr)
    if args.json:
        _print_json(catalogue)
    else:
        _print_table(catalogue)
    return 0


def _print_json(catalogue: "list[LoadedMetric]") -> None:
    import msgspec

    for item in catalogue:
        sys.stdout.write(msgspec.json.encode(_row(item.spec)).decode() + "\n")


def _row(spec: "MetricSpec") -> dict[str, Any]:
    import msgspec

    row: dict[str, Any] = msgspec.to_builtins(spec)
    row["threshold"] = row.pop("default_threshold")
    return row


def _print_table(catalogue: "list[LoadedMetric]") -> None:
    from rich import box
    from rich.table import Table

    from scorer.cli.output import make_console

    table = Table("metric", "kind", "unit", "range", "better", "threshold", "needs", box=box.SIMPLE)
    for column in ("methods", "default", "version", "description"):
        table.add_column(column)
    for item in catalogue:
        table.add_row(*_cells(item.spec))
    console = make_console()
    console.print(table)
    console.print(_reasons([item.spec for item in catalogue]))


def _reasons(specs: "Sequence[MetricSpec]") -> "Table":
    """Say why a default threshold is where it is."""
    from rich import box
    from rich.table import Table

    table = Table("threshold", "", "because", box=box.SIMPLE)
    for spec in specs:
        if spec.default_threshold is not None:
            table.add_row(spec.name, threshold(spec), spec.threshold_reason or "-")
    return table


def _cells(spec: "MetricSpec") -> tuple[str, ...]:
    primary = spec.outputs[0]
    return (
        spec.name,
        spec.kind,
        primary.unit,
        span(primary),
        "-" if primary.direction == "none" else primary.direction,
        threshold(spec),
        ", ".join(spec.needs) or "-",
        ", ".join(spec.methods),
        "yes" if spec.in_default else "-",
        spec.version,
        spec.description,
    )


def span(output: "OutputSpec") -> str:
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
