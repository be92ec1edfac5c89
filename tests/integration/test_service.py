"""The whole service in this process, fed by the real SDK over each transport."""

import asyncio
import json
import random
import urllib.request
from contextlib import asynccontextmanager

import grpc.aio
import pytest
from opentelemetry.exporter.otlp.common.http import Compression as JsonCompression
from opentelemetry.exporter.otlp.json.http.trace_exporter import (
    OTLPSpanExporter as JsonExporter,
)
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from serving import ANY, ANY_PORTS, serving

from scorer.config import parse_config
from scorer.errors import ConfigError, SpanscoreError
from scorer.scoring import process as process_module
from scorer.service import Service
from scorer.testing import TraceBuilder

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


def settings(**sections):
    return ANY_PORTS | {
        "journal": {"enabled": False},  # tests of it say where it is to be
        "assembly": {"linger": "200ms"} | sections.pop("assembly", {}),
        "scoring": {"workers": 0} | sections.pop("scoring", {}),
        **sections,
    }


def running(**sections):
    """Run a service; on leaving it drains and its balance is checked."""
    return serving(**settings(**sections))


def grpc_exporter(service, **options):
    host, port = service.addresses["otlp_grpc"]
    return GrpcExporter(endpoint=f"{host}:{port}", insecure=True, **options)


def http_exporter(service, **options):
    host, port = service.addresses["otlp_http"]
    return HttpExporter(endpoint=f"http://{host}:{port}/v1/traces", **options)


def json_exporter(service, **options):
    host, port = service.addresses["otlp_http"]
    return JsonExporter(endpoint=f"http://{host}:{port}/v1/traces", **options)


EXPORTERS = {
    "grpc": grpc_exporter,
    "grpc-gzip": lambda s: grpc_exporter(s, compression=grpc.Compression.Gzip),
    "http": http_exporter,
    "http-gzip": lambda s: http_exporter(s, compression=Compression.Gzip),
    "json": json_exporter,
    "json-gzip": lambda s: json_exporter(s, compression=JsonCompression.GZIP),
}


def agent_spans():
    """Let the SDK make the spans of one agent run."""
    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = provider.get_tracer("test")
    context = "The warranty of the kettle is two years."
    with tracer.start_as_current_span("invoke_agent shop") as root:
        root.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"})
        with tracer.start_as_current_span("retrieval") as span:
            documents = [{"id": "1", "score": 0.9, "content": context}]
            span.set_attributes(
                {
                    "gen_ai.operation.name": "retrieval",
                    "gen_ai.retrieval.documents": json.dumps(documents),
                }
            )
        with tracer.start_as_current_span("execute_tool look_up") as span:
            span.set_attributes(
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "look_up",
                    "gen_ai.tool.call.result": "found",
                }
            )
        with tracer.start_as_current_span("chat m") as span:
            span.set_attributes(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "gpt-4o-mini",
                    "gen_ai.usage.input_tokens": 30,
                    "gen_ai.usage.output_tokens": 12,
                    "gen_ai.input.messages": messages("user", "How long is the warranty?"),
                    "gen_ai.output.messages": messages("assistant", context),
                }
            )
    provider.shutdown()
    return memory.get_finished_spans()


def messages(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


async def get(service, path):
    host, port = service.addresses["web"]

    def fetch():
        with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=5) as answer:
            return answer.read().decode()

    return await asyncio.to_thread(fetch)


async def scored(service, trace_id, seconds=5):
    """Return what the API says of a trace once it is scored."""
    for _ in range(int(seconds / 0.02)):
        try:
            document = json.loads(await get(service, f"/api/v1/traces/{trace_id}"))
        except urllib.error.HTTPError as error:
            error.close()
            document = {"state": "unknown"}
        if document["state"] not in {"open", "closed", "unknown"}:
            return document
        await asyncio.sleep(0.02)
    raise AssertionError(f"not scored in time: {document}")


def values(document):
    return {(s["metric"], s["output"]): (s["status"], s["value"]) for s in document["scores"]}


async def send(service, exporter, spans):
    result = await asyncio.to_thread(exporter.export, spans)
    assert result.name == "SUCCESS"


@pytest.mark.parametrize("transport", EXPORTERS)
async def test_spans_of_the_real_sdk_become_scores(transport):
    """Over each transport, on /metrics and in the API."""
    spans = agent_spans()
    async with running() as service:
        exporter = EXPORTERS[transport](service)
        await send(service, exporter, spans)
        document = await scored(service, f"{spans[0].context.trace_id:032x}")
        exporter.shutdown()
        found = values(document)
        assert found["token_usage", "value"] == ("scored", 42)
        assert found["tool_success", "value"] == ("scored", 1)
        assert found["hallucination_rate", "value"] == ("scored", 0)
        assert found["pii_leakage", "value"] == ("scored", 1)
        metrics = await get(service, "/metrics")
        assert 'spanscore_tokens_total{service="shop",type="input"} 30.0' in metrics
        assert (
            'spanscore_scores_total{metric="faithfulness",reason="",status="scored"} 1.0' in metrics
        )


async def test_a_split_shuffled_trace_scores_like_a_whole_one():
    """Three exporters, out of order, with duplicates: the same scores."""
    spans = list(agent_spans())
    async with running() as service:
        whole = grpc_exporter(service)
        await send(service, whole, spans)
        expected = values(await scored(service, f"{spans[0].context.trace_id:032x}"))
    async with running() as service:
        parts = spans + random.Random(7).sample(spans, 2)
        random.Random(3).shuffle(parts)
        for number, name in enumerate(("grpc", "http-gzip", "json")):
            await send(service, EXPORTERS[name](service), parts[number::3])
        found = values(await scored(service, f"{spans[0].context.trace_id:032x}"))
        assert service.telemetry.value("spanscore_duplicate_spans_total") == 2
    assert found == expected


async def test_a_late_span_joins_its_trace():
    """It comes after the close: the trace is scored again, as its second revision."""
    builder = TraceBuilder(5)
    root = builder.span("chat", **{"gen_ai.operation.name": "chat"})
    late = builder.span("more", parent=root)
    async with running() as service, channel_to(service) as export:
        await export(builder.request(root))
        await scored(service, builder.trace_id.hex())
        await export(builder.request(late))
        path = f"/api/v1/traces/{builder.trace_id.hex()}"
        async with asyncio.timeout(10):
            while (document := json.loads(await get(service, path)))["revision"] != 2:
                pass
        assert (document["span_count"], document["late_spans"]) == (2, 0)
        assert service.telemetry.value("spanscore_late_spans_total") == 1
        assert service.telemetry.value("spanscore_late_unjoined_spans_total") == 0
        assert service.telemetry.value("spanscore_traces_total") == 1


async def test_a_late_span_of_a_trace_that_is_not_kept_is_counted():
    """Late, unjoined, and no second trace."""
    builder = TraceBuilder(5)
    root = builder.span("chat", **{"gen_ai.operation.name": "chat"})
    late = builder.span("more", parent=root)
    async with running(assembly={"kept": "0B"}) as service, channel_to(service) as export:
        await export(builder.request(root))
        await scored(service, builder.trace_id.hex())
        await export(builder.request(late))
        document = json.loads(await get(service, f"/api/v1/traces/{builder.trace_id.hex()}"))
        assert document["late_spans"] == 1
        assert service.telemetry.value("spanscore_late_unjoined_spans_total") == 1


async def test_a_trace_that_is_no_agent_s_is_counted_and_not_scored():
    """A plain HTTP trace has a verdict, and no scores."""
    builder = TraceBuilder(6)
    builder.span("GET /", **{"http.request.method": "GET"})
    async with running() as service, channel_to(service) as export:
        await export(builder.request())
        document = await scored(service, builder.trace_id.hex())
        assert (document["state"], document["scores"]) == ("not_agent", [])


async def test_an_open_trace_is_explained():
    """Before it closes the API says that it is open, and how many spans it has."""
    builder = TraceBuilder(7)
    child = builder.span("chat", parent=b"87654321", **{"gen_ai.operation.name": "chat"})
    async with running() as service, channel_to(service) as export:
        await export(builder.request(child))
        document = json.loads(await get(service, f"/api/v1/traces/{builder.trace_id.hex()}"))
        assert (document["state"], document["span_count"]) == ("open", 1)


@asynccontextmanager
async def channel_to(service):
    """Give an `export(body)` over a raw gRPC channel."""
    host, port = service.addresses["otlp_grpc"]
    async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
        yield channel.unary_unary(EXPORT)


async def test_bad_spans_are_rejected_alone():
    """Zero ids: partial success with a count; the good span is scored."""
    builder = TraceBuilder(8)
    good = builder.span("chat", **{"gen_ai.operation.name": "chat"})
    bad = builder.span("bad", parent=good, span_id=bytes(8))
    async with running() as service, channel_to(service) as export:
        answer = await export(builder.request(good, bad))
        assert answer != b""
        assert (await scored(service, builder.trace_id.hex()))["span_count"] == 1
        assert service.telemetry.value("spanscore_refused_spans_total", reason="invalid") == 1


async def test_garbage_is_refused_and_the_service_goes_on():
    """INVALID_ARGUMENT, counted; the next request is taken."""
    builder = TraceBuilder(9)
    builder.span("chat", **{"gen_ai.operation.name": "chat"})
    async with running() as service, channel_to(service) as export:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await export(b"\xff\xff\xff")
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        await export(builder.request())
        await scored(service, builder.trace_id.hex())
        count = service.telemetry.value("spanscore_requests_total", code="INVALID_ARGUMENT")
        assert count == 1


async def is_refused(export, builder):
    """Send a trace; say whether the service asks to send it again later."""
    try:
        await export(builder.request())
    except grpc.aio.AioRpcError as error:
        code = error.code()
    else:
        return False
    assert code is grpc.StatusCode.UNAVAILABLE
    return True


async def test_a_full_budget_refuses_then_recovers():
    """UNAVAILABLE while the budget is full; after the traces closed there is room again."""
    limits = {"memory": "64KiB", "idle_timeout": "300ms"}
    async with running(assembly=limits) as service, channel_to(service) as export:
        refusals = 0
        for number in range(1, 30):
            builder = TraceBuilder(number)
            builder.span("chat", parent=b"12345678", padding="x" * 4000)
            refusals += await is_refused(export, builder)
        assert refusals > 5
        refused = service.telemetry.value("spanscore_refused_spans_total", reason="memory")
        assert refused == refusals
        await asyncio.sleep(0.6)
        builder = TraceBuilder(99)
        builder.span("chat", **{"gen_ai.operation.name": "chat"})
        await export(builder.request())
        await scored(service, builder.trace_id.hex())


async def test_a_full_budget_of_endless_traces_is_relieved():
    """Traces that would stay open for hours are closed early, with a reason, to let others in."""
    limits = {"memory": "64KiB", "idle_timeout": "1h"}
    async with running(assembly=limits) as service, channel_to(service) as export:
        accepted = 0
        for number in range(1, 200):
            builder = TraceBuilder(number)
            builder.span("chat", parent=b"12345678", padding="x" * 4000)
            if await is_refused(export, builder):
                await asyncio.sleep(0.05)
            else:
                accepted += 1
            if accepted > 20:
                break
        closed = service.telemetry.by_label("spanscore_closed_traces_total", "reason")
        assert accepted > 20
        assert set(closed) == {"memory"}


async def test_log_records_give_a_trace_its_content():
    """Messages that the SDK exported as log records are part of the view."""
    builder = TraceBuilder(11)
    span = builder.span(
        "chat m",
        **{"gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.request.model": "m"},
    )
    builder.log("gen_ai.user.message", {"content": "Mail me at ann@example.org?"}, span=span)
    builder.log(
        "gen_ai.choice",
        {"index": 0, "message": {"role": "assistant", "content": "Write to bob@example.org."}},
        span=span,
    )
    logs = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
    async with running() as service:
        host, port = service.addresses["otlp_grpc"]
        async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
            await channel.unary_unary(logs)(builder.log_request())
            await channel.unary_unary(EXPORT)(builder.request())
        found = values(await scored(service, builder.trace_id.hex()))
        status, value = found["pii_leakage", "value"]
        assert status == "scored"
        assert value < 1
        assert service.telemetry.by_label("spanscore_log_records_total", "outcome") == {"joined": 2}


async def test_an_end_marker_closes_at_once():
    """`spanscore.trace.end = true` needs no linger."""
    builder = TraceBuilder(12)
    builder.span("chat", **{"gen_ai.operation.name": "chat", "spanscore.trace.end": True})
    async with running(assembly={"linger": "1h"}) as service, channel_to(service) as export:
        await export(builder.request())
        document = await scored(service, builder.trace_id.hex())
        assert document["close_reason"] == "end_marker"


async def test_stopping_closes_and_scores_what_is_open():
    """Shutdown drains: the trace is scored with reason `shutdown`."""
    builder = TraceBuilder(13)
    builder.span("chat", parent=b"12345678", **{"gen_ai.operation.name": "chat"})
    async with running(assembly={"idle_timeout": "1h"}) as service, channel_to(service) as export:
        await export(builder.request())
    assert service.telemetry.by_label("spanscore_closed_traces_total", "reason") == {"shutdown": 1}
    assert service.telemetry.value("spanscore_scored_spans_total") == 1


async def test_a_service_can_have_timers_of_its_own():
    """assembly.overrides are looked up by service.name."""
    slow, quick = TraceBuilder(14, service="slow"), TraceBuilder(15, service="quick")
    for builder in (slow, quick):
        builder.span("chat", **{"gen_ai.operation.name": "chat"})
    overrides = [{"service": "slow", "linger": "1h"}]
    async with running(assembly={"overrides": overrides}) as service, channel_to(service) as export:
        await export(slow.request())
        await export(quick.request())
        await scored(service, quick.trace_id.hex())
        document = json.loads(await get(service, f"/api/v1/traces/{slow.trace_id.hex()}"))
        assert document["state"] == "open"


async def test_a_taken_port_is_a_clear_error():
    """The error names the endpoint and its key, and nothing stays open."""
    async with running() as service:
        host, port = service.addresses["otlp_grpc"]
        taken = settings()
        taken["receivers"] = {"otlp": {"grpc": {"endpoint": f"{host}:{port}"}, "http": ANY}}
        other = Service(parse_config(taken))
        with pytest.raises(ConfigError, match=rf"{port}.*receivers\.otlp\.grpc\.endpoint"):
            await other.start()


async def test_a_service_whose_workers_do_not_start_ends_with_an_error(monkeypatch):
    """It must not sit there and quarantine everything."""
    monkeypatch.setattr(process_module, "_START_TIMEOUT_S", 0.0)
    service = Service(parse_config(settings(scoring={"workers": 2})))
    await service.start()
    with pytest.raises(SpanscoreError, match="no scoring worker starts"):
        await service.run(asyncio.Event())
