"""The assembler: spans in, closed traces out.

It is sans-IO: time is an argument, nothing is read, written, logged or locked. The caller
pushes what arrived, polls when `next_deadline` has come, and takes the closed traces that
both return. After a call, every span it was given is exactly one of: kept in an open trace,
in a returned closed trace, a counted duplicate, or a counted late span. A closed trace stays
charged to the memory budget until the caller is done with it and gives its size back.

A trace closes at the first of: an end marker; the root has ended, every parent that was
named is there, and nothing came for `linger`; nothing came for `idle_timeout`; `max_age`;
the span or byte cap; memory pressure; the end of the input. Only arrival times drive the
timers, never the times in the spans.
"""

from collections.abc import Callable, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.deadlines import Deadlines
from scorer.assembly.open_trace import (
    PARENT_OVERHEAD,
    SPAN_OVERHEAD,
    OpenTrace,
    Timers,
    envelope_size,
)
from scorer.assembly.tombstones import Tombstones
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, CloseReason, Envelope, LogEntry, SpanEntry

# Span kinds are 0 to 5; a sender may write any int32, which must not size a shift.
_KIND_MASK = 15
_TRACE_ID_OF = itemgetter(0)


class AssemblerSettings(Struct, frozen=True, kw_only=True):
    """Limits of one assembler; `timers_of` gives a service's own timers where it has some."""

    timers: Timers
    max_spans_per_trace: int
    max_bytes_per_trace: int
    max_tombstones: int
    timers_of: Callable[[Envelope], Timers | None] | None = None


class Pushed(NamedTuple):
    """What became of a batch: `late` spans belong to traces that are closed already.

    `conflicts` are the duplicates that differ from the span which was kept.
    """

    accepted: int
    duplicates: int
    late: int
    closed: list[ClosedTrace]
    conflicts: int = 0


class Assembler:
    """The open traces of one (source, partition)."""

    def __init__(self, settings: AssemblerSettings, budget: MemoryBudget) -> None:
        self._settings = settings
        self._budget = budget
        self._open: dict[bytes, OpenTrace] = {}
        self._deadlines = Deadlines()
        self._tombstones = Tombstones(settings.max_tombstones)
        self.open_spans = 0
        self.open_bytes = 0

    @property
    def open_traces(self) -> int:
        """How many traces are open."""
        return len(self._open)

    def oldest_opened(self) -> float | None:
        """Return when the oldest open trace was opened."""
        return next(iter(self._open.values())).opened if self._open else None

    def find(self, trace_id: bytes, tenant: str = "") -> OpenTrace | None:
        """Return an open trace."""
        return self._open.get(_key(trace_id, tenant))

    def late_spans(self, trace_id: bytes, tenant: str = "") -> int | None:
        """Return how many spans came after the close; None when that is not remembered."""
        return self._tombstones.late(_key(trace_id, tenant))

    def push(
        self,
        spans: Sequence[SpanEntry],
        position: Position,
        now: float,
        tenant: str = "",
        is_end: Callable[[bytes, Envelope], bool] | None = None,
    ) -> Pushed:
        """Take spans. `is_end` tells an end marker; None = the batch holds none."""
        accepted = duplicates = late = conflicts = 0
        closed: list[ClosedTrace] = []
        # Spans of one trace mostly stand together; where they do not, it has several batches.
        for trace_id, group in groupby(spans, _TRACE_ID_OF):
            batch = list(group)
            trace = self._trace(_key(trace_id, tenant), tenant, batch[0].envelope, position, now)
            if trace is None:
                late += self._bury_late(_key(trace_id, tenant), len(batch))
                continue
            before = trace.conflicts
            added = self._add(trace, batch, is_end)
            accepted += added
            duplicates += len(batch) - added
            conflicts += trace.conflicts - before
            trace.touch(position, now)
            reason = self._cap_reason(trace)
            if reason:
                closed.append(self._close(trace, reason, now))
            else:
                self._deadlines.set(trace)
        return Pushed(accepted, duplicates, late, closed, conflicts)

    def push_logs(
        self, logs: Sequence[LogEntry], position: Position, now: float, tenant: str = ""
    ) -> Pushed:
        """Take log records of traces; they count as arrivals and wait for their spans."""
        accepted = late = 0
        closed: list[ClosedTrace] = []
        for trace_id, _, _, wire, envelope in logs:
            trace = self._trace(_key(trace_id, tenant), tenant, envelope, position, now)
            if trace is None:
                late += 1
                continue
            self._charge(trace.add_log(wire, envelope), tenant)
            accepted += 1
            trace.touch(position, now)
            reason = self._cap_reason(trace)
            if reason:
                closed.append(self._close(trace, reason, now))
            else:
                self._deadlines.set(trace)
        return Pushed(accepted, 0, late, closed)

    def next_deadline(self) -> float | None:
        """Return when to poll next; None when nothing is open."""
        return self._deadlines.next()

    def poll(self, now: float) -> list[ClosedTrace]:
        """Close what is due, earliest first."""
        closed = []
        while (trace := self._deadlines.pop_due(now)) is not None:
            closed.append(self._close(trace, trace.timer_reason(), now))
        return closed

    def relieve(self, size: int, now: float, tenant: str | None = None) -> list[ClosedTrace]:
        """Close traces until those that were closed held `size` bytes.

        First those of a single span, for a flood of random ids is made of them, then the
        others, always those opened first; only those of `tenant` where one is given.
        """
        open_traces = list(self._open.values())
        if tenant is not None:
            open_traces = [trace for trace in open_traces if trace.tenant == tenant]
        single = [trace for trace in open_traces if len(trace.spans) == 1]
        others = [trace for trace in open_traces if len(trace.spans) != 1]
        closed: list[ClosedTrace] = []
        freed = 0
        for trace in chain(single, others):
            if freed >= size:
                break
            freed += trace.size
            closed.append(self._close(trace, "memory", now))
        return closed

    def drain(self, now: float, reason: CloseReason) -> list[ClosedTrace]:
        """Close everything, in the order in which the traces would have become due."""
        order = sorted(self._open.values(), key=lambda trace: trace.due)
        return [self._close(trace, reason, now) for trace in order]

    def _trace(
        self, key: bytes, tenant: str, envelope: Envelope, position: Position, now: float
    ) -> OpenTrace | None:
        """Return the open trace of a key, opened if need be; None when it is closed."""
        trace = self._open.get(key)
        if trace is not None:
            return trace
        if key in self._tombstones:
            return None
        trace = OpenTrace(key, tenant, self._timers(envelope), position, now)
        self._open[key] = trace
        self._charge(trace.size, tenant)
        return trace

    def _timers(self, envelope: Envelope) -> Timers:
        timers_of = self._settings.timers_of
        own = timers_of(envelope) if timers_of else None
        return own or self._settings.timers

    def _add(
        self,
        trace: OpenTrace,
        batch: Sequence[SpanEntry],
        is_end: Callable[[bytes, Envelope], bool] | None,
    ) -> int:
        """Keep the spans that are new; returns how many were."""
        kinds, missing, size, before = trace.kinds, trace.missing, 0, len(trace.spans)
        shared = trace.envelopes[-1] if trace.envelopes else None
        for _, span_id, parent, kind, end, wire, envelope in batch:
            seen, bit = kinds.get(span_id, 0), 1 << (kind & _KIND_MASK)
            if seen & bit:
                size += trace.compare(wire)
                continue
            kinds[span_id] = seen | bit
            trace.spans.append(wire)
            trace.envelopes.append(envelope)
            size += len(wire)
            if envelope is not shared:
                shared = envelope
                size += envelope_size(envelope)
            if missing:
                missing.discard(span_id)
            if not parent:
                trace.root_seen = trace.root_seen or end > 0
            elif parent not in kinds:
                if missing is None:
                    missing = trace.missing = set()
                missing.add(parent)
                size += PARENT_OVERHEAD
            if is_end is not None and is_end(wire, envelope):
                trace.ended = True
        added = len(trace.spans) - before
        trace.duplicates += len(batch) - added
        self.open_spans += added
        size += added * SPAN_OVERHEAD
        trace.size += size
        self._charge(size, trace.tenant)
        return added

    def _charge(self, size: int, tenant: str) -> None:
        self.open_bytes += size
        self._budget.charge(size, tenant)

    def _cap_reason(self, trace: OpenTrace) -> CloseReason | None:
        if trace.ended:
            return "end_marker"
        if len(trace.spans) >= self._settings.max_spans_per_trace:
            return "span_cap"
        if trace.size >= self._settings.max_bytes_per_trace:
            return "byte_cap"
        return None

    def _close(self, trace: OpenTrace, reason: CloseReason, now: float) -> ClosedTrace:
        del self._open[trace.key]
        self._deadlines.trim(len(self._open))
        self._tombstones.bury(trace.key)
        self.open_bytes -= trace.size
        self.open_spans -= len(trace.spans)
        return trace.close(reason, now)

    def _bury_late(self, key: bytes, count: int) -> int:
        for _ in range(count):
            self._tombstones.count_late(key)
        return count


def _key(trace_id: bytes, tenant: str) -> bytes:
    """Return the key of a trace: its id alone for the default tenant, to save memory."""
    return trace_id if not tenant else tenant.encode() + b"\0" + trace_id
