"""All targets that traces, or their scores, are sent to."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from scorer.api import ScoredTrace
from scorer.model.trace import ClosedTrace
from scorer.scoring.forwarding import Done, Forwarder, Stray, all_done


class Outlet(Forwarder, Protocol):
    """What serves one target."""

    @property
    def passes_on(self) -> bool:
        """Whether it gets traces, and what belongs to none; else it gets scores only."""
        ...

    def poll(self) -> None:
        """Pass on without scores what has waited for them for too long."""
        ...

    async def run(self) -> None:
        """Send until cancelled."""
        ...

    async def close(self, within_s: float) -> None:
        """Send what is under way, for so long at most."""
        ...


class Forwarders:
    """A `Forwarder` to several targets, none of which waits for another."""

    def __init__(self, targets: Sequence[Outlet]) -> None:
        self.targets = tuple(targets)

    @property
    def passes_on(self) -> bool:
        """Whether any target gets what belongs to no trace."""
        return any(target.passes_on for target in self.targets)

    def closed(self, traces: Sequence[ClosedTrace]) -> None:
        """Note traces that have closed."""
        for target in self.targets:
            target.closed(traces)

    def poll(self) -> None:
        """Pass on without scores what has waited for them for too long."""
        for target in self.targets:
            target.poll()

    def forward(self, batch: Sequence[ClosedTrace], scored: Sequence[ScoredTrace]) -> Done:
        """Pass on scored traces."""
        return all_done([target.forward(batch, scored) for target in self.targets])

    def pass_on(self, stray: Stray) -> Done:
        """Pass on what belongs to no open trace."""
        return all_done([target.pass_on(stray) for target in self.targets])

    async def run(self) -> None:
        """Send until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for target in self.targets:
                tasks.create_task(target.run())
        await asyncio.Event().wait()  # there is no target

    async def close(self, within_s: float) -> None:
        """End all at once; each sends what it has, for so long at most."""
        async with asyncio.TaskGroup() as tasks:
            for target in self.targets:
                tasks.create_task(target.close(within_s))
