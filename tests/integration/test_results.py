"""The whole service in `results` mode, with real backends and with another Spanscore behind it."""

import asyncio
from functools import partial

import forwarding
import grpc.aio
import pytest
from forwarding import until
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2
from otlp_servers import OK, UNAVAILABLE, UNKNOWN_SIGNAL, GrpcServer, HttpServer

from scorer.testing import TraceBuilder

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
target = partial(forwarding.target, mode="results")
running = partial(forwarding.running, metrics=("latency", "token_usage"), idle_timeout="500ms")
SENT = {"latency", "token_usage", "token_usage.input"}


@pytest.fixture(params=["grpc", "http"])
async def backend(request):
    """A backend that takes everything."""
    server = GrpcServer() if request.param == "grpc" else HttpServer()
    server.protocol = request.param
    await server.start()
    yield server
    await server.stop()


def agent(number=1):
    trace = TraceBuilder(number, service="shop")
    root = trace.span("invoke_agent", **{"gen_ai.operation.name": "invoke_agent"})
    trace.span(
        "chat",
        parent=root,
        **{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5},
    )
    return trace


async def send(service, body):
    host, port = service.addresses["otlp_grpc"]
    async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
        await channel.unary_unary(EXPORT)(body)


def spans_of(backend):
    data = [trace_pb2.TracesData.FromString(body) for body in backend.bodies("traces")]
    groups = (group for request in data for group in request.resource_spans)
    return [span for group in groups for scoped in group.scope_spans for span in scoped.spans]


def events_of(backend):
    data = [logs_pb2.LogsData.FromString(body) for body in backend.bodies("logs")]
    groups = (group for request in data for group in request.resource_logs)
    return [one for group in groups for scoped in group.scope_logs for one in scoped.log_records]


def names_of(records):
    return {record.attributes[0].value.string_value for record in records}


async def test_events_and_linked_evaluator_spans_arrive(backend, tmp_path):
    """One of each for each score, and nothing of the trace itself."""
    trace = agent()
    async with running(tmp_path, target(backend)) as service:
        await send(service, trace.request())
        await until(lambda: len(events_of(backend)) == len(SENT) == len(spans_of(backend)))
    root = (trace.trace_id, trace.spans[0].span_id)
    assert names_of(events_of(backend)) == SENT
    assert {(record.trace_id, record.span_id) for record in events_of(backend)} == {root}
    assert {(k.trace_id, k.span_id) for span in spans_of(backend) for k in span.links} == {root}
    assert trace.trace_id not in {span.trace_id for span in spans_of(backend)}


async def test_a_late_span_brings_the_scores_of_a_revision(backend, tmp_path):
    """Under ids of their own, linked to the same root."""
    trace = agent()
    async with running(tmp_path, target(backend)) as service:
        await send(service, trace.request(trace.spans[0]))
        await until(lambda: spans_of(backend))
        await send(service, trace.request(trace.spans[1]))
        await until(lambda: len({span.span_id for span in spans_of(backend)}) > len(SENT))
    assert len({(k.trace_id, k.span_id) for s in spans_of(backend) for k in s.links}) == 1


async def test_what_a_target_did_not_take_is_sent_after_the_next_start(backend, tmp_path):
    """The same scores, with the same ids: the journal keeps the trace until they are taken."""
    backend.will_say(UNAVAILABLE)
    async with running(tmp_path, target(backend), stop_within="300ms") as service:
        await send(service, agent().request())
        await until(backend.bodies)
        assert service.telemetry.value("spanscore_scored_spans_total") == 2
    refused = {span.span_id for span in spans_of(backend)}
    backend.seen.clear()
    backend.will_say(OK)
    async with running(tmp_path, target(backend)):
        await until(lambda: len(events_of(backend)) == len(SENT) == len(spans_of(backend)))
    assert {span.span_id for span in spans_of(backend)} == refused


async def test_a_backend_without_logs_gets_the_spans(backend, tmp_path):
    """What it refuses for good is counted, and holds up nothing."""
    backend.will_say(UNKNOWN_SIGNAL)
    async with running(tmp_path, target(backend)) as service:
        await send(service, agent().request())
        await until(lambda: service.telemetry.value("spanscore_otlp_lost_items_total") >= 2)
        await until(lambda: not service._pipeline.unforwarded_traces)


async def test_a_second_spanscore_scores_nothing_of_it(tmp_path):
    """It counts what came: no agent's spans, and events that hold no trace."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with running(tmp_path / "b") as second:
        host, port = second.addresses["otlp_grpc"]
        second_target = {"endpoint": f"{host}:{port}", "mode": "results", "retry": forwarding.FAST}
        async with running(tmp_path / "a", second_target) as first:
            await send(first, agent().request())
            value = second.telemetry.value
            await until(lambda: value("spanscore_not_agent_traces_total") == len(SENT))
        assert value("spanscore_log_records_total", outcome="evaluation") == len(SENT)
        assert value("spanscore_closed_traces_total") == len(SENT)
        assert value("spanscore_scored_spans_total") == 0
        assert value("spanscore_scores_total") == 0


async def test_scores_after_the_hold_follow_by_themselves(backend, tmp_path):
    """A trace that was passed on without them is not sent again."""
    async with running(tmp_path, target(backend, mode="forward", hold_timeout="0s")) as service:
        score, held = service._scorer.score, asyncio.Event()

        async def slow(batch):
            await held.wait()
            return await score(batch)

        service._scorer.score = slow
        await send(service, agent().request())
        await until(lambda: len(spans_of(backend)) == 2)
        held.set()
        await until(lambda: len(events_of(backend)) == len(SENT))
        await until(lambda: len(spans_of(backend)) == 2 + len(SENT))
    assert names_of(events_of(backend)) == SENT


async def test_forward_passes_the_scores_of_others_on(backend, tmp_path):
    """They belong to no trace of ours, and are not ours to drop."""
    scores = TraceBuilder(9, service="spanscore")
    scores.log("gen_ai.evaluation.result", None, span=scores.span("target"))
    async with running(tmp_path, target(backend, mode="forward")) as service:
        host, port = service.addresses["otlp_grpc"]
        async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
            export = EXPORT.replace("trace.v1.Trace", "logs.v1.Logs")
            await channel.unary_unary(export)(scores.log_request())
        await until(lambda: events_of(backend))
        assert service.telemetry.value("spanscore_open_traces") == 0
    assert [record.event_name for record in events_of(backend)] == ["gen_ai.evaluation.result"]
