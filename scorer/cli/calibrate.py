"""`spanscore calibrate`: how well a metric agrees with labels, and which threshold to take.

A label says which samples are bad (1, true, fail), whatever the direction of the metric: of a
metric whose higher values are better, low values should be bad. Labelled spans, `{type, start,
end}` in the answer, are compared with what a metric such as pii_leakage finds.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scorer.cli.options import Subparsers, add_config_options, read_config
from scorer.cli.output import counted, say
from scorer.errors import ConfigError, PermanentError

if TYPE_CHECKING:
    from scorer.cli.calibration.collect import Collected, Judge
    from scorer.cli.calibration.figures import MetricFigures
    from scorer.cli.calibration.span_figures import SpanFigures

_MAX_TOLD = 10


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "calibrate",
        help="compare a metric with labels, and find its threshold",
        description="Scores labelled samples (their fields: spanscore score --help). A label "
        "says which are bad: 1, true, fail; or it lists spans {type, start, end} of the answer.",
    )
    parser.add_argument(
        "samples", metavar="SAMPLES.jsonl", help="one JSON object a line; .gz, .zst; - = stdin"
    )
    metric = "NAME[:option=value,..]"
    parser.add_argument("--metric", required=True, metavar=metric, help="the metric to check")
    parser.add_argument("--label", required=True, metavar="FIELD", help="the field of the label")
    parser.add_argument("--bad", metavar="VALUE,..", type=_words, default=(), help="bad labels")
    parser.add_argument("--against", metavar=metric, help="a metric to compare it with")
    parser.add_argument("--slice", metavar="FIELD", help="also show each value of this field")
    parser.add_argument(
        "--types", metavar="LABELLED=FOUND,..", type=_pairs, default={}, help="types of spans"
    )
    parser.add_argument(
        "--only", metavar="FOUND,..", type=_words, default=(), help="compare only these types"
    )
    parser.add_argument(
        "--target-precision", metavar="P", type=_share, default=0.9, help="default: 0.9"
    )
    parser.add_argument(
        "--resamples", metavar="N", type=_count, default=1000, help="for intervals; default: 1000"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the resamples")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    add_config_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the figures; 1 when a line was not a sample (the others count).

    Raises:
        ConfigError: an option, a label or the configuration is wrong.
        PermanentError: there is no sample in the file.
    """
    from scorer.cli.calibration.collect import Judge, collect
    from scorer.cli.score import open_samples

    config = read_config(args)
    judges = [Judge(config, name) for name in (args.metric, args.against) if name]
    name = "standard input" if args.samples == "-" else args.samples
    with open_samples(args.samples) as lines:
        collected = collect(
            lines, judges, args.label, args.slice, lambda text: say(f"{name}: {text}")
        )
        broken = lines.problem
    if not collected.samples and not collected.bad:
        raise PermanentError(f"{name}: there is no sample in it")
    code = _complain(name, collected, broken)
    if collected.samples:
        _print(_figures(args, collected, judges), as_json=args.json)
    return code


def _complain(name: str, collected: "Collected", broken: str) -> int:
    """Say on stderr what could not be read, and return the exit code."""
    for item in collected.bad[:_MAX_TOLD]:
        say(f"{name}: line {item.line}: {item.error}")
    if broken:
        say(f"{name}: it breaks off: {broken}")
    if collected.bad:
        say(f"error: {name}: {counted(len(collected.bad), 'line')} could not be scored")
    return 1 if collected.bad or broken else 0


def _figures(
    args: argparse.Namespace, collected: "Collected", judges: "Sequence[Judge]"
) -> "MetricFigures | SpanFigures":
    from scorer.cli.calibration.figures import Settings, metric_figures
    from scorer.cli.calibration.span_figures import SpanSettings, span_figures

    if any(isinstance(sample.label, list) for sample in collected.samples):
        if args.against:
            raise ConfigError("--against compares scores, and the labels here are spans")
        return span_figures(
            collected,
            judges[0],
            SpanSettings(
                types=args.types,
                only=frozenset(args.only),
                resamples=args.resamples,
                seed=args.seed,
            ),
        )
    settings = Settings(
        target_precision=args.target_precision,
        resamples=args.resamples,
        seed=args.seed,
        bad_values=frozenset(args.bad),
    )
    return metric_figures(collected, judges, settings)


def _print(figures: "MetricFigures | SpanFigures", *, as_json: bool) -> None:
    import msgspec

    from scorer.cli.calibration.figures import MetricFigures
    from scorer.cli.calibration.report import metric_report, snippet, span_report
    from scorer.cli.output import print_all

    if not as_json:
        if isinstance(figures, MetricFigures):
            print_all(metric_report(figures))
        else:
            print_all(span_report(figures))
        return
    document: dict[str, Any] = msgspec.to_builtins(figures)
    if isinstance(figures, MetricFigures):
        chosen = figures.at_precision
        name = figures.metric.partition(":")[0]
        document["snippet"] = None if chosen is None else snippet(name, chosen.threshold)
    sys.stdout.write(msgspec.json.encode(document).decode() + "\n")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _pairs(text: str) -> dict[str, str]:
    pairs = [word.partition("=") for word in _words(text)]
    if not all(name and sign and value for name, sign, value in pairs):
        raise argparse.ArgumentTypeError("write LABELLED=FOUND,..")
    return {name: value for name, _, value in pairs}


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError("a precision is above 0 and at most 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 100_000:
        raise argparse.ArgumentTypeError("from 1 to 100000")
    return value
