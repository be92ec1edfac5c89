"""Wires those who pass traces on with what they need of the other parts."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.watermark import Watermark
from scorer.config import Config
from scorer.receivers.durability import Durability
from scorer.receivers.strays import Strays
from scorer.sinks.otlp.build_forwarders import build_forwarders
from scorer.sinks.otlp.courier import Courier
from scorer.telemetry import Telemetry

_LOG = logging.getLogger("spanscore.forward")
_NOTE_S: Final = 1.0


class Forwarding:
    """What a service sends to the targets of `sinks.otlp`; nothing, when there is none."""

    def __init__(  # noqa: PLR0913 - what it wires
        self,
        config: Config,
        couriers: Sequence[Courier],
        *,
        clock: Callable[[], float],
        budget: MemoryBudget,
        watermark: Watermark,
        telemetry: Telemetry,
        durability: Durability | None,
    ) -> None:
        self._durability = durability
        self._sending: asyncio.Task[None] | None = None
        self.forwarder = build_forwarders(config, couriers, clock, budget, telemetry)
        self.strays: Strays | None = None
        if self.forwarder.passes_on:
            before = 0 if durability is None else durability.passed_on_before
            self.strays = Strays(
                self.forwarder, watermark, budget, telemetry, passed_on_before=before
            )

    async def run(self) -> None:
        """Send until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            self._sending = tasks.create_task(self.forwarder.run())
            while True:
                await asyncio.sleep(_NOTE_S)
                await self._note()

    def poll(self) -> None:
        """Pass on what has waited for its scores for too long."""
        self.forwarder.poll()

    async def drain(self) -> None:
        """Wait until what belongs to no trace is accepted."""
        if self.strays is not None:
            await self.strays.drain()

    async def close(self) -> None:
        """End at once; what is not accepted is not released."""
        if self._sending is not None:
            # Or it would open connections again that are closed next.
            self._sending.cancel()
            await asyncio.wait([self._sending])
        await self.forwarder.close(0)
        await self._note()

    def tell_left(self, traces: int) -> None:
        """Log what is left when the service ends; `traces` are scored and not accepted."""
        strays = 0 if self.strays is None else self.strays.waiting
        if traces or strays:
            kept = "they stay in the journal and are sent after the next start"
            lost = "they are lost, for journal.enabled is false"
            _LOG.warning(
                "%d traces and %d requests of no trace are not forwarded: %s",
                traces,
                strays,
                lost if self._durability is None else kept,
            )

    async def _note(self) -> None:
        if self.strays is not None and self._durability is not None:
            below = self.strays.passed_on_below(self._durability.journal.next_offset)
            await self._durability.note_passed_on(below)
