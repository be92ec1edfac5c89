"""Stored spans: the same scores each time, for any number of workers, and as live."""

import gzip
import json
from contextlib import contextmanager

import grpc.aio
import pytest
from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from serving import serving

from scorer.config import parse_config
from scorer.errors import ConfigError, PermanentError, SpanscoreError
from scorer.receivers.replay import replay as run_replay
from scorer.scoring import process as process_module
from scorer.sinks.jsonl import ScoresFile
from scorer.testing import RecordingSink, TraceBuilder, assert_balanced

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


def config(**sections):
    return parse_config({"scoring": {"workers": 0}} | sections)


def agent_trace(number, *, minutes=0, answer="The kettle has two years of warranty."):
    """One RAG run, `minutes` after the first."""
    start = 1_700_000_000_000_000_000 + minutes * 60 * 10**9
    builder = TraceBuilder(number, service=f"shop-{number % 3}", start_ns=start)
    message = [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
    root = builder.span(
        "invoke_agent",
        **{"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": json.dumps(message)},
    )
    builder.span(
        "retrieve",
        parent=root,
        **{
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.content": "The kettle has two years of warranty.",
        },
    )
    builder.span(
        "chat",
        parent=root,
        **{
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.usage.input_tokens": 10 + number,
            "gen_ai.usage.output_tokens": 5,
        },
    )
    return builder


@pytest.fixture
def recording(tmp_path):
    """A folder with ten traces in two files (one gzipped), ten minutes apart."""
    folder = tmp_path / "spans"
    folder.mkdir()
    builders = [agent_trace(n, minutes=10 * n) for n in range(1, 11)]
    (folder / "a.pb").write_bytes(b"".join(length_prefixed(b.request()) for b in builders[::2]))
    with gzip.open(folder / "b.pb.gz", "wb") as file:
        file.writelines(length_prefixed(b.request()) for b in builders[1::2])
    (folder / "notes.txt").write_text("no spans in here\n")
    return folder


def length_prefixed(body):
    """The collector's file exporter: four bytes of length, big-endian, then the request."""
    return len(body).to_bytes(4, "big") + body


async def replay(*args, **options):
    """Replay, and check that every span is accounted for."""
    summary = await run_replay(*args, **options)
    assert_balanced(summary.spans)
    return summary


async def scores_of(folder, out, **sections):
    summary = await replay(config(**sections), [str(folder)], sinks=[ScoresFile(out)])
    return summary, out.read_bytes()


async def test_a_replay_writes_the_same_bytes_for_any_number_of_workers(recording, tmp_path):
    """Twice in this process, once with two workers."""
    runs = [
        await scores_of(recording, tmp_path / f"{name}.jsonl", scoring={"workers": workers})
        for name, workers in (("one", 0), ("two", 0), ("three", 2))
    ]
    first = runs[0][1]
    assert len(first.splitlines()) > 100
    assert all(data == first for _, data in runs)


async def test_live_sending_gives_the_same_values(recording, tmp_path):
    """The spans of the replay, sent over gRPC: equal but for the reason of the close."""
    _, data = await scores_of(recording, tmp_path / "replay.jsonl")
    live = tmp_path / "live.jsonl"
    settings = {
        "scoring": {"workers": 0},
        "assembly": {"linger": "100ms"},
        "sinks": {"jsonl": {"path": str(live)}},
        "state_dir": str(tmp_path / "state"),
    }
    async with serving(**settings) as service:
        host, port = service.addresses["otlp_grpc"]
        async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
            for number in range(1, 11):
                body = agent_trace(number, minutes=10 * number).request()
                await channel.unary_unary(EXPORT)(body)
    assert by_id(live.read_bytes()) == by_id(data)


def by_id(data):
    """Return id -> score, without how the trace came to its end."""
    scores = [json.loads(line) for line in data.splitlines()]
    return {score["id"]: score | {"close_reason": None} for score in scores}


async def test_the_summary_accounts_for_every_span(recording, tmp_path):
    """Offered, accepted, closed, scored; files without spans are named."""
    summary, _ = await scores_of(recording, tmp_path / "out.jsonl")
    assert summary.spans["offered"] == summary.spans["scored"] == 30
    assert summary.traces["closed"] == 10
    assert summary.files == 2
    assert [path.endswith("notes.txt") for path in summary.skipped_files] == [True]
    (usage,) = [m for m in summary.metrics if (m.metric, m.output) == ("token_usage", "value")]
    assert (usage.scored, usage.mean) == (10, 20.5)  # (10 + n) + 5 for n = 1 .. 10


async def test_traces_close_by_the_time_in_the_spans(recording, tmp_path):
    """A trace is over when spans from `linger` + `lateness` later have been read."""
    summary, _ = await scores_of(recording, tmp_path / "a.jsonl", replay={"lateness": "1m"})
    assert summary.closed_by_reason == {"replay_end": 1, "root": 9}
    summary, _ = await scores_of(recording, tmp_path / "b.jsonl", replay={"lateness": "5h"})
    assert summary.closed_by_reason == {"replay_end": 10}


async def test_a_trace_split_over_files_is_whole(tmp_path):
    """Files are merged by the time in them, so both halves are read in time."""
    builder = agent_trace(1)
    (tmp_path / "z.pb").write_bytes(length_prefixed(builder.request(*builder.spans[:1])))
    others = [agent_trace(n, minutes=60 * n).request() for n in range(2, 6)]
    tail = [builder.request(*builder.spans[1:]), *others]
    (tmp_path / "a.pb").write_bytes(b"".join(map(length_prefixed, tail)))
    sink = RecordingSink()
    await replay(config(), [str(tmp_path)], sinks=[sink])
    assert sink.traces[0].trace_id == builder.trace_id.hex()
    assert sink.traces[0].completeness.span_count == 3


async def test_a_window_selects_the_traces_that_ended_in_it(recording):
    """`since` is inclusive, `until` is not."""
    start = 1_700_000_000_000_000_000
    sink = RecordingSink()
    summary = await replay(
        config(),
        [str(recording)],
        sinks=[sink],
        since_ns=start + 20 * 60 * 10**9,
        until_ns=start + 50 * 60 * 10**9,
    )
    assert [int(trace.trace_id, 16) for trace in sink.traces] == [2, 3, 4]
    assert summary.outside_window == 7


async def test_a_budget_smaller_than_the_recording_still_scores_it_all(recording, tmp_path):
    """A file cannot be asked to send again, so what is oldest is closed early, with a reason."""
    summary, _ = await scores_of(
        recording, tmp_path / "o.jsonl", assembly={"memory": "6KiB"}, replay={"lateness": "5h"}
    )
    assert summary.spans["scored"] == summary.spans["offered"] == 30
    assert summary.closed_by_reason["memory"] > 5


async def test_a_missing_source_and_a_file_without_spans_are_clear_errors(tmp_path):
    """Named files must be good; the error names them."""
    with pytest.raises(ConfigError, match=r"gone\.jsonl: no such file or folder"):
        await replay(config(), [str(tmp_path / "gone.jsonl")])
    bad = tmp_path / "bad.jsonl"
    bad.write_text("hello\n")
    with pytest.raises(PermanentError, match=r"bad\.jsonl"):
        await replay(config(), [str(bad)])


@contextmanager
def sdk_writing_to(path):
    """The SDK's own file exporter."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
    yield provider.get_tracer("test")
    provider.shutdown()


async def test_what_the_sdk_writes_to_a_file_is_read(tmp_path):
    """OTLP/JSON lines of opentelemetry's file exporter."""
    path = tmp_path / "spans.jsonl"
    with sdk_writing_to(path) as tracer, tracer.start_as_current_span("chat") as span:
        span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 4})
    sink = RecordingSink()
    await replay(config(), [str(path)], sinks=[sink])
    assert sink.traces[0].verdict == "scored"


async def test_a_scores_file_that_cannot_be_written_stops_the_replay(recording):
    """An incomplete file would mislead; the error names it and what to do."""
    with pytest.raises(SpanscoreError, match=r"/dev/full.*No space left"):
        await replay(config(), [str(recording)], sinks=[ScoresFile("/dev/full")])


async def test_workers_that_do_not_start_are_a_clear_error(recording, monkeypatch):
    """Not thousands of quarantined traces."""
    monkeypatch.setattr(process_module, "_START_TIMEOUT_S", 0.0)
    with pytest.raises(SpanscoreError, match="no scoring worker starts"):
        await replay(config(scoring={"workers": 1}), [str(recording)])
