"""`spanscore score`: scores plain samples, without spans (their form: `scorer/cli/samples.py`)."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scorer.cli.options import Subparsers, add_config_options, add_metrics_option, read_config
from scorer.cli.output import counted, say
from scorer.errors import ConfigError, PermanentError

if TYPE_CHECKING:
    from scorer.api import Sink
    from scorer.cli.samples import BadSample
    from scorer.config import Config
    from scorer.otlp.inflate import Source
    from scorer.scoring.accounts import Accounts
    from scorer.scoring.engine import Engine

_MAX_TOLD = 10


class _Help(argparse.Action):
    """Prints the help with the fields of a sample, which it costs time to import."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from scorer.cli.samples import FIELDS

        fields = "\n".join(f"  {names}: {text}" for names, text in FIELDS.items())
        parser.epilog = f"fields of a sample, all of them optional:\n{fields}"
        parser.print_help()
        parser.exit()


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "score",
        help="score plain samples (JSON lines, no spans)",
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-h", "--help", action=_Help, nargs=0, help="show this help and exit")
    parser.add_argument(
        "samples", metavar="SAMPLES.jsonl", help="one JSON object a line; .gz, .zst; - = stdin"
    )
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
        PermanentError: there is no sample in the file.
    """
    import asyncio

    from scorer.cli.output import print_all
    from scorer.cli.table import metrics_report
    from scorer.scoring.accounts import accounts_in_memory
    from scorer.scoring.engine import build_engine
    from scorer.scoring.summary import RunSummary

    config = read_config(args)
    engine = build_engine(config)
    summary = RunSummary()
    with open_samples(args.samples) as lines:
        sinks = [summary, *_out_sinks(args, config)]
        run = _Run(
            engine, accounts_in_memory(engine.metrics, config.scoring.accounts), args.samples
        )
        asyncio.run(run.score(lines, sinks))
    if args.out != "-":
        print_all(metrics_report(summary.metrics()))
    return run.conclude()


class _Run:
    """One run over a file: what was scored, and which lines were bad."""

    def __init__(self, engine: "Engine", accounts: "Accounts", path: str) -> None:
        self._engine = engine
        self._accounts = accounts
        self._name = "standard input" if path == "-" else path
        self._scored = 0
        self._bad = 0
        self._broken = ""

    async def score(self, lines: "Source", sinks: "Sequence[Sink]") -> None:
        """Score the samples and tell of the lines that are none."""
        from scorer.cli.samples import BadSample, read_samples

        for item in read_samples(lines, self._tell):
            if isinstance(item, BadSample):
                self._complain(item)
                continue
            scored = await self._accounts.settle([self._engine.score_view(item, item.trace_id)])
            self._scored += 1
            for sink in sinks:
                await sink.write(scored)
        for sink in sinks:
            await sink.close()
        self._broken = lines.problem

    def conclude(self) -> int:
        """Sum up on stderr what went wrong, and return the exit code."""
        if self._broken:
            self._tell(f"it breaks off: {self._broken}")
        if not self._scored + self._bad:
            raise PermanentError(f"{self._name}: there is no sample in it")
        if self._bad:
            shown = f"; the first {_MAX_TOLD} are told" if self._bad > _MAX_TOLD else ""
            hint = "" if self._scored else "; for stored spans use `spanscore replay`"
            bad = counted(self._bad, "line")
            say(f"error: {self._name}: {bad} could not be scored{shown}{hint}")
        return 1 if self._bad or self._broken else 0

    def _complain(self, item: "BadSample") -> None:
        self._bad += 1
        if self._bad <= _MAX_TOLD:
            self._tell(f"line {item.line}: {item.error}")

    def _tell(self, text: str) -> None:
        say(f"{self._name}: {text}")


@contextmanager
def open_samples(path: str) -> "Iterator[Source]":
    """Open a samples file; raises ConfigError when it cannot be read."""
    from scorer.otlp.inflate import open_source
    from scorer.receivers.sources import SourceFile

    source = SourceFile(path, path)
    try:
        file = source.open()
    except OSError as error:
        raise ConfigError(f"cannot read samples {source.label}: {error.strerror}") from error
    with file:
        yield open_source(file)


def _out_sinks(args: argparse.Namespace, config: "Config") -> "list[Sink]":
    from scorer.cli.overwrite import refuse_overwrite
    from scorer.cli.stdout_scores import StdoutScores
    from scorer.sinks.jsonl import ScoresFile

    if not args.out:
        return []
    if args.out == "-":
        return [StdoutScores()]
    refuse_overwrite("--out", args.out, (args.samples, args.config, config.scoring.references.file))
    return [ScoresFile(args.out, key="--out", overwrite=True)]
