"""The one door for spans: split, admit, assemble, count. All receivers go through it."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from scorer.assembly.assembler import Assembler
from scorer.assembly.open_trace import OpenTrace
from scorer.assembly.pushed import Pushed, Whole
from scorer.errors import PermanentError, SpanscoreError, TooLargeError
from scorer.journal import Record, WritableLog
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Envelope, Item, LogEntry, SpanEntry
from scorer.otlp.glance import glance
from scorer.otlp.join import join
from scorer.otlp.json_mapping import count_metric_points
from scorer.otlp.signal import Signal
from scorer.otlp.split import END_MARKER, SplitSpans, has_end_marker, split_logs, split_traces
from scorer.receivers.admission import Admission, Refusal
from scorer.receivers.entries import Request, Snapshot, decode, encode, snapshot
from scorer.receivers.resident import give_back
from scorer.receivers.strays import Strays
from scorer.receivers.take import Accepted
from scorer.scoring.forwarding import Stray
from scorer.scoring.readings.join import NoReadings, Readings
from scorer.telemetry import FaultLog, Telemetry

_LOG = logging.getLogger("spanscore.receivers")

_END_MARKER = END_MARKER.encode()
# How often memory is given back while the process takes too much, seconds.
_GIVE_BACK_S = 1.0

_Entry = TypeVar("_Entry", SpanEntry, LogEntry)


class AssemblingIngest:
    """Feeds one assembler and hands on the traces that it closes.

    `may_end` tells from a span's resource and scope whether its end marker counts. What belongs
    to no open trace is given to `strays`; without it, it is counted and dropped. `readings` hear of
    the metrics of agents' processes.
    """

    def __init__(  # noqa: PLR0913 - it stands between these ten
        self,
        *,
        source: str,
        assembler: Assembler,
        admission: Admission,
        telemetry: Telemetry,
        clock: Callable[[], float],
        on_closed: Callable[[Sequence[ClosedTrace]], None],
        may_end: Callable[[Envelope], bool] = lambda _: True,
        log: WritableLog | None = None,
        strays: Strays | None = None,
        readings: Readings | None = None,
    ) -> None:
        self._source = source
        self._assembler = assembler
        self._admission = admission
        self._telemetry = telemetry
        self._clock = clock
        self._on_closed = on_closed
        self._may_end = may_end
        self._log = log
        self._strays = strays
        self._readings = readings or NoReadings()
        self._position = Position(source, 0, 0)
        self._faults = FaultLog(_LOG, clock)
        self._given_back = -_GIVE_BACK_S

    def stop(self) -> None:
        """Refuse everything from now on."""
        self._admission.stop()

    def traces(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportTraceServiceRequest."""
        size, now, refusal = len(body), self._clock(), None
        if self._admission.can_hold(size):
            refusal = self._admission.refusal(size, tenant, now)
        if refusal is not None:
            self._refuse_new(refusal, body, tenant, now)
        spans, rejected, why = self._split(body)
        add = self._telemetry.add
        add("spanscore_offered_spans_total", len(spans) + rejected)
        if rejected:
            add("spanscore_refused_spans_total", rejected, reason="invalid")
        try:
            self._admission.check_size(size)
        except Exception:
            add("spanscore_refused_spans_total", len(spans), reason="too_large")
            raise
        taken = spans if refusal is None else self._of_open(spans, refusal, tenant)
        offset, first = 0, self._next_offset()
        if taken:
            whole = body if refusal is None else join((span.wire, span.envelope) for span in taken)
            offset = self._log_spans(taken, whole, tenant, now)
            self._push(taken, body, tenant, now)
        if refusal is not None and (refusal.is_total or len(taken) < len(spans)):
            left = len(spans) - len(taken)
            add("spanscore_refused_spans_total", left, reason=refusal.reason)
            self._refuse(refusal, size, tenant, now)
        told = f"{rejected} spans rejected: {why}" if rejected else ""
        return Accepted(rejected, told, offset, first if offset else 0)

    def logs(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportLogsServiceRequest.

        Records without a trace, and scores of anybody, are passed on or dropped.
        """
        try:
            split = split_logs(body)
        except PermanentError as error:
            self._count_logs(invalid=error.items)
            raise
        now = self._clock()
        self._admission.check_size(len(body))
        refusal = self._admission.refusal(len(body), tenant, now)
        records = split.records
        taken = records if refusal is None else self._of_open(records, refusal, tenant)
        others = [] if self._strays is None else split.aside
        is_refused = refusal is not None and (
            refusal.is_total or len(taken) < len(records) or (bool(others) and refusal.lacks_room)
        )
        # A sender repeats what is refused in part, and nobody would know these again.
        aside = [] if is_refused else others
        offset, first = 0, self._next_offset()
        if taken or aside:
            items = [(log.wire, log.envelope) for log in taken]
            whole = body if refusal is None else join([*items, *aside])
            offset = self._log_records(taken, whole, tenant, now)
        self._push_logs(taken, tenant, now)
        self._pass_on_aside(aside, tenant)
        self._count_logs(invalid=split.rejected, refused=len(records) - len(taken))
        if refusal is not None and is_refused:
            self._refuse(refusal, len(body), tenant, now)
        self._count_logs(untraced=len(split.untraced), evaluation=len(split.evaluations))
        why = f"log records rejected: {split.rejected_reason}" if split.rejected else ""
        return Accepted(split.rejected, why, offset, first if offset else 0)

    def metrics(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Count the points of an ExportMetricsServiceRequest, and pass it on as it is."""
        points, offset = count_metric_points(body), 0
        wanted = self._readings.wanted(body)
        if self._strays is not None and body:
            now = self._clock()
            self._admission.check_size(len(body))
            refusal = self._admission.refusal(len(body), tenant, now)
            if refusal is not None and refusal.lacks_room:
                self._refuse(refusal, len(body), tenant, now)
            offset = self._write(Request("metrics", tenant, body))
            self._pass_on_metrics(body, points, tenant)
        elif wanted:  # for the traces that are open when the process ends
            offset = self._write(Request("metrics", tenant, join(wanted)))
        self._readings.take(wanted, tenant)
        self._telemetry.add("spanscore_metric_points_total", points)
        return Accepted(offset=offset, first=offset)

    def _split(self, body: bytes) -> SplitSpans:
        try:
            return split_traces(body)
        except PermanentError as error:
            self._telemetry.add("spanscore_offered_spans_total", error.items)
            self._telemetry.add("spanscore_refused_spans_total", error.items, reason="invalid")
            raise

    def poll(self) -> None:
        """Close what is due, and look at the memory."""
        now = self._clock()
        self._on_closed(self._assembler.poll(now))
        if self._admission.look_at_memory() and now - self._given_back >= _GIVE_BACK_S:
            self._given_back = now
            give_back()

    async def durable(self, offset: int, first: int | None = None) -> None:
        """Return when what is in the log from `first` to `offset` may be acknowledged."""
        if self._log is not None:
            await self._log.synced(offset, first)

    def foresee(self, record: Record) -> None:
        """Look at an entry of a log that is about to be taken again; see `Assembler.foresee`.

        Raises:
            PermanentError: It is none of our entries.
        """
        entry = decode(record.payload)
        if isinstance(entry, Snapshot):
            entries: list[SpanEntry | LogEntry] = [
                *split_traces(entry.traces).spans,
                *split_logs(entry.logs).records,
            ]
            for trace_id in {one.trace_id for one in entries}:
                self._assembler.foresee((entry.tenant, trace_id), record.offset)

    def take_again(self, record: Record) -> tuple[int, int]:
        """Take what a log holds at one place; returns its spans, and how many are re-reads.

        Raises:
            PermanentError: It is none of our entries.
        """
        entry, now = decode(record.payload), self._clock()
        self._position = Position(self._source, 0, record.offset)
        if isinstance(entry, Request) and entry.signal == "metrics":
            self._pass_on_metrics(entry.body, count_metric_points(entry.body), entry.tenant)
            self._readings.take(self._readings.wanted(entry.body), entry.tenant)
            return 0, 0
        if isinstance(entry, Request) and entry.signal == "logs":
            split = split_logs(entry.body)
            self._push_logs(split.records, entry.tenant, now)
            self._pass_on_aside(split.aside, entry.tenant)
            return 0, 0
        body = entry.traces if isinstance(entry, Snapshot) else entry.body
        spans = split_traces(body).spans
        self._telemetry.add("spanscore_offered_spans_total", len(spans))
        if isinstance(entry, Request):
            pushed = self._push(spans, body, entry.tenant, now)
        else:
            pushed = self._restore(entry, spans, now)
        return len(spans), pushed.rereads

    def _restore(self, entry: Snapshot, spans: Sequence[SpanEntry], now: float) -> Pushed:
        logs = split_logs(entry.logs).records
        if not spans and not logs:
            return Pushed(0, 0, 0, [])
        twice = entry.duplicates, entry.conflicts
        whole = Whole(entry.tenant, entry.revision, spans, logs, *twice)
        pushed = self._assembler.restore(whole, self._position, now)
        self._count_pushed(spans, pushed)
        self._on_closed(pushed.closed)
        return pushed

    def spill(self, trace: OpenTrace) -> None:
        """Write an open trace to the head of the log, so that its older part may be released.

        Raises:
            RetryableError: The disk is full or fails.
        """
        self._write(snapshot(trace, trace.revision), makes_room=True)
        self._assembler.moved(trace, self._position)

    def _log_spans(self, spans: Sequence[SpanEntry], body: bytes, tenant: str, now: float) -> int:
        """Write spans to the log, the kept traces that they add to first."""
        try:
            return self._write_late(Request("traces", tenant, body), spans, now)
        except SpanscoreError as error:
            reason = "too_large" if isinstance(error, TooLargeError) else "journal"
            self._telemetry.add("spanscore_refused_spans_total", len(spans), reason=reason)
            raise

    def _log_records(
        self, records: Sequence[LogEntry], body: bytes, tenant: str, now: float
    ) -> int:
        """Write log records to the log, as spans are."""
        try:
            return self._write_late(Request("logs", tenant, body), records, now)
        except SpanscoreError:
            self._count_logs(refused=len(records))
            raise

    def _write_late(
        self, request: Request, entries: Sequence[SpanEntry] | Sequence[LogEntry], now: float
    ) -> int:
        """Write a request, the kept traces that it adds to first, which are open from then on."""
        reopen = self._assembler.reopen
        reopened = reopen(entries, request.tenant, now, self._place_of_late)
        # Were it refused now, those would be scored once more without anything new, at each try.
        return self._write(request, makes_room=reopened > 0)

    def _next_offset(self) -> int:
        return 0 if self._log is None else self._log.next_offset

    def _place_of_late(self, trace: OpenTrace) -> Position:
        if self._log is None:
            return Position(self._source, 0, self._position.offset + 1)
        self._write(snapshot(trace, trace.revision + 1))
        return self._position

    def _write(self, entry: Request | Snapshot, *, makes_room: bool = False) -> int:
        """Write to the log, where there is one; returns the offset, 0 without a log."""
        if self._log is None:
            self._position = Position(self._source, 0, self._position.offset + 1)
            return 0
        offset = self._log.append(encode(entry), makes_room=makes_room)
        self._position = Position(self._source, 0, offset)
        return offset

    def _push(self, spans: Sequence[SpanEntry], body: bytes, tenant: str, now: float) -> Pushed:
        is_end = self._is_end if _END_MARKER in body else None
        pushed = self._assembler.push(spans, self._position, now, tenant, is_end)
        self._admission.accepted(len(spans), len(body), now)
        self._count_pushed(spans, pushed)
        self._pass_on_late(pushed, "traces", tenant)
        self._on_closed(pushed.closed)
        return pushed

    def _pass_on_late(self, pushed: Pushed, signal: Signal, tenant: str) -> None:
        if self._strays is not None and pushed.strays:
            self._strays.late(pushed.strays, signal, tenant, self._position.offset)

    def _pass_on_aside(self, logs: Sequence[Item], tenant: str) -> None:
        if self._strays is not None:
            self._strays.untraced(logs, tenant, self._position.offset)

    def _pass_on_metrics(self, body: bytes, points: int, tenant: str) -> None:
        if self._strays is not None:
            stray = Stray("metrics", tenant, b"", body, points)
            self._strays.take(stray, self._position.offset)

    def _count_pushed(self, spans: Sequence[SpanEntry], pushed: Pushed) -> None:
        counts = {
            "spanscore_accepted_spans_total": len(spans),
            "spanscore_duplicate_spans_total": pushed.duplicates,
            "spanscore_conflicting_spans_total": pushed.conflicts,
            "spanscore_reread_spans_total": pushed.rereads,
            "spanscore_late_spans_total": pushed.late,
            "spanscore_late_unjoined_spans_total": pushed.unjoined,
        }
        for name, count in counts.items():
            if count:
                self._telemetry.add(name, count)

    def _push_logs(self, records: Sequence[LogEntry], tenant: str, now: float) -> None:
        pushed = self._assembler.push_logs(records, self._position, now, tenant)
        self._count_logs(joined=pushed.accepted, late=pushed.unjoined)
        self._pass_on_late(pushed, "logs", tenant)
        self._count_logs(duplicate=pushed.duplicates, reread=pushed.rereads)
        self._on_closed(pushed.closed)

    def _count_logs(self, **outcomes: int) -> None:
        for outcome, count in outcomes.items():
            if count:
                self._telemetry.add("spanscore_log_records_total", count, outcome=outcome)

    def _of_open(self, entries: Sequence[_Entry], refusal: Refusal, tenant: str) -> list[_Entry]:
        """Return the entries that are taken in spite of a refusal."""
        if refusal.is_total:
            return []
        find = self._assembler.find
        return [entry for entry in entries if find(entry.trace_id, tenant) is not None]

    def _refuse_new(self, refusal: Refusal, body: bytes, tenant: str, now: float) -> None:
        """Raise at once where nothing of a request can be taken.

        Under overload most requests are refused, and those that are taken wait for that.
        """
        seen = glance(body)
        if seen is None:
            return
        find = self._assembler.find
        if refusal.is_total or all(find(each, tenant) is None for each in seen.trace_ids):
            self._telemetry.add("spanscore_offered_spans_total", seen.spans)
            self._telemetry.add("spanscore_refused_spans_total", seen.spans, reason=refusal.reason)
            self._refuse(refusal, len(body), tenant, now)

    def _refuse(self, refusal: Refusal, size: int, tenant: str, now: float) -> None:
        """Make room if that is due, and raise."""
        self._on_closed(self._admission.relieve(refusal, size, tenant, now))
        if refusal.reason != "shutdown":
            self._faults.report("requests are refused", refusal.error())
        raise refusal.error()

    def _is_end(self, wire: bytes, envelope: Envelope) -> bool:
        return has_end_marker(wire) and self._may_end(envelope)
