"""What belongs to no open trace, on its way to those who forward.

Until they have it, it stays charged to the memory budget, and its place in the log is pinned. A
log gives back more than was pinned, after a restart: what was passed on before is known by one
offset, below which everything was.
"""

import asyncio
from collections.abc import Sequence
from itertools import count, groupby
from operator import itemgetter

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.watermark import Watermark
from scorer.model.trace import Item, LogEntry, SpanEntry
from scorer.otlp.signal import Signal
from scorer.scoring.forwarding import Done, Forwarder, Stray
from scorer.telemetry import Telemetry

_TRACE_ID_OF = itemgetter(0)
# What is held for one beside its body.
_OVERHEAD = 800


class Strays:
    """Hands strays to a forwarder; `watermark` is that of the log they stand in."""

    def __init__(
        self,
        forwarder: Forwarder,
        watermark: Watermark,
        budget: MemoryBudget,
        telemetry: Telemetry,
        *,
        passed_on_before: int = 0,
    ) -> None:
        """Everything below the offset `passed_on_before` was passed on in an earlier life."""
        self._forwarder = forwarder
        self._watermark = watermark
        self._own = Watermark()
        self._budget = budget
        self._telemetry = telemetry
        self._passed_on_before = passed_on_before
        self._keys = count(1)
        self.waiting = 0
        """How many are not accepted yet."""
        self._idle = asyncio.Event()
        self._idle.set()

    def late(
        self, entries: Sequence[SpanEntry | LogEntry], signal: Signal, tenant: str, offset: int
    ) -> None:
        """Take spans or log records of closed traces."""
        for trace_id, group in groupby(entries, _TRACE_ID_OF):
            items = [(entry.wire, entry.envelope) for entry in group]
            self.take(Stray(signal, tenant, trace_id, b"", len(items), items), offset)

    def untraced(self, logs: Sequence[Item], tenant: str, offset: int) -> None:
        """Take log records without a trace."""
        if logs:
            self.take(Stray("logs", tenant, b"", b"", len(logs), logs), offset)

    def take(self, stray: Stray, offset: int) -> None:
        """Take one; what is known to be passed on is not passed on again."""
        if offset < self._passed_on_before:
            return
        size, key = stray.size + _OVERHEAD, b"stray%d" % next(self._keys)
        self.waiting += 1
        self._idle.clear()
        self._budget.charge(size, stray.tenant)
        for watermark in (self._watermark, self._own):
            watermark.pin(offset, key)
        self._telemetry.add("spanscore_passed_on_total", stray.items, signal=stray.signal)

        def release(done: Done) -> None:
            if done.cancelled():
                return
            self.waiting -= 1
            if not self.waiting:
                self._idle.set()
            self._budget.release(size, stray.tenant)
            for watermark in (self._watermark, self._own):
                watermark.unpin(offset, key)

        self._forwarder.pass_on(stray).add_done_callback(release)

    async def drain(self) -> None:
        """Wait until all are accepted."""
        await self._idle.wait()

    def passed_on_below(self, next_offset: int) -> int:
        """Return the offset below which everything is passed on now."""
        lowest = self._own.lowest()
        return next_offset if lowest is None else lowest
