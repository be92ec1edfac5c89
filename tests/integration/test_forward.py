"""The whole service between an agent and a real backend."""

import json
from hashlib import sha256

import grpc.aio
import pytest
from forwarding import running, target, until
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2
from opentelemetry.proto.trace.v1 import trace_pb2
from otlp_servers import OK, UNAVAILABLE, GrpcServer, HttpServer

from scorer.otlp.split import split_logs, split_traces
from scorer.testing import TraceBuilder

EXPORT = "/opentelemetry.proto.collector.{}.v1.{}Service/Export"
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5}


@pytest.fixture(params=["grpc", "http"])
async def backend(request):
    """A backend that takes everything, and says by which protocol."""
    server = GrpcServer() if request.param == "grpc" else HttpServer()
    server.protocol = request.param
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def down():
    """A second backend."""
    server = GrpcServer()
    server.protocol = "grpc"
    await server.start()
    yield server
    await server.stop()


async def send(service, body, signal="traces"):
    names = {
        "traces": ("trace", "Trace"),
        "logs": ("logs", "Logs"),
        "metrics": ("metrics", "Metrics"),
    }
    host, port = service.addresses["otlp_grpc"]
    async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
        await channel.unary_unary(EXPORT.format(*names[signal]))(body, timeout=5)


def trace(number, **attributes):
    builder = TraceBuilder(number)
    root = builder.span("agent", **(attributes or CHAT))
    builder.span("child", parent=root)
    return builder


def scored_traces(folder):
    rows = map(json.loads, (folder / "scores").read_text().splitlines())
    return {row["trace_id"] for row in rows}


def spans(backend):
    return [span for body in backend.bodies() for span in split_traces(body).spans]


def attributes_of(wire):
    pairs = trace_pb2.Span.FromString(wire).attributes
    return {p.key: getattr(p.value, p.value.WhichOneof("value")) for p in pairs}


async def test_a_trace_arrives_once_whole_with_its_scores(tmp_path, backend):
    """Under the resource and the scope that it was sent with."""
    builder = trace(1)
    sent = split_traces(builder.request()).spans
    async with running(tmp_path, target(backend)) as service:
        await send(service, builder.request())
        await until(backend.bodies)
    root, child = spans(backend)
    assert child == sent[1]
    assert root.envelope == sent[0].envelope
    assert root.wire.startswith(sent[0].wire)
    assert attributes_of(root.wire)["spanscore.score.latency"] == 1.0


async def test_what_belongs_to_no_agent_and_to_no_trace_arrives_unchanged(tmp_path, backend):
    """Other traces, log records, metrics, and spans that come too late."""
    other, late = trace(2, **{"http.method": "GET"}), TraceBuilder(2)
    late.span("late", parent=b"p" * 8, span_id=b"l" * 8)
    logs = logs_pb2.LogsData()
    logs.resource_logs.add().scope_logs.add().log_records.add(event_name="of no trace")
    metrics = metrics_pb2.MetricsData()
    metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="m").gauge.data_points.add()
    async with running(tmp_path, target(backend), kept="0B") as service:
        await send(service, logs.SerializeToString(), "logs")
        await send(service, metrics.SerializeToString(), "metrics")
        await send(service, other.request())
        await until(lambda: len(spans(backend)) == 2)
        await send(service, late.request())
        await until(lambda: len(spans(backend)) == 3)
    expected = split_traces(other.request()).spans + split_traces(late.request()).spans
    assert spans(backend) == expected
    assert backend.bodies("metrics") == [metrics.SerializeToString()]
    (body,) = backend.bodies("logs")
    assert split_logs(body) == split_logs(logs.SerializeToString())
    assert service.telemetry.by_label("spanscore_passed_on_total", "signal") == {
        "logs": 1,
        "metrics": 1,
        "traces": 1,
    }


async def test_failing_traces_are_kept_and_the_others_are_sampled(tmp_path, backend):
    """What is kept says how likely that was."""
    failed = TraceBuilder(2)
    failed.span("agent", error="no answer", **CHAT)
    sampled = target(backend, sampling={"keep_failing": True, "share": 0.0})
    async with running(tmp_path, sampled) as service:
        await send(service, trace(1).request())
        await send(service, failed.request())
    (kept,) = spans(backend)
    assert kept.trace_id == failed.trace_id
    assert attributes_of(kept.wire)["spanscore.sampling.probability"] == 1.0
    assert service.telemetry.value("spanscore_dropped_traces_total", reason="share") == 1


async def test_while_one_backend_is_down_the_others_and_the_sinks_go_on(tmp_path, backend, down):
    """What it did not take is sent when it is there again; the journal waits for it."""
    down.will_say(UNAVAILABLE)
    async with running(tmp_path, target(backend), target(down)) as service:
        for number in range(1, 6):
            await send(service, trace(number).request())
            await until(lambda n=number: len(spans(backend)) == 2 * n)
        await until(lambda: len(scored_traces(tmp_path)) == 5)
        service.telemetry.snapshot()
        assert service.telemetry.value("spanscore_unforwarded_traces") == 5
        assert service.telemetry.value("spanscore_journal_pinned_records") == 5
        down.seen.clear()
        down.will_say(OK)
        await until(lambda: len(spans(down)) == 10)
    assert sorted(spans(down)) == sorted(spans(backend))


async def test_when_the_memory_is_full_senders_are_refused_and_nothing_is_lost(tmp_path, backend):
    """Beyond what may wait; each trace that was acknowledged arrives, once."""
    backend.will_say(UNAVAILABLE)
    taken, refused = [], []
    async with running(tmp_path, target(backend, queue_size="1KiB"), memory="64KiB") as service:
        for number in range(1, 100):
            try:
                await send(service, trace(number, **CHAT, pad="x" * 2000).request())
                taken.append(number)
            except grpc.aio.AioRpcError as error:
                refused.append(error.code())
        backend.seen.clear()
        backend.will_say(OK)
        await until(lambda: len(spans(backend)) >= 2 * len(taken))
    assert len(refused) > 50
    assert set(refused) == {grpc.StatusCode.UNAVAILABLE}
    arrived = [int.from_bytes(span.trace_id, "big") for span in spans(backend)]
    assert sorted(arrived) == sorted(taken * 2)


async def test_what_is_not_delivered_at_the_end_is_after_the_next_start(tmp_path, backend):
    """The journal has it: traces with the same scores, and what belongs to none."""
    backend.will_say(UNAVAILABLE)
    metrics = metrics_pb2.MetricsData()
    metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="m").gauge.data_points.add()
    async with running(tmp_path, target(backend), stop_within="1s") as service:
        await send(service, trace(1).request())
        await send(service, metrics.SerializeToString(), "metrics")
        await until(backend.seen.__len__)
    backend.seen.clear()
    backend.will_say(OK)
    async with running(tmp_path, target(backend)) as service:
        await until(lambda: backend.bodies() and backend.bodies("metrics"))
    root, _ = spans(backend)
    assert attributes_of(root.wire)["spanscore.score.latency"] == 1.0
    assert backend.bodies("metrics") == [metrics.SerializeToString()]
    backend.seen.clear()
    async with running(tmp_path, target(backend)) as service:
        await send(service, trace(2).request())
        await until(lambda: spans(backend))
    assert {span.trace_id[-1] for span in spans(backend)} == {2}
    assert backend.bodies("metrics") == []


def session():
    data = logs_pb2.LogsData()
    records = data.resource_logs.add().scope_logs.add().log_records
    usage = {"event.kind": "response.completed", "input_token_count": "5"}
    for number, (name, fields) in enumerate(
        [("codex.user_prompt", {"prompt": "q"}), ("codex.sse_event", usage)]
    ):
        record = records.add(event_name=name, time_unix_nano=10**18 + number * 10**9)
        for key, value in {"conversation.id": "c-1", **fields}.items():
            record.attributes.add(key=key).value.string_value = value
    return data.SerializeToString()


async def test_a_session_in_log_records_is_scored_and_passed_on_once(tmp_path, backend):
    """Without a trace id it would only be passed on."""
    async with running(tmp_path, target(backend), idle_timeout="200ms") as service:
        await send(service, session(), "logs")
        await until(lambda: service.telemetry.value("spanscore_closed_traces_total") >= 1)
    wires = [item for body in backend.bodies("logs") for item in split_logs(body).records]
    codex = [entry for entry in wires if b"codex." in entry.wire]
    assert len(codex) == 2
    assert scored_traces(tmp_path) == {sha256(b"c-1").hexdigest()[:32]}
