"""Sends the scores of traces, and nothing else, to one target."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from scorer.api import ScoredTrace
from scorer.assembly.budget import MemoryBudget
from scorer.model.trace import ClosedTrace
from scorer.scoring.forwarding import Done, Stray, all_done
from scorer.sinks.otlp.courier import Courier
from scorer.sinks.otlp.feed import Feed
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.results import Results

_TENANT_OF = attrgetter("tenant")


class ResultsTarget:
    """Sends to one courier. What waits for it is charged to the memory budget."""

    passes_on = False

    def __init__(self, courier: Courier, results: Results, budget: MemoryBudget) -> None:
        self._feed = Feed(courier)
        self._results = results
        self._budget = budget

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
        await self._feed.run()

    async def close(self, within_s: float) -> None:
        """Send what the courier has, for so long at most."""
        await self._feed.close(within_s)

    def _queue(self, parcels: Sequence[Parcel], tenant: str) -> Done:
        if not parcels:
            return all_done(())
        size = sum(len(parcel.body) for parcel in parcels)
        self._budget.charge(size, tenant)
        done = self._feed.queue(lambda: parcels)
        done.add_done_callback(lambda _: self._budget.release(size, tenant))
        return done
