"""The assembler: spans in, closed traces out.

It is sans-IO: time is an argument, nothing is read, written, logged or locked. The caller
pushes what arrived, polls when `next_deadline` has come, and takes the closed traces that
both return. After a call, every span it was given is exactly one of: held in an open trace,
in a returned closed trace, or counted as a duplicate, a re-read or unjoined. A closed trace stays
charged to the memory budget and pins its place in the log until the caller is done with it.

A trace closes at the first of: an end marker; the root has ended, every parent that was
named is there, and nothing came for `linger`; nothing came for `idle_timeout`; `max_age`;
the span or byte cap; memory pressure; the end of the input. Only arrival times drive the
timers, never the times in the spans.

A closed trace is kept for a while. The caller reopens the kept traces of a batch before it
pushes it; then the late spans join, and the trace closes again as its next revision. After a
restart, the log is pushed again, and what was known of closed traces is recalled before: spans
at or before the place where their trace was closed are re-reads. A trace whose scores may be out
only in part is put together again, and closed at the same place.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.closed_traces import ClosedTraces
from scorer.assembly.deadlines import Deadlines
from scorer.assembly.open_trace import (
    KIND_MASK,
    MISSING_OVERHEAD,
    PARENT_OVERHEAD,
    SPAN_OVERHEAD,
    Cut,
    OpenTrace,
    Timers,
    envelope_size,
    first_to_go,
    trace_key,
)
from scorer.assembly.pushed import Arrival, Pushed, Tally, Whole
from scorer.assembly.settings import AssemblerSettings
from scorer.assembly.watermark import Watermark
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, CloseReason, Envelope, LogEntry, SpanEntry

_TRACE_ID_OF = itemgetter(0)
# Late spans of a trace that was cut off for its size do not join it: each would have all of it
# written, and scored, once more.
_NOT_KEPT: frozenset[CloseReason] = frozenset({"span_cap", "byte_cap"})


class Assembler:
    """The open traces of one (source, partition)."""

    def __init__(self, settings: AssemblerSettings, budget: MemoryBudget) -> None:
        self._settings = settings
        self._budget = budget
        self._open: dict[bytes, OpenTrace] = {}
        self._deadlines = Deadlines()
        self._closed = ClosedTraces(settings.max_tombstones, settings.kept_bytes, budget)
        self._last_offset = 0
        self.watermark = Watermark()
        self.open_spans = 0
        self.open_bytes = 0

    @property
    def open_traces(self) -> int:
        """How many traces are open."""
        return len(self._open)

    @property
    def kept_bytes(self) -> int:
        """How many bytes closed traces hold that are kept for late spans."""
        return self._closed.kept_bytes

    def forget_kept(self, size: int) -> None:
        """Give back at least `size` bytes of what is kept, as far as there are so many."""
        self._closed.forget_kept(size)

    def oldest_opened(self) -> float | None:
        """Return when the oldest open trace was opened."""
        return next(iter(self._open.values())).opened if self._open else None

    def find(self, trace_id: bytes, tenant: str = "") -> OpenTrace | None:
        """Return an open trace."""
        return self._open.get(trace_key(trace_id, tenant))

    def late_spans(self, trace_id: bytes, tenant: str = "") -> int | None:
        """Return how many spans came too late to join; None when that is not remembered."""
        return self._closed.late(trace_key(trace_id, tenant))

    def push(
        self,
        spans: Sequence[SpanEntry],
        position: Position,
        now: float,
        tenant: str = "",
        is_end: Callable[[bytes, Envelope], bool] | None = None,
    ) -> Pushed:
        """Take spans. `is_end` tells an end marker; None = the batch holds none."""
        self._last_offset = position.offset
        tally, arrival = Tally(), Arrival(tenant, position, now)
        ending: dict[bytes, OpenTrace] = {}
        # Spans of one trace mostly stand together; where they do not, it has several batches.
        for trace_id, group in groupby(spans, _TRACE_ID_OF):
            batch = list(group)
            key = trace_key(trace_id, tenant)
            trace = self._trace(key, batch[0].envelope, arrival, tally.closed)
            if trace is None:
                self._closed.count(key, batch, position.offset, tally)
                continue
            conflicts = trace.conflicts
            added = self._add(trace, batch, is_end)
            tally.accepted += added
            tally.duplicates += len(batch) - added
            tally.conflicts += trace.conflicts - conflicts
            tally.late += added if trace.seen_before else 0
            self._after(trace, arrival, ending)
        self._close_all(ending, now, tally.closed)
        return tally.pushed()

    def _after(self, trace: OpenTrace, arrival: Arrival, ending: dict[bytes, OpenTrace]) -> None:
        """Set when a trace is due, or note that it ends with this request.

        Not in the middle of it: after a restart it must be closed with the same spans, and the
        place of a close in the log is a whole request.
        """
        trace.touch(arrival.position, arrival.now)
        if trace.cut is not None:
            return
        if self._settings.cap_reason(trace):
            ending[trace.key] = trace
        else:
            self._deadlines.set(trace)

    def _close_all(
        self, ending: dict[bytes, OpenTrace], now: float, closed: list[ClosedTrace]
    ) -> None:
        for trace in ending.values():
            reason = self._settings.cap_reason(trace)
            closed += [self._close(trace, reason, now)] if reason else []

    def push_logs(
        self, logs: Sequence[LogEntry], position: Position, now: float, tenant: str = ""
    ) -> Pushed:
        """Take log records of traces; they count as arrivals and wait for their spans."""
        self._last_offset = position.offset
        arrival = Arrival(tenant, position, now)
        tally, ending = Tally(), dict[bytes, OpenTrace]()
        for log in logs:
            key = trace_key(log.trace_id, tenant)
            trace = self._trace(key, log.envelope, arrival, tally.closed)
            if trace is None:
                self._closed.count_log(key, log, position.offset, tally)
                continue
            self._charge(trace.add_log(log.wire, log.envelope), tenant)
            tally.accepted += 1
            self._after(trace, arrival, ending)
        self._close_all(ending, now, tally.closed)
        return tally.pushed()

    def reopen(
        self,
        entries: Sequence[SpanEntry | LogEntry],
        tenant: str,
        now: float,
        place: Callable[[OpenTrace], Position],
    ) -> int:
        """Open again the kept traces that a batch adds to; returns how many.

        `place` is asked for where the log holds all of a trace from now on. A batch that only
        repeats what a trace has opens nothing.
        """
        reopened = 0
        for kept in self._closed.to_reopen(entries, tenant):
            position = place(kept)
            self._closed.take(kept)
            self._open_again(kept, position, now)
            reopened += 1
        return reopened

    def restore(self, whole: Whole, position: Position, now: float) -> Pushed:
        """Take all that a trace had when it was written to the log as a whole.

        Later entries of the log add to it. Nothing is new where it was closed at a later place,
        or is written as a whole there once more.
        """
        self._last_offset = position.offset
        first, tally = whole.first, Tally()
        key = trace_key(first.trace_id, whole.tenant)
        before = self._open.get(key)
        if before is not None:  # all else of it is foreseen to be replaced
            tally.closed.append(self._close_at_cut(before, now))
        cut = self._closed.cut_of(key, position.offset)
        if self._closed.is_replaced(key, position.offset) or (
            cut is None and self._closed.had(key, position.offset)
        ):
            return Pushed(0, 0, 0, tally.closed, rereads=len(whole.spans))
        self._closed.give_up(key)
        revision = self._closed.next_revision(key, whole.revision)
        trace = self._new(key, first.envelope, Arrival(whole.tenant, position, now), cut)
        trace.revision = cut.revision if cut else revision
        added = self._add(trace, whole.spans, None)
        # That the log holds a span twice does not mean that it came twice.
        trace.duplicates, trace.conflicts = whole.duplicates, whole.conflicts
        for log in whole.logs:
            self._charge(trace.add_log(log.wire, log.envelope), whole.tenant)
        # It may be over a cap: it was open again for what follows, and closes with that.
        trace.touch(position, now)
        if trace.cut is None:
            self._deadlines.set(trace)
        return Pushed(added, len(whole.spans) - added, 0, tally.closed)

    def foresee(self, key: tuple[str, bytes], offset: int) -> None:
        """Note that the log holds all of a trace at `offset`, before it is pushed once more.

        To be called after `recall`, in the order of the offsets. What stands before is a re-read.
        """
        tenant, trace_id = key
        self._closed.foresee(trace_key(trace_id, tenant), offset)

    def recall(
        self, key: tuple[str, bytes], closed_at: int, revision: int, reason: CloseReason | None
    ) -> None:
        """Remember a trace that was closed before a restart.

        `reason` is given when its scores may not be out: it is to be closed so once more.
        """
        tenant, trace_id = key
        self._closed.recall(trace_key(trace_id, tenant), closed_at, revision, reason)

    def end_of_recovery(self, now: float) -> list[ClosedTrace]:
        """Close what was closed before the restart; call it when the log has been pushed."""
        again = [trace for trace in self._open.values() if trace.cut is not None]
        closed = [self._close_at_cut(trace, now) for trace in again]
        self._closed.end_of_recovery()
        return closed

    def spillable(self) -> OpenTrace | None:
        """Return the open trace that pins the log at the lowest place."""
        lowest = self.watermark.lowest()
        if lowest is None:
            return None
        found = (self._open.get(key) for key in self.watermark.keys_at(lowest))
        return next((trace for trace in found if trace is not None), None)

    def moved(self, trace: OpenTrace, position: Position) -> None:
        """Note that the log holds all of an open trace from `position` on."""
        self._last_offset = position.offset
        self.watermark.unpin(trace.first_position.offset, trace.key)
        trace.first_position = position
        self.watermark.pin(position.offset, trace.key)

    def release(self, trace: ClosedTrace) -> None:
        """Take back the pin of a closed trace: its scores are out."""
        self.watermark.unpin(trace.first_position.offset, trace_key(trace.trace_id, trace.tenant))

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

        In the order of `first_to_go`; only those of `tenant` where one is given.
        """
        closed: list[ClosedTrace] = []
        freed = 0
        for trace in first_to_go(self._open.values(), tenant):
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
        self, key: bytes, envelope: Envelope, arrival: Arrival, closed: list[ClosedTrace]
    ) -> OpenTrace | None:
        """Return the open trace of a key, opened if need be; None when it is closed."""
        trace = self._open.get(key)
        if trace is not None:
            if trace.cut is None or arrival.position.offset <= trace.cut.closed_at:
                return trace
            closed.append(self._close_at_cut(trace, arrival.now))
            return None
        cut, offset = None, arrival.position.offset
        if self._closed.is_replaced(key, offset):
            return None
        if self._closed.is_known(key):
            cut = self._closed.cut_of(key, offset)
            if cut is None:
                return None
        return self._new(key, envelope, arrival, cut)

    def _new(
        self, key: bytes, envelope: Envelope, arrival: Arrival, cut: Cut | None = None
    ) -> OpenTrace:
        tenant, position, now = arrival
        trace = OpenTrace(key, tenant, self._timers(envelope), position, now)
        if cut is not None:
            trace.cut, trace.revision = cut, cut.revision
        self._open[key] = trace
        self.watermark.pin(position.offset, key)
        self._charge(trace.size, tenant)
        return trace

    def _open_again(self, trace: OpenTrace, position: Position, now: float) -> None:
        """Let late spans join; the trace is charged again, and waits as any other."""
        self._last_offset = position.offset
        trace.revision += 1
        trace.first_position = position
        trace.opened = now
        self._open[trace.key] = trace
        self.watermark.pin(position.offset, trace.key)
        self._charge(trace.size, trace.tenant)
        trace.touch(position, now)
        self._deadlines.set(trace)

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
            seen, bit = kinds.get(span_id, 0), 1 << (kind & KIND_MASK)
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
                    size += MISSING_OVERHEAD
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

    def _close(
        self, trace: OpenTrace, reason: CloseReason, now: float, closed_at: int | None = None
    ) -> ClosedTrace:
        closed_at = self._last_offset if closed_at is None else closed_at
        del self._open[trace.key]
        self._deadlines.trim(len(self._open))
        self.open_bytes -= trace.size
        self.open_spans -= trace.fresh_spans
        self._closed.add(trace, closed_at, keep=reason not in _NOT_KEPT)
        return trace.close(reason, now, closed_at)

    def _close_at_cut(self, trace: OpenTrace, now: float) -> ClosedTrace:
        cut = trace.cut
        assert cut is not None
        return self._close(trace, cut.reason, now, cut.closed_at)
