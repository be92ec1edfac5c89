"""Whatever senders do: memory stays bounded, others are served, and every span is counted."""

import resource
import time
from os import urandom

import pytest
from prometheus_client.parser import text_string_to_metric_families

from scorer.testing import assert_scrape_balance

from .hostile.attacks import ATTACKS, IS_SOAK
from .hostile.normal import SERVICE, NormalTraffic, call, channel
from .hostile.server import BOUND, Server
from .hostile.wire import agent_span, request, service, span

pytestmark = pytest.mark.timeout(600 if IS_SOAK else 60)

SHORT_TIMERS = (
    "assembly.idle_timeout=3s",
    "receivers.otlp.grpc.read_timeout=3s",
    "receivers.otlp.http.read_timeout=3s",
)
UGLY = '\n"\\\x01\x7f\u2028{}= '
INVENTED_NAMES = 100_000 if IS_SOAK else 1500
MAX_VALUES = 200  # of a label, and
MAX_SERIES = 20_000  # in all: sinks.prometheus


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server that bears one attack after the other."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    server = Server(tmp_path_factory.mktemp("shared"), *SHORT_TIMERS)
    yield server
    server.stop()


@pytest.fixture
def serve(tmp_path):
    """Start a server with settings of its own."""
    started = []

    def start(*settings):
        started.append(Server(tmp_path, *settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def attack_beside_normal_traffic(server, attack):
    """Assert what holds under any attack."""
    server.forget_peak()
    before = server.value("spanscore_traces_total", service=SERVICE)
    with NormalTraffic(server) as normal:
        attack(server)
    assert server.is_alive, server.log
    assert normal.is_through, normal.answers
    server.settle()
    assert server.peak < BOUND
    assert normal.sent
    assert server.value("spanscore_traces_total", service=SERVICE) - before == normal.sent
    assert not server.value("spanscore_receiver_faults_total")
    assert_scrape_balance(server.get("/metrics"))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_memory_is_bounded_and_normal_traffic_is_scored(shared, attack):
    """Under any attack: the budget and 150 MiB are enough, good traces get their scores."""
    attack_beside_normal_traffic(shared, attack)


def test_a_drip_of_spans_keeps_no_trace_open_for_good(serve):
    """A span just before each idle_timeout: max_age ends the traces."""
    server = serve("assembly.idle_timeout=1s", "assembly.max_age=5s")
    traces = [n.to_bytes(16, "big") for n in range(1, 1001)]

    def drip(_):
        with channel(server) as calls:
            for _ in range(8):
                call(calls, request(*(span(trace=t, parent=b"unknown!") for t in traces)))
                time.sleep(0.9)

    attack_beside_normal_traffic(server, drip)
    assert server.value("spanscore_closed_traces_total", reason="max_age") == len(traces)


def test_invented_names_cannot_fill_the_metrics(serve):
    """Labels from spans are capped, whatever is in them, and /metrics can still be read."""
    server = serve()

    def invent(_):
        with channel(server) as calls:
            for name in range(INVENTED_NAMES):
                while call(calls, _named(f"{name}{UGLY}".encode())) == "UNAVAILABLE":
                    time.sleep(0.1)

    attack_beside_normal_traffic(server, invent)
    families = text_string_to_metric_families(server.get("/metrics"))
    samples = [sample for family in families for sample in family.samples]
    for label in ("service", "agent", "tool"):
        values = {s.labels[label] for s in samples if label in s.labels}
        assert 50 < len(values) <= MAX_VALUES + 1
    assert sum(not {"service", "tool"}.isdisjoint(s.labels) for s in samples) <= MAX_SERIES
    assert server.value("spanscore_label_overflow_total") >= INVENTED_NAMES - MAX_VALUES


def _named(name):
    """Return a trace with a service, an agent and a tool of this name."""
    trace = urandom(16)
    agent = agent_span(b"invoke_agent", [(b"gen_ai.agent.name", name)], trace=trace)
    tool = agent_span(b"execute_tool", [(b"gen_ai.tool.name", name)], trace=trace)
    return request(agent, tool, resource=service(name))
