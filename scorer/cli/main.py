"""The entry point `spanscore`: parses the command line, runs one verb, turns errors into exits.

Exit codes: 0 = fine, 1 = a failure while running, 2 = wrong use or configuration. An error is
one clear line on stderr; `--debug` adds the traceback. Verbs import what they run when they
run, so that `--help` stays fast.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

from scorer import __version__
from scorer.cli import calibrate, check_config, explain, inspect_, metrics, replay, score, serve
from scorer.cli.output import say
from scorer.errors import ConfigError, SpanscoreError

_VERBS = (serve, replay, score, calibrate, inspect_, explain, metrics, check_config)
_DESCRIPTION = "Live scoring of AI agents from their OpenTelemetry traces."


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        _, _, verb = self.prog.partition(" ")
        where = f"{verb}: " if verb else ""
        _complain(f"{where}{message} (see: {self.prog} --help)")
        self.exit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; `--help` and wrong use exit at once."""
    args = build_parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        code = run(args)
        sys.stdout.flush()  # here, where a closed pipe is still ours to handle
    except BrokenPipeError:
        _discard_stdout()
        return 1
    except KeyboardInterrupt:
        _complain("interrupted")
        return 1
    except Exception as error:  # noqa: BLE001 - the one place that turns errors into exit codes
        if args.debug:
            traceback.print_exc()
        _complain(_describe(error))
        return 2 if isinstance(error, ConfigError) else 1
    return code


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(prog="spanscore", description=_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"spanscore {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for verb in _VERBS:
        verb.add_parser(subparsers)
    for subparser in subparsers.choices.values():
        subparser.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser


def _describe(error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, SpanscoreError):
        return text
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"unexpected {type(error).__name__}: {text} (--debug shows where)"


def _complain(text: str) -> None:
    say(f"error: {text}")


def _discard_stdout() -> None:
    """Let the interpreter flush into nothing: nobody reads our output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
