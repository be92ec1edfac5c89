"""Sends the scores of traces, and nothing else, to one target."""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from scorer.api import ScoredTrace
from scorer.assembly.budget import MemoryBudget
from scorer.model.trace import ClosedTrace
from scorer.scoring.forwarding import Done, Stray, all_done, follow
from scorer.sinks.otlp.courier import Courier
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.results import Results

_TENANT_OF = attrgetter("tenant")


class _Job(NamedTuple):
    """What waits until the courier has room, and the future of whoever waits for it."""

    parcels: Sequence[Parcel]
    done: Done


class ResultsTarget:
    """Sends to one courier. What waits for it is charged to the memory budget."""

    passes_on = False

    def __init__(self, courier: Courier, results: Results, budget: MemoryBudget) -> None:
        self._courier = courier
        self._results = results
        self._budget = budget
        self._jobs: deque[_Job] = deque()
        self._arrived = asyncio.Event()

    def closed(self, traces: Sequence[ClosedTrace]) -> None:
        """Do nothing: there is nothing to send before the scores."""

    def poll(self) -> None:
        """Do nothing: scores wait for nothing."""

    def forward(self, batch: Sequence[ClosedTrace], scored: Sequence[ScoredTrace]) -> Done:  # noqa: ARG002 - protocol
        """Send the scores of traces."""
        return all_done(
            [
                self._queue(self._results.parcels(traces), tenant)
                for tenant, traces in groupby(scored, _TENANT_OF)
            ]
        )

    def pass_on(self, stray: Stray) -> Done:  # noqa: ARG002 - protocol
        """Do nothing: it has no score."""
        return all_done(())

    async def run(self) -> None:
        """Send until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._courier.run())
            tasks.create_task(self._feed())

    async def close(self, within_s: float) -> None:
        """Send what the courier has, for so long at most."""
        await self._courier.close(within_s)

    def _queue(self, parcels: Sequence[Parcel], tenant: str) -> Done:
        if not parcels:
            return all_done(())
        size = sum(len(parcel.body) for parcel in parcels)
        self._budget.charge(size, tenant)
        done: Done = asyncio.get_running_loop().create_future()
        done.add_done_callback(lambda _: self._budget.release(size, tenant))
        self._jobs.append(_Job(parcels, done))
        self._arrived.set()
        return done

    async def _feed(self) -> None:
        while True:
            await self._arrived.wait()
            while self._jobs:
                await self._courier.room()
                parcels, done = self._jobs.popleft()
                follow(done, [self._courier.submit(parcel) for parcel in parcels])
            self._arrived.clear()
