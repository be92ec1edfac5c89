"""Three times what can be scored, and more: what is taken is scored, the rest is told to wait."""

import os
import threading
import time

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from scorer.testing import TraceBuilder, assert_scrape_balance

from .hostile.normal import call, channel
from .hostile.server import Server

pytestmark = pytest.mark.timeout(120)

SECONDS = 60 if "SPANSCORE_SOAK" in os.environ else 5
SENDERS = 8
TRACES, SPANS = 40, 20
TEXT = "The warranty of the kettle covers defects in material for 24 months. " * 30


class Flood:
    """Sends requests of several traces as fast as they are answered, until it is left."""

    def __init__(self, server):
        self._server = server
        self._is_over = threading.Event()
        self._lock = threading.Lock()
        self.answers = {}
        self._threads = [threading.Thread(target=self._run) for _ in range(SENDERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _run(self):
        with channel(self._server) as calls:
            while not self._is_over.is_set():
                answer = call(calls, _agent_traces())
                with self._lock:
                    self.answers[answer] = self.answers.get(answer, 0) + 1


class Counting(SpanExporter):
    """The exporter of the SDK; counts the spans that it gave up."""

    def __init__(self, exporter):
        self._exporter = exporter
        self.given_up = 0

    def export(self, spans):
        result = self._exporter.export(spans)
        self.given_up += len(spans) * (result is not SpanExportResult.SUCCESS)
        return result

    def shutdown(self):
        self._exporter.shutdown()


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path, "scoring.max_backlog=300ms", "assembly.memory=256MiB")
    yield server
    server.stop()


def test_overload_is_refused_and_over_soon(server):
    """Nothing that was taken is lost; an exporter gets through or is refused, both counted."""
    with Flood(server) as flood:
        given_up = send_by_sdk(server)
        time.sleep(SECONDS)
    assert set(flood.answers) == {"OK", "UNAVAILABLE"}
    assert server.value("spanscore_refused_spans_total", reason="backlog")
    ended = time.monotonic()
    with channel(server) as calls:
        while call(calls, _agent_traces()) != "OK":
            time.sleep(0.1)
    server.settle()
    assert time.monotonic() - ended < 10
    assert server.is_alive, server.log
    assert_scrape_balance(server.get("/metrics"))
    taken = flood.answers["OK"] + 1
    assert server.value("spanscore_traces_total", service="flood") == taken * 5
    scored = server.value("spanscore_traces_total", service="sdk")
    assert TRACES - given_up / SPANS <= scored <= TRACES


def send_by_sdk(server):
    """Send traces by the stock exporter; returns how many spans it gave up."""
    target = f"http://127.0.0.1:{server.ports['grpc']}"
    exporter = Counting(OTLPSpanExporter(endpoint=target, insecure=True))
    provider = TracerProvider(resource=Resource.create({"service.name": "sdk"}))
    # A batch holds whole traces only, so that what is given up is whole traces too.
    provider.add_span_processor(
        BatchSpanProcessor(exporter, max_export_batch_size=10 * SPANS, schedule_delay_millis=10**6)
    )
    tracer = provider.get_tracer("overload")
    for _ in range(TRACES):
        with tracer.start_as_current_span("invoke_agent") as root:
            root.set_attribute("gen_ai.operation.name", "invoke_agent")
            for _ in range(SPANS - 1):
                tracer.start_span("chat", attributes={"gen_ai.operation.name": "chat"}).end()
    provider.force_flush()
    provider.shutdown()
    return exporter.given_up


def _agent_traces():
    traces = []
    for _ in range(5):
        trace = TraceBuilder(os.urandom(16).hex(), service="flood")
        root = trace.span("invoke_agent", **{"gen_ai.operation.name": "invoke_agent"})
        for _ in range(10):
            own = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": TEXT}
            trace.span("chat", parent=root, **own)
        traces.append(trace.request())
    return b"".join(traces)
