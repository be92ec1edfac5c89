"""Every sink, and the fake one, keeps the promises of `scorer.api.Sink`."""

import pytest

from scorer.api import Sink
from scorer.config import parse_config
from scorer.receivers.replay import InWindow
from scorer.scoring.summary import RunSummary
from scorer.sinks.jsonl import JsonlSink
from scorer.sinks.prometheus import PrometheusSink
from scorer.telemetry import Telemetry
from scorer.testing import RecordingSink, scored_trace
from scorer.web.recent import RecentTraces


class NoOpenTraces:
    def describe(self, trace_id, tenant=""):
        return None


@pytest.fixture(params=["prometheus", "jsonl", "recent", "summary", "window", "recording"])
def sink(request, tmp_path):
    config = parse_config({"sinks": {"jsonl": {"path": str(tmp_path / "scores.jsonl")}}})
    return {
        "prometheus": lambda: PrometheusSink(config, Telemetry()),
        "jsonl": lambda: JsonlSink(config),
        "recent": lambda: RecentTraces(config, NoOpenTraces()),
        "summary": RunSummary,
        "window": lambda: InWindow(RecordingSink(), (None, None)),
        "recording": RecordingSink,
    }[request.param]()


async def test_it_is_a_sink(sink):
    """It has the members of the Protocol."""
    assert isinstance(sink, Sink)
    await sink.close()


async def test_it_takes_nothing_one_and_many(sink):
    """Batches of any size, in order."""
    await sink.write([])
    await sink.write([scored_trace(1)])
    await sink.write([scored_trace(2), scored_trace(3, verdict="not_agent")])
    await sink.close()


async def test_it_takes_revisions_of_traces_it_knows_and_of_others(sink):
    """A late span may have a trace scored again after a restart, when the sink is new."""
    await sink.write([scored_trace(1), scored_trace(1, revision=2)])
    await sink.write([scored_trace(1, revision=3, verdict="quarantined", reason="worker_died")])
    await sink.write([scored_trace(2, revision=7), scored_trace(2, revision=8)])
    await sink.close()


async def test_closing_twice_is_safe(sink):
    """Shutdown may come twice."""
    await sink.write([scored_trace(1)])
    await sink.close()
    await sink.close()
