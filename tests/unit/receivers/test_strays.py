"""What belongs to no open trace is passed on, and nothing of it is released before."""

import asyncio

import pytest

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.watermark import Watermark
from scorer.model.trace import Envelope
from scorer.otlp.split import split_traces
from scorer.receivers.strays import Strays
from scorer.scoring.forwarding import Stray
from scorer.telemetry import Telemetry
from scorer.testing import TraceBuilder

METRICS = Stray("metrics", "acme", b"", b"body", 3)


class FakeForwarder:
    """Keeps strays, and is done with them when a test says so."""

    def __init__(self):
        self.strays, self.dones = [], []

    def pass_on(self, stray):
        self.strays.append(stray)
        self.dones.append(asyncio.get_running_loop().create_future())
        return self.dones[-1]


class Way:
    def __init__(self, **options):
        self.forwarder, self.watermark = FakeForwarder(), Watermark()
        self.budget, self.telemetry = MemoryBudget(10**6), Telemetry()
        self.strays = Strays(self.forwarder, self.watermark, self.budget, self.telemetry, **options)

    async def accept(self, index):
        self.forwarder.dones[index].set_result(None)
        await asyncio.sleep(0)


async def test_until_it_is_accepted_it_is_charged_and_pinned():
    """To its tenant, and at its place in the log."""
    way = Way()
    way.strays.take(METRICS, 7)
    assert way.forwarder.strays == [METRICS]
    assert way.watermark.lowest() == 7
    assert way.budget.held("acme") > len(METRICS.body)
    await way.accept(0)
    assert way.watermark.lowest() is None
    assert way.budget.used == 0
    assert way.telemetry.value("spanscore_passed_on_total", signal="metrics") == 3


async def test_several_of_one_place_release_it_together():
    """They came in one request."""
    way = Way()
    way.strays.take(METRICS, 7)
    way.strays.take(METRICS, 7)
    await way.accept(1)
    assert way.watermark.lowest() == 7
    await way.accept(0)
    assert way.watermark.lowest() is None


async def test_what_is_never_accepted_stays_pinned():
    """The end of the service cancels it."""
    way = Way()
    way.strays.take(METRICS, 7)
    way.forwarder.dones[0].cancel()
    await asyncio.sleep(0)
    assert way.watermark.lowest() == 7


async def test_late_spans_go_trace_by_trace():
    """As a target may not want those of all."""
    builders = [TraceBuilder(number) for number in (1, 2)]
    for builder in builders:
        builder.span("late")
    entries = [split_traces(builder.request()).spans[0] for builder in builders]
    way = Way()
    way.strays.late(entries, "traces", "", 3)
    assert [stray.trace_id for stray in way.forwarder.strays] == [b.trace_id for b in builders]
    assert [list(stray.parts) for stray in way.forwarder.strays] == [
        [(entry.wire, entry.envelope)] for entry in entries
    ]


async def test_what_was_passed_on_before_is_not_again():
    """A log gives back more than was pinned."""
    way = Way(passed_on_before=7)
    way.strays.take(METRICS, 6)
    way.strays.take(METRICS, 7)
    assert len(way.forwarder.strays) == 1
    assert way.strays.passed_on_below(9) == 7
    await way.accept(0)
    assert way.strays.passed_on_below(9) == 9


async def test_a_drain_waits_for_all():
    """At once when there is nothing."""
    way = Way()
    await way.strays.drain()
    way.strays.take(METRICS, 1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await way.strays.drain()
    await way.accept(0)
    await way.strays.drain()


async def test_what_late_spans_share_is_held_once():
    """One large resource over the spans of many traces does not multiply; each is charged for."""
    envelope = Envelope(b"r" * 1000, b"s" * 24)
    builders = [TraceBuilder(number) for number in (1, 2, 3)]
    for builder in builders:
        builder.span("late")
    entries = [
        split_traces(builder.request()).spans[0]._replace(envelope=envelope) for builder in builders
    ]
    way = Way()
    way.strays.late(entries, "traces", "", 3)
    assert [stray.body for stray in way.forwarder.strays] == [b""] * 3
    assert all(stray.parts[0][1] is envelope for stray in way.forwarder.strays)
    wires = sum(len(entry.wire) for entry in entries)
    assert way.budget.used >= 3 * 1024 + wires
    for index in range(3):
        await way.accept(index)
    assert way.budget.used == 0
