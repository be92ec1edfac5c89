"""`spanscore score`: scores plain samples, without spans (their form: `scorer/cli/samples.py`)."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING

from scorer.cli.options import Subparsers, add_config_options, add_metrics_option, read_config
from scorer.errors import ConfigError

if TYPE_CHECKING:
    from scorer.api import ScoredTrace, Sink
    from scorer.scoring.engine import Engine


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("score", help="score plain samples (JSON lines, no spans)")
    parser.add_argument("samples", metavar="SAMPLES.jsonl", help="- = stdin")
    parser.add_argument(
        "--out", metavar="OUT.jsonl", help="write every score there; - = stdout, without the table"
    )
    add_metrics_option(parser)
    add_config_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Score every sample; 1 when a line was not a sample (the others are scored).

    Raises:
        ConfigError: the configuration is wrong, or a file cannot be read or written.
    """
    import asyncio

    from scorer.cli.output import counted, print_all
    from scorer.cli.table import metrics_report
    from scorer.scoring.engine import build_engine
    from scorer.scoring.summary import RunSummary

    engine = build_engine(read_config(args))
    summary = RunSummary()
    sinks: list[Sink] = [summary]
    with _open_samples(args.samples) as lines:
        if args.out:
            sinks.append(_open_out(args.out))
        bad = asyncio.run(_score(engine, lines, sinks))
    if args.out != "-":
        print_all(metrics_report(summary.metrics()))
    if bad:
        print(f"spanscore: error: {counted(bad, 'line')} could not be scored", file=sys.stderr)
    return 1 if bad else 0


async def _score(engine: "Engine", lines: IO[bytes], sinks: "Sequence[Sink]") -> int:
    """Score the samples of a file; returns how many lines were bad."""
    from scorer.cli.samples import BadSample, read_samples

    bad = 0
    for item in read_samples(lines):
        if isinstance(item, BadSample):
            bad += 1
            print(f"spanscore: line {item.line}: {item.error}", file=sys.stderr)
            continue
        scored = engine.score_view(item, item.trace_id)
        for sink in sinks:
            await sink.write([scored])
    for sink in sinks:
        await sink.close()
    return bad


class _Stdout:
    """A sink that prints scores."""

    async def write(self, traces: "Sequence[ScoredTrace]") -> None:
        from scorer.model.score_json import encode_score

        for trace in traces:
            sys.stdout.writelines(encode_score(score).decode() + "\n" for score in trace.scores)

    async def close(self) -> None:
        sys.stdout.flush()


def _open_samples(path: str) -> AbstractContextManager[IO[bytes]]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(path, "rb")  # noqa: PTH123 - the caller closes it
    except OSError as error:
        raise ConfigError(f"cannot read samples {path}: {error.strerror}") from error


def _open_out(path: str) -> "Sink":
    from scorer.sinks.jsonl import ScoresFile

    return _Stdout() if path == "-" else ScoresFile(path, key="--out", overwrite=True)
