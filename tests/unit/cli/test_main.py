import os
import re
import sys

import pytest

from scorer import __version__
from scorer.cli import main as cli
from scorer.cli import metrics
from scorer.errors import ConfigError, PermanentError


def run_raising(monkeypatch, error, *options):
    """Run a command whose verb raises; return its exit code."""

    def run(_):
        raise error

    monkeypatch.setattr(metrics, "run", run)
    return cli.main([*options, "metrics"])


def test_version_is_printed(capsys):
    """`--version` names the command and its version."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"spanscore {__version__}\n"


@pytest.mark.parametrize(
    "argv",
    [[], ["frobnicate"], ["replay"], ["serve", "--nope"], ["replay", "x", "--since", "noon"]],
)
def test_wrong_use_exits_2_with_one_line(argv, capsys):
    """What argparse refuses is one clear line that says where help is."""
    with pytest.raises(SystemExit) as caught:
        cli.main(argv)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("spanscore: error: ")
    assert captured.err.count("\n") == 1
    assert "--help" in captured.err


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ConfigError("unknown key a.b"), 2, "unknown key a.b"),
        (PermanentError("f.jsonl: no\nOTLP"), 1, "f.jsonl: no OTLP"),
        (OSError(13, "Permission denied", "out.jsonl"), 1, "out.jsonl: Permission denied"),
        (KeyError("x"), 1, "unexpected KeyError: 'x' (--debug shows where)"),
        (KeyboardInterrupt(), 1, "interrupted"),
    ],
)
def test_errors_become_one_line_and_an_exit_code(error, code, text, monkeypatch, capsys):
    """Wrong configuration is 2, any other failure 1; no traceback is shown."""
    assert run_raising(monkeypatch, error) == code
    assert capsys.readouterr().err == f"spanscore: error: {text}\n"


@pytest.mark.parametrize("argv", [["--debug", "metrics"], ["metrics", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(argv, monkeypatch, capsys):
    """`--debug` works before and after the command."""

    def run(_):
        raise PermanentError("bad")

    monkeypatch.setattr(metrics, "run", run)
    assert cli.main(argv) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_closed_pipe_ends_the_command_quietly(monkeypatch, capfd):
    """`spanscore ... | head` prints no error."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)

        def run(_):
            sys.stdout.write("x" * 100_000)
            return 0

        monkeypatch.setattr(metrics, "run", run)
        assert cli.main(["metrics"]) == 1
    assert capfd.readouterr().err == ""


def test_every_verb_has_a_line_of_help(capsys):
    """The help of the command lists all verbs."""
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out
    for verb in ("serve", "replay", "score", "inspect", "explain", "metrics", "check-config"):
        assert re.search(rf"^ +{verb}\s", out, re.MULTILINE)
