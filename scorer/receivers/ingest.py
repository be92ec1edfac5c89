"""The one door for spans: split, admit, assemble, count. All receivers go through it."""

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from scorer.assembly.assembler import Assembler
from scorer.errors import PermanentError
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Envelope, LogEntry, SpanEntry
from scorer.otlp.json_mapping import count_metric_points
from scorer.otlp.signal import Signal
from scorer.otlp.split import END_MARKER, SplitSpans, has_end_marker, split_logs, split_traces
from scorer.receivers.admission import Admission, Refusal
from scorer.receivers.resident import give_back
from scorer.telemetry import FaultLog, Telemetry

_LOG = logging.getLogger("spanscore.receivers")

_END_MARKER = END_MARKER.encode()
# How often memory is given back while the process takes too much, seconds.
_GIVE_BACK_S = 1.0

_Entry = TypeVar("_Entry", SpanEntry, LogEntry)


class Accepted(NamedTuple):
    """The answer to a request that was taken: what of it was not, and why ("" = all well)."""

    rejected: int = 0
    message: str = ""


class Take(Protocol):
    """One of the methods of `Ingest`."""

    def __call__(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take a body."""
        ...


class Ingest(Protocol):
    """Takes the bodies of OTLP requests (protobuf wire bytes).

    Calls are quick and never block. They raise `PermanentError` (undecodable),
    `TooLargeError`, or `RetryableError` (no room now, or shutting down).
    """

    def traces(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportTraceServiceRequest."""
        ...

    def logs(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportLogsServiceRequest."""
        ...

    def metrics(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Count an ExportMetricsServiceRequest; nothing of it is kept."""
        ...


def takers(ingest: Ingest) -> dict[Signal, Take]:
    """Return what takes the bodies of each signal."""
    return {"traces": ingest.traces, "logs": ingest.logs, "metrics": ingest.metrics}


class AssemblingIngest:
    """Feeds one assembler and hands on the traces that it closes.

    `may_end` tells from a span's resource and scope whether its end marker counts.
    """

    def __init__(  # noqa: PLR0913 - it stands between these seven
        self,
        *,
        source: str,
        assembler: Assembler,
        admission: Admission,
        telemetry: Telemetry,
        clock: Callable[[], float],
        on_closed: Callable[[Sequence[ClosedTrace]], None],
        may_end: Callable[[Envelope], bool] = lambda _: True,
    ) -> None:
        self._source = source
        self._assembler = assembler
        self._admission = admission
        self._telemetry = telemetry
        self._clock = clock
        self._on_closed = on_closed
        self._may_end = may_end
        self._requests = 0
        self._faults = FaultLog(_LOG, clock)
        self._given_back = -_GIVE_BACK_S

    def stop(self) -> None:
        """Refuse everything from now on."""
        self._admission.stop()

    def traces(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportTraceServiceRequest."""
        spans, rejected, why = self._split(body)
        add, now = self._telemetry.add, self._clock()
        add("spanscore_offered_spans_total", len(spans) + rejected)
        if rejected:
            add("spanscore_refused_spans_total", rejected, reason="invalid")
        try:
            self._admission.check_size(len(body))
        except Exception:
            add("spanscore_refused_spans_total", len(spans), reason="too_large")
            raise
        refusal = self._admission.refusal(len(body), tenant, now)
        taken = spans if refusal is None else self._of_open(spans, refusal, tenant)
        self._push(taken, self._is_end if _END_MARKER in body else None, tenant, now)
        if refusal is not None and (refusal.is_total or len(taken) < len(spans)):
            left = len(spans) - len(taken)
            add("spanscore_refused_spans_total", left, reason=refusal.reason)
            self._refuse(refusal, len(body), tenant, now)
        return Accepted(rejected, f"{rejected} spans rejected: {why}" if rejected else "")

    def logs(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportLogsServiceRequest; records without a trace are counted and dropped."""
        split = split_logs(body)
        now = self._clock()
        self._admission.check_size(len(body))
        refusal = self._admission.refusal(len(body), tenant, now)
        records = split.records
        taken = records if refusal is None else self._of_open(records, refusal, tenant)
        pushed = self._assembler.push_logs(taken, self._position(), now, tenant)
        outcomes = {
            "joined": pushed.accepted,
            "late": pushed.late,
            "untraced": split.untraced,
            "invalid": split.rejected,
            "refused": len(records) - len(taken),
        }
        for outcome, count in outcomes.items():
            if count:
                self._telemetry.add("spanscore_log_records_total", count, outcome=outcome)
        self._on_closed(pushed.closed)
        if refusal is not None and (refusal.is_total or len(taken) < len(records)):
            self._refuse(refusal, len(body), tenant, now)
        why = split.rejected_reason
        return Accepted(split.rejected, f"log records rejected: {why}" if split.rejected else "")

    def metrics(self, body: bytes, *, tenant: str = "") -> Accepted:  # noqa: ARG002 - nothing is kept
        """Count the points of an ExportMetricsServiceRequest."""
        self._telemetry.add("spanscore_metric_points_total", count_metric_points(body))
        return Accepted()

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

    def _push(
        self,
        spans: Sequence[SpanEntry],
        is_end: Callable[[bytes, Envelope], bool] | None,
        tenant: str,
        now: float,
    ) -> None:
        pushed = self._assembler.push(spans, self._position(), now, tenant, is_end)
        self._admission.accepted(len(spans), now)
        counts = {
            "spanscore_accepted_spans_total": len(spans),
            "spanscore_duplicate_spans_total": pushed.duplicates,
            "spanscore_conflicting_spans_total": pushed.conflicts,
            "spanscore_late_spans_total": pushed.late,
            "spanscore_late_unjoined_spans_total": pushed.late,
        }
        for name, count in counts.items():
            if count:
                self._telemetry.add(name, count)
        self._on_closed(pushed.closed)

    def _of_open(self, entries: Sequence[_Entry], refusal: Refusal, tenant: str) -> list[_Entry]:
        """Return the entries that are taken in spite of a refusal."""
        if refusal.is_total:
            return []
        find = self._assembler.find
        return [entry for entry in entries if find(entry.trace_id, tenant) is not None]

    def _refuse(self, refusal: Refusal, size: int, tenant: str, now: float) -> None:
        """Make room if that is due, and raise."""
        self._on_closed(self._admission.relieve(refusal, size, tenant, now))
        if refusal.reason != "shutdown":
            self._faults.report("requests are refused", refusal.error())
        raise refusal.error()

    def _is_end(self, wire: bytes, envelope: Envelope) -> bool:
        return has_end_marker(wire) and self._may_end(envelope)

    def _position(self) -> Position:
        self._requests += 1
        return Position(self._source, 0, self._requests)
