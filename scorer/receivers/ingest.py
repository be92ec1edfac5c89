"""The one door for spans: split, admit, assemble, count. All receivers go through it."""

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.errors import RetryableError, TooLargeError
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace
from scorer.otlp.json_mapping import count_metric_points
from scorer.otlp.signal import Signal
from scorer.otlp.split import END_MARKER, has_end_marker, split_logs, split_traces
from scorer.telemetry import FaultLog, Telemetry

_LOG = logging.getLogger("spanscore.receivers")

_END_MARKER = END_MARKER.encode()
# How long the budget may refuse before the oldest traces are closed to make room, seconds.
_PATIENCE_S = 1.0
# The share of the budget that is then freed.
_RELIEF = 0.1


class Accepted(NamedTuple):
    """The answer to a request that was taken: what of it was not, and why ("" = all well)."""

    rejected: int = 0
    message: str = ""


class Ingest(Protocol):
    """Takes the bodies of OTLP requests (protobuf wire bytes).

    Calls are quick and never block. They raise `PermanentError` (undecodable),
    `TooLargeError`, or `RetryableError` (the memory budget is full, or shutting down).
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


def takers(ingest: Ingest) -> dict[Signal, Callable[[bytes], Accepted]]:
    """Return what takes the bodies of each signal."""
    return {"traces": ingest.traces, "logs": ingest.logs, "metrics": ingest.metrics}


class AssemblingIngest:
    """Feeds one assembler and hands on the traces that it closes."""

    def __init__(  # noqa: PLR0913 - it stands between these six
        self,
        *,
        source: str,
        assembler: Assembler,
        budget: MemoryBudget,
        telemetry: Telemetry,
        clock: Callable[[], float],
        on_closed: Callable[[Sequence[ClosedTrace]], None],
    ) -> None:
        self._source = source
        self._assembler = assembler
        self._budget = budget
        self._telemetry = telemetry
        self._clock = clock
        self._on_closed = on_closed
        self._requests = 0
        self._full_since: float | None = None
        self._faults = FaultLog(_LOG, clock)
        self._is_stopping = False

    def stop(self) -> None:
        """Refuse everything from now on."""
        self._is_stopping = True

    def traces(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportTraceServiceRequest."""
        spans, rejected, why = split_traces(body)
        add = self._telemetry.add
        add("spanscore_offered_spans_total", len(spans) + rejected)
        if rejected:
            add("spanscore_refused_spans_total", rejected, reason="invalid")
        try:
            self._admit(len(body))
        except RetryableError:
            add("spanscore_refused_spans_total", len(spans), reason=self._refusal())
            raise
        except TooLargeError:
            add("spanscore_refused_spans_total", len(spans), reason="too_large")
            raise
        is_end = has_end_marker if _END_MARKER in body else None
        pushed = self._assembler.push(spans, self._position(), self._clock(), tenant, is_end)
        add("spanscore_accepted_spans_total", len(spans))
        if pushed.duplicates:
            add("spanscore_duplicate_spans_total", pushed.duplicates)
        if pushed.late:
            add("spanscore_late_spans_total", pushed.late)
            add("spanscore_late_unjoined_spans_total", pushed.late)
        self._on_closed(pushed.closed)
        return Accepted(rejected, f"{rejected} spans rejected: {why}" if rejected else "")

    def logs(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportLogsServiceRequest; records without a trace are counted and dropped."""
        split = split_logs(body)
        self._admit(len(body))
        pushed = self._assembler.push_logs(split.records, self._position(), self._clock(), tenant)
        outcomes = {
            "joined": pushed.accepted,
            "late": pushed.late,
            "untraced": split.untraced,
            "invalid": split.rejected,
        }
        for outcome, count in outcomes.items():
            if count:
                self._telemetry.add("spanscore_log_records_total", count, outcome=outcome)
        self._on_closed(pushed.closed)
        why = split.rejected_reason
        return Accepted(split.rejected, f"log records rejected: {why}" if split.rejected else "")

    def metrics(self, body: bytes, *, tenant: str = "") -> Accepted:  # noqa: ARG002 - nothing is kept
        """Count the points of an ExportMetricsServiceRequest."""
        self._telemetry.add("spanscore_metric_points_total", count_metric_points(body))
        return Accepted()

    def poll(self) -> None:
        """Close what is due."""
        self._on_closed(self._assembler.poll(self._clock()))

    def _position(self) -> Position:
        self._requests += 1
        return Position(self._source, 0, self._requests)

    def _refusal(self) -> str:
        return "shutdown" if self._is_stopping else "memory"

    def _admit(self, size: int) -> None:
        """Raise unless `size` more bytes may be held now.

        While the budget is full, requests are refused. When that lasts, the traces opened
        first are closed early: a sender of endless traces cannot block the others for good.
        """
        if self._is_stopping:
            raise RetryableError("shutting down", retry_after_s=2)
        if size > self._budget.limit:
            raise TooLargeError(
                f"a request of {size} bytes is over assembly.memory "
                f"({int(self._budget.limit)} bytes)"
            )
        if self._budget.fits(size):
            self._full_since = None
            return
        now = self._clock()
        if self._full_since is None:
            self._full_since = now
        elif now - self._full_since >= _PATIENCE_S:
            self._full_since = now
            room = max(size, int(self._budget.limit * _RELIEF))
            self._on_closed(self._assembler.relieve(room, now))
        full = RetryableError(
            f"the memory budget is full (assembly.memory: {int(self._budget.limit)} bytes); "
            "send it again",
            retry_after_s=1,
        )
        self._faults.report("requests are refused", full)
        raise full
