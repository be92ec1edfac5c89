"""The scores file."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from scorer.api import Sink
from scorer.config import Config, parse_config
from scorer.errors import ConfigError, RetryableError
from scorer.model.position import Position
from scorer.model.score import Score
from scorer.model.trace import ClosedTrace, Completeness, Envelope
from scorer.scoring.engine import build_engine
from scorer.sinks.jsonl import JsonlSink, ScoresFile
from scorer.testing import TraceBuilder, score, scored_trace

TRACES = (
    scored_trace(1, scores=(score("a"), score("b", None, reason="timeout"))),
    scored_trace(2),
    scored_trace(3, scores=(score("c", detail={"words": {"x", "y"}}),)),
)


def closed(builder, revision):
    envelope = Envelope(b"", b"")
    spans = tuple(span.SerializeToString() for span in builder.spans)
    return ClosedTrace(
        tenant="",
        trace_id=builder.trace_id,
        spans=spans,
        span_envelopes=(envelope,) * len(spans),
        reason="root",
        opened=0.0,
        closed=1.0,
        completeness=Completeness(span_count=len(spans), root_present=True),
        first_position=Position("otlp", 0, 0),
        last_position=Position("otlp", 0, 0),
        size=0,
        revision=revision,
    )


class FailingFile:
    """A file on a disk that takes some bytes and then is full."""

    def __init__(self, file, room):
        self._file = file
        self._room = room

    def write(self, data):
        if not self._room:
            raise OSError(28, os.strerror(28))
        taken = self._file.write(bytes(data[: self._room]))
        self._room -= taken
        return taken

    def __getattr__(self, name):
        return getattr(self._file, name)


async def test_each_score_is_a_line_with_all_its_fields(tmp_path):
    """A line has the fields of a score in their order, absent ones null, in close order."""
    path = tmp_path / "scores.jsonl"
    sink = ScoresFile(path)
    assert isinstance(sink, Sink)
    await sink.write(TRACES)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["metric"] for line in lines] == ["a", "b", "c"]
    assert list(lines[0]) == list(Score.__struct_fields__)
    assert lines[1]["value"] is None
    assert lines[1]["reason"] == "timeout"
    await sink.close()


async def test_every_revision_has_lines_of_its_own(tmp_path):
    """A trace that is scored again adds scores under other ids; what was written stays."""
    engine = build_engine(parse_config({}))
    builder = TraceBuilder()
    builder.span("chat", **{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5})
    path = tmp_path / "scores.jsonl"
    sink = ScoresFile(path)
    written = b""
    for revision in (1, 2):
        await sink.write([engine.score(closed(builder, revision))])
        assert path.read_bytes().startswith(written)
        written = path.read_bytes()
    await sink.close()
    lines = [json.loads(line) for line in written.splitlines()]
    found = Counter((line["metric"], line["output"], line["revision"]) for line in lines)
    assert set(found.values()) == {1}
    assert {(metric, output, 3 - revision) for metric, output, revision in found} == set(found)
    assert len({line["id"] for line in lines}) == len(lines) > 2


async def test_a_write_is_in_the_file_when_it_returns(tmp_path):
    """Nothing waits in a buffer."""
    path = tmp_path / "scores.jsonl"
    sink = ScoresFile(path)
    await sink.write(TRACES[:1])
    assert len(path.read_bytes().splitlines()) == 2
    await sink.close()
    await sink.close()


async def test_equal_scores_give_equal_bytes(tmp_path):
    """How the scores are cut into writes does not show."""
    together, apart = ScoresFile(tmp_path / "together"), ScoresFile(tmp_path / "apart")
    await together.write(TRACES)
    for trace in TRACES:
        await apart.write([trace])
    assert (tmp_path / "together").read_bytes() == (tmp_path / "apart").read_bytes()
    await together.close()
    await apart.close()


async def test_a_file_is_appended_to_unless_told_otherwise(tmp_path):
    """A restart goes on where the file ends."""
    path = tmp_path / "scores.jsonl"
    for overwrite, lines in ((False, 2), (False, 4), (True, 2)):
        sink = ScoresFile(path, overwrite=overwrite)
        await sink.write(TRACES[:1])
        await sink.close()
        assert len(path.read_bytes().splitlines()) == lines


async def test_half_a_line_of_a_crash_spoils_no_other(tmp_path):
    """A new score starts on a line of its own."""
    path = tmp_path / "scores.jsonl"
    path.write_bytes(b'{"id":"x","met')
    sink = ScoresFile(path)
    await sink.write(TRACES[:1])
    await sink.close()
    first, *rest = path.read_bytes().splitlines()
    assert first == b'{"id":"x","met'
    assert [json.loads(line)["metric"] for line in rest] == ["a", "b"]


async def test_a_full_disk_is_retryable_and_leaves_no_half_line(tmp_path):
    """After the disk has room again, the repeated write gives the file it should have given."""
    path = tmp_path / "scores.jsonl"
    sink = ScoresFile(path)
    await sink.write(TRACES[:1])
    before = path.read_bytes()
    file = sink._file
    for _ in range(2):
        sink._file = FailingFile(file, room=100)
        with pytest.raises(RetryableError, match="No space left"):
            await sink.write(TRACES[2:])
        assert path.read_bytes() == before
    sink._file = file
    await sink.write(TRACES[2:])
    assert len(path.read_bytes().splitlines()) == 3
    assert path.read_bytes().startswith(before)
    await sink.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
async def test_a_device_that_is_full_is_retryable():
    """The error of the operating system comes through as one to try again."""
    sink = ScoresFile("/dev/full")
    with pytest.raises(RetryableError):
        await sink.write(TRACES[:1])
    await sink.close()


def test_the_sink_names_its_key_when_the_folder_is_missing(tmp_path):
    """A wrong path stops the start, with the key to change."""
    path = tmp_path / "missing" / "scores.jsonl"
    with pytest.raises(ConfigError, match=r"sinks\.jsonl\.path: cannot write .*missing"):
        JsonlSink(parse_config({"sinks": {"jsonl": {"path": str(path)}}}))
    with pytest.raises(ConfigError, match=r"sinks\.jsonl\.path is not set"):
        JsonlSink(Config())
    with pytest.raises(ConfigError, match="--scores"):
        ScoresFile(tmp_path)


async def test_the_sink_writes_where_the_configuration_says(tmp_path):
    """`sinks.jsonl.path` is the file."""
    path = tmp_path / "scores.jsonl"
    sink = JsonlSink(parse_config({"sinks": {"jsonl": {"path": str(path)}}}))
    await sink.write(TRACES)
    await sink.close()
    assert len(path.read_bytes().splitlines()) == 3
