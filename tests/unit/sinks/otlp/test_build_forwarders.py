"""Which target sends what, as the configuration has it."""

import asyncio

import pytest

from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Completeness
from scorer.sinks.otlp.build_forwarders import build_forwarders
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, RecordingCourier, score, scored_trace

TRACE = ClosedTrace(
    tenant="",
    trace_id=bytes(15) + b"\x01",
    spans=(),
    span_envelopes=(),
    reason="root",
    opened=0.0,
    closed=0.0,
    completeness=Completeness(span_count=0, root_present=True),
    first_position=Position("t", 0, 1),
    last_position=Position("t", 0, 1),
    size=100,
    fresh_spans=0,
)


async def logs_after_the_hold(*targets):
    """Return how many requests of scores each target sends of a trace that went before."""
    couriers = [RecordingCourier(bound=1000) for _ in targets]
    made = build_forwarders(
        parse_config({"sinks": {"otlp": list(targets)}}),
        couriers,
        ManualClock(),
        MemoryBudget(10**6),
        Telemetry(),
    )
    running = asyncio.create_task(made.run())
    made.closed([TRACE])
    made.poll()
    made.forward([TRACE], [scored_trace(1, scores=(score("latency", 0.5),))])
    for _ in range(20):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return [len(courier.of("logs")) for courier in couriers]


FORWARD = {"endpoint": "tempo:4317", "mode": "forward", "hold_timeout": "0s"}
RESULTS = {"endpoint": "tempo:4317", "mode": "results"}


async def test_scores_follow_a_trace_whose_hold_was_over():
    """Its spans are never sent again."""
    assert await logs_after_the_hold(FORWARD) == [1]


async def test_scores_do_not_follow_where_another_target_sends_them():
    """Every event would be there twice."""
    assert await logs_after_the_hold(FORWARD, RESULTS) == [0, 1]


@pytest.mark.parametrize("other", [{"endpoint": "b:1"}, {"headers": {"x-scope-orgid": "b"}}])
async def test_scores_follow_where_the_results_go_elsewhere(other):
    """To another endpoint, or to another tenant of the same."""
    assert await logs_after_the_hold(FORWARD, RESULTS | other) == [1, 1]
