import json
import os
import sys

from scorer.api import Completeness, Score, ScoredTrace
from scorer.cli.stdout_scores import StdoutScores

TRACE = ScoredTrace(
    tenant="",
    trace_id="t",
    service="",
    close_reason="root",
    completeness=Completeness(span_count=1, root_present=True),
    scores=(Score(id="1", metric="m", status="scored", value=0.5, subject="t"),),
)


async def test_scores_are_printed_as_in_a_scores_file(capsys):
    """One JSON object a line."""
    sink = StdoutScores()
    await sink.write([TRACE, TRACE])
    await sink.close()
    assert [json.loads(line)["value"] for line in capsys.readouterr().out.splitlines()] == [0.5] * 2
    assert not sink.is_broken


async def test_a_reader_that_left_is_noticed(monkeypatch):
    """`| head` is no failure of a sink: the command asks and ends quietly."""
    reader, writer = os.pipe()
    os.close(reader)
    sink = StdoutScores()
    with os.fdopen(writer, "w", buffering=1) as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        await sink.write([TRACE])
        assert sink.is_broken
        await sink.close()
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), writer)  # what is buffered may go nowhere
