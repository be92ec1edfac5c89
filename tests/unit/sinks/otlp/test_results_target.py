"""Sending scores to one target."""

import asyncio
from contextlib import asynccontextmanager

from scorer.assembly.budget import MemoryBudget
from scorer.scoring.forwarding import Stray
from scorer.sinks.otlp.results import Results
from scorer.sinks.otlp.results_target import ResultsTarget
from scorer.testing import RecordingCourier, score, scored_trace


class Served:
    """A target with a courier, and the budget that it charges."""

    def __init__(self, **courier):
        self.courier = RecordingCourier(**courier)
        self.budget = MemoryBudget(10**9)
        self.target = ResultsTarget(self.courier, Results(), self.budget)


@asynccontextmanager
async def served(**courier):
    made = Served(**courier)
    running = asyncio.create_task(made.target.run())
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def trace(number=1, tenant=""):
    one = score("latency", span_id="b7ad6b7169203331", id=f"id-{number}")
    return scored_trace(number, tenant=tenant, scores=(one,))


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_it_is_done_when_the_target_has_the_scores():
    """The place of a trace in the log is not released before."""
    async with served() as made:
        made.courier.is_up = False
        done = made.target.forward([], [trace()])
        await settled()
        assert [parcel.signal for parcel in made.courier.parcels] == ["traces", "logs"]
        assert not done.done()
        made.courier.come_up()
        await asyncio.wait_for(done, 1)


async def test_nothing_to_send_is_done_at_once():
    """Not-agent and quarantined traces have no scores; what belongs to no trace has none."""
    async with served() as made:
        made.courier.is_up = False
        assert made.target.forward([], [scored_trace(verdict="not_agent")]).done()
        assert made.target.pass_on(Stray("logs", "", b"", b"x", 1)).done()
        made.target.closed([])
        made.target.poll()
        assert made.courier.parcels == []


async def test_what_waits_is_charged_and_bounded_by_the_courier():
    """A target that is down fills the budget, and so senders are refused."""
    async with served(bound=2) as made:
        made.courier.is_up = False
        parts = [made.target.forward([], [trace(n, tenant="acme")]) for n in range(5)]
        await settled()
        assert len(made.courier.parcels) == 2
        assert made.budget.used > 5 * 1_500
        made.courier.come_up()
        await asyncio.wait_for(asyncio.gather(*parts), 1)
        await settled()
        assert len(made.courier.parcels) == 10
        assert made.budget.used == 0


async def test_tenants_are_charged_apart():
    """Each has its own share of the memory, and parcels of its own."""
    async with served() as made:
        made.courier.is_up = False
        made.target.forward([], [trace(1, "a"), trace(2, "a"), trace(3, "b")])
        await settled()
        assert [parcel.items for parcel in made.courier.parcels] == [2, 2, 1, 1]
