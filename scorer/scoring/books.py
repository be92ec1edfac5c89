"""What is noted of closed traces, so that after a crash nothing is scored twice or lost.

The order: the closing is noted, the sinks accept the scores, the trace is noted as scored, its
place in the log is released. A crash in between repeats work, with the same cut and so with the
same scores.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from scorer.assembly.assembler import Assembler
from scorer.errors import RetryableError
from scorer.journal import Journal
from scorer.ledger import Closing, Ledger
from scorer.model.trace import ClosedTrace
from scorer.scoring.readings.join import noted

# Old rows of the ledger are looked for after so many batches.
_FORGET_EVERY = 64


class Books(Protocol):
    """Notes closed traces, in the order in which they leave."""

    async def closing(self, batch: Sequence[ClosedTrace]) -> None:
        """Note a batch before anybody sees its scores; raises RetryableError."""
        ...

    async def scored(self, batch: Sequence[ClosedTrace]) -> None:
        """Note that the sinks have the scores of a batch; raises RetryableError."""
        ...


class NoBooks:
    """For what is not in a log: nothing is noted, pins are taken back."""

    def __init__(self, assembler: Assembler) -> None:
        self._assembler = assembler

    async def closing(self, batch: Sequence[ClosedTrace]) -> None:
        """Do nothing."""

    async def scored(self, batch: Sequence[ClosedTrace]) -> None:
        """Take the pins back."""
        for trace in batch:
            self._assembler.release(trace)


class LedgerBooks:
    """Notes in the ledger, and releases the journal up to the watermark."""

    def __init__(
        self,
        assembler: Assembler,
        ledger: Ledger,
        journal: Journal,
        source: str,
        unix_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._assembler = assembler
        self._ledger = ledger
        self._journal = journal
        self._source = source
        self._unix_ns = unix_ns
        self._batches = 0

    async def closing(self, batch: Sequence[ClosedTrace]) -> None:
        """Write a row for each trace."""
        now = self._unix_ns()
        await self._ledger.closing([self._row(trace, now) for trace in batch])

    async def scored(self, batch: Sequence[ClosedTrace]) -> None:
        """Note the rows as scored, then release what no trace needs any more."""
        await self._ledger.scored([(t.tenant, t.trace_id, t.revision) for t in batch])
        for trace in batch:
            self._assembler.release(trace)
        lowest = self._assembler.watermark.lowest()
        self._journal.release(self._journal.next_offset if lowest is None else lowest)
        self._batches += 1
        if self._batches % _FORGET_EVERY == 0:
            # Never told to the caller, who would repeat what is done; it is tried again later.
            with suppress(RetryableError):
                await self._ledger.forget(self._source, 0, self._journal.retained_offset)

    def _row(self, trace: ClosedTrace, now: int) -> Closing:
        return Closing(
            tenant=trace.tenant,
            trace_id=trace.trace_id,
            source=self._source,
            partition=0,
            closed_at=trace.closed_at,
            first_offset=trace.first_position.offset,
            revision=trace.revision,
            reason=trace.reason,
            digest=trace.digest,
            span_count=len(trace.spans),
            closed_unix_ns=now,
            is_scored=False,
            readings=noted(trace.readings),
        )
