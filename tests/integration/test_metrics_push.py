"""The push of series to a real OTLP server, over each transport."""

import asyncio
import subprocess
import sys

import grpc
import grpc.aio
import pytest
from aiohttp import web
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

from scorer.config import parse_config, to_plain
from scorer.errors import ConfigError
from scorer.service import Service
from scorer.sinks.otlp import metrics_push
from scorer.sinks.otlp.metrics_push import MetricsPush
from scorer.telemetry import Telemetry

EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
OK = ExportMetricsServiceResponse().SerializeToString()


class Backend:
    """Keeps the requests it gets over gRPC or HTTP."""

    def __init__(self):
        self.requests, self.headers, self.refuse = [], [], False
        self.arrived = asyncio.Event()

    def take(self, body, headers):
        self.requests.append(ExportMetricsServiceRequest.FromString(body))
        self.headers.append(headers)
        self.arrived.set()

    async def over_grpc(self):
        async def handle(body, context):
            self.take(body, dict(context.invocation_metadata()))
            if self.refuse:
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")
            return OK

        class Handler(grpc.GenericRpcHandler):
            def service(self, details):
                return grpc.unary_unary_rpc_method_handler(handle)

        server = grpc.aio.server()
        server.add_generic_rpc_handlers([Handler()])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        return f"127.0.0.1:{port}", lambda: server.stop(0)

    async def over_http(self):
        async def handle(request):
            self.take(await request.read(), dict(request.headers))
            return web.Response(status=400 if self.refuse else 200, body=OK)

        application = web.Application()
        application.add_routes([web.post("/v1/metrics", handle)])
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0]
        return f"http://{host}:{port}", runner.cleanup


@pytest.fixture(params=["grpc", "http"])
async def backend(request):
    made = Backend()
    start = made.over_grpc if request.param == "grpc" else made.over_http
    made.endpoint, stop = await start()
    made.protocol = request.param
    yield made
    await stop()


def push_to(backend, telemetry, **settings):
    settings = {"endpoint": backend.endpoint, "protocol": backend.protocol} | settings
    config = parse_config({"sinks": {"otlp_metrics": settings}})
    return MetricsPush(config.sinks.otlp_metrics, telemetry)


def value(request, name):
    for scoped in request.resource_metrics[0].scope_metrics:
        for metric in scoped.metrics:
            if metric.name == name:
                return metric.sum.data_points[0].as_double
    return None


async def test_series_arrive_with_headers(backend):
    """The numbers of this moment, and who sends them."""
    telemetry = Telemetry()
    telemetry.add("spanscore_offered_spans_total", 3)
    push = push_to(backend, telemetry, headers={"Authorization": "Bearer t-1"})
    assert await push.push()
    await push.close()
    assert [value(r, "spanscore_offered_spans_total") for r in backend.requests] == [3, 3]
    headers = {name.lower(): text for name, text in backend.headers[0].items()}
    assert headers["authorization"] == "Bearer t-1"
    resource = backend.requests[0].resource_metrics[0].resource
    names = {a.key: a.value.string_value for a in resource.attributes}
    assert names["service.name"] == "spanscore"
    assert names["service.instance.id"]


async def test_a_refused_push_is_counted_and_the_next_one_makes_up_for_it(backend):
    """Series are cumulative."""
    telemetry = Telemetry()
    telemetry.add("spanscore_offered_spans_total", 3)
    push = push_to(backend, telemetry)
    backend.refuse = True
    assert not await push.push()
    assert telemetry.value("spanscore_sink_errors_total", sink="OtlpMetrics") == 1
    backend.refuse = False
    telemetry.add("spanscore_offered_spans_total", 2)
    await push.close()
    assert value(backend.requests[-1], "spanscore_offered_spans_total") == 5


async def test_a_service_pushes_while_it_runs_and_at_its_end(backend):
    """What is scored while it drains is not lost to the target."""
    any_port = {"endpoint": "127.0.0.1:0"}
    sink = {"endpoint": backend.endpoint, "protocol": backend.protocol, "interval": "50ms"}
    config = {
        "receivers": {"otlp": {"grpc": any_port, "http": any_port}},
        "web": any_port,
        "journal": {"enabled": False},
        "scoring": {"workers": 0},
        "sinks": {"otlp_metrics": sink},
    }
    service = Service(parse_config(config))
    await service.start()
    stop = asyncio.Event()
    task = asyncio.create_task(service.run(stop))
    await asyncio.wait_for(backend.arrived.wait(), 10)
    service.telemetry.add("spanscore_offered_spans_total", 9)
    stop.set()
    await task
    assert value(backend.requests[-1], "spanscore_offered_spans_total") == 9


async def test_a_target_that_is_down_holds_up_nothing(backend):
    """A push that cannot arrive ends after `timeout`, and so does the stop."""
    backend.endpoint = backend.endpoint.rpartition(":")[0] + ":1"
    telemetry = Telemetry()
    push = push_to(backend, telemetry, timeout="200ms")
    assert not await push.push()
    await push.close()
    assert telemetry.value("spanscore_sink_errors_total", sink="OtlpMetrics") >= 1


def test_the_headers_are_secret():
    """They hold tokens."""
    config = parse_config({"sinks": {"otlp_metrics": {"headers": {"authorization": "t-1"}}}})
    assert to_plain(config)["sinks"]["otlp_metrics"]["headers"] == {"authorization": "***"}
    assert "t-1" not in repr(config)


def test_without_the_sdk_the_start_says_what_to_install(monkeypatch):
    """The base install has none."""
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.grpc.metric_exporter", None)
    config = parse_config({"sinks": {"otlp_metrics": {"endpoint": "127.0.0.1:4317"}}})
    with pytest.raises(ConfigError, match=r"pip install 'spanscore\[otlp-metrics\]'"):
        Service(config)


def test_the_sdk_is_not_loaded_unless_it_is_asked_for():
    """A start without a push costs nothing of it."""
    program = "import sys, scorer.service; print([m for m in sys.modules if '.sdk' in m])"
    found = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("endpoint", "insecure", "plain"),
    [
        ("127.0.0.1:4317", None, True),
        ("collector:4317", None, False),
        ("collector:4317", True, True),
        ("http://collector:4317", None, True),
        ("https://127.0.0.1:4317", None, False),
    ],
)
def test_plain_text_leaves_this_machine_only_when_told(endpoint, insecure, plain):
    """A bare name means TLS."""
    assert metrics_push._is_plain(endpoint, insecure) is plain


def test_a_missing_ca_is_told(tmp_path):
    """With its path."""
    settings = {"endpoint": "collector:4317", "ca_file": str(tmp_path / "none.pem")}
    config = parse_config({"sinks": {"otlp_metrics": settings}})
    with pytest.raises(ConfigError, match=r"none\.pem"):
        MetricsPush(config.sinks.otlp_metrics, Telemetry())
