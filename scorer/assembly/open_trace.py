"""A trace while its spans arrive."""

from array import array
from collections.abc import Iterable
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, CloseReason, Completeness, Envelope, LogEntry, SpanEntry

# What CPython holds beside the wire bytes, measured by tests/bench: the object, its lists
# and dictionary entries, the deadline, and per span the bytes header and the id entry.
TRACE_OVERHEAD = 1050
SPAN_OVERHEAD = 160
MISSING_OVERHEAD = 180
PARENT_OVERHEAD = 100
_KNOWN_OVERHEAD = 70
# Span kinds are 0 to 5; a sender may write any int32, which must not size a shift.
KIND_MASK = 15


def envelope_size(envelope: Envelope) -> int:
    """Return the bytes to charge to each trace that an envelope is new to.

    Traces share it, but any of them may be the last one that holds it.
    """
    return envelope.size


class Timers(NamedTuple):
    """When a trace is finished; seconds."""

    linger: float
    idle_timeout: float
    max_age: float


class Cut(NamedTuple):
    """Where a trace was closed before a restart, and how: it is closed there again."""

    closed_at: int
    revision: int
    reason: CloseReason


class OpenTrace:
    """The spans and log records of one unfinished trace, as wire bytes.

    `kinds` maps each span id to a bit mask of the span kinds seen with it: a span is
    identified by (span id, kind), because some tracers share an id between client and
    server. `missing` holds the parents that were named but have not come. `known` are the
    wire bytes of the first `compared` spans, a set that only a trace with duplicates has.
    """

    __slots__ = (
        "closed",
        "compared",
        "conflicts",
        "cut",
        "due",
        "duplicates",
        "ended",
        "envelopes",
        "first_position",
        "key",
        "kinds",
        "known",
        "last_position",
        "log_envelopes",
        "logs",
        "logs_before",
        "missing",
        "opened",
        "revision",
        "root_seen",
        "scheduled",
        "seen_before",
        "size",
        "spans",
        "tenant",
        "timers",
    )

    def __init__(
        self, key: bytes, tenant: str, timers: Timers, position: Position, now: float
    ) -> None:
        self.key = key
        self.tenant = tenant
        self.timers = timers
        self.opened = now
        self.due = 0.0
        self.scheduled = float("inf")
        self.spans: list[bytes] = []
        self.envelopes: list[Envelope] = []
        self.logs: list[bytes] | None = None
        self.log_envelopes: list[Envelope] | None = None
        self.kinds: dict[bytes, int] = {}
        self.missing: set[bytes] | None = None
        self.root_seen = False
        self.ended = False
        self.closed = False
        self.duplicates = 0
        self.conflicts = 0
        self.compared = 0
        self.revision = 1
        self.seen_before = 0  # spans that an earlier revision had
        self.logs_before = 0  # log records that it had
        self.cut: Cut | None = None
        self.known: set[bytes] | None = None
        self.size = TRACE_OVERHEAD
        self.first_position = position
        self.last_position = position

    @property
    def trace_id(self) -> bytes:
        """The 16 bytes of the trace id."""
        return self.key[-16:]

    @property
    def is_complete(self) -> bool:
        """Whether the root has ended and every parent that was named is there."""
        return self.root_seen and not self.missing

    def touch(self, position: Position, now: float) -> None:
        """Note an arrival and set when the trace is due without another one."""
        self.last_position = position
        wait = self.timers.idle_timeout
        if self.is_complete:
            wait = min(wait, self.timers.linger)
        self.due = min(now + wait, self.opened + self.timers.max_age)

    def timer_reason(self) -> CloseReason:
        """Say which timer makes the trace due."""
        if self.due >= self.opened + self.timers.max_age:
            return "max_age"
        lingered = self.is_complete and self.timers.linger <= self.timers.idle_timeout
        return "root" if lingered else "idle"

    def compare(self, wire: bytes) -> int:
        """Count a duplicate that differs from what is kept; returns the bytes to charge.

        The first of two spans with one identity is kept, whatever the second says.
        """
        if self.known is None:
            self.known = set()
        new = self.spans[self.compared :]
        self.known.update(new)
        self.compared += len(new)
        self.conflicts += wire not in self.known
        return len(new) * _KNOWN_OVERHEAD

    def add_log(self, wire: bytes, envelope: Envelope) -> int:
        """Keep a log record; returns the bytes charged."""
        if self.logs is None or self.log_envelopes is None:
            self.logs, self.log_envelopes = [], []
        charge = len(wire) + SPAN_OVERHEAD
        if not self.log_envelopes or self.log_envelopes[-1] is not envelope:
            charge += envelope_size(envelope)
        self.logs.append(wire)
        self.log_envelopes.append(envelope)
        self.size += charge
        return charge

    @property
    def fresh_spans(self) -> int:
        """How many spans no earlier revision had."""
        return len(self.spans) - self.seen_before

    def lacks(self, entry: SpanEntry | LogEntry) -> bool:
        """Whether a span or log record is not among those that are here."""
        if isinstance(entry, SpanEntry):
            return not self.kinds.get(entry.span_id, 0) & 1 << (entry.kind & KIND_MASK)
        return entry.wire not in (self.logs or ())

    def copy(self) -> "OpenTrace":
        """Return a trace with the same content, of which no timer knows; it shares the spans."""
        twin = OpenTrace(self.key, self.tenant, self.timers, self.first_position, self.opened)
        twin.spans, twin.envelopes, twin.kinds = self.spans, self.envelopes, self.kinds
        twin.logs, twin.log_envelopes = self.logs, self.log_envelopes
        twin.missing, twin.root_seen = self.missing, self.root_seen
        twin.duplicates, twin.conflicts = self.duplicates, self.conflicts
        twin.revision, twin.seen_before = self.revision, len(self.spans)
        twin.logs_before = len(self.logs or ())
        twin.size = self.size
        return twin

    def close(self, reason: CloseReason, now: float, closed_at: int) -> ClosedTrace:
        """Return the finished trace; the open one must not be used afterwards."""
        closed = self._finished(reason, now, closed_at)
        # The deadlines may hold on to this object for as long as `idle_timeout`.
        self.closed = True
        self.spans, self.envelopes, self.kinds = [], [], {}
        self.logs = self.log_envelopes = self.missing = self.known = None
        return closed

    def _finished(self, reason: CloseReason, now: float, closed_at: int) -> ClosedTrace:
        return ClosedTrace(
            tenant=self.tenant,
            trace_id=self.trace_id,
            spans=tuple(self.spans),
            span_envelopes=tuple(self.envelopes),
            logs=tuple(self.logs or ()),
            log_envelopes=tuple(self.log_envelopes or ()),
            reason=reason,
            opened=self.opened,
            closed=now,
            completeness=Completeness(
                span_count=len(self.spans),
                root_present=self.root_seen,
                orphan_parents=len(self.missing or ()),
                duplicates=self.duplicates,
                conflicts=self.conflicts,
            ),
            first_position=self.first_position,
            last_position=self.last_position,
            size=self.size,
            revision=self.revision,
            closed_at=closed_at,
            fresh_spans=self.fresh_spans,
            fresh_logs=len(self.logs or ()) - self.logs_before,
            digest=self._digest(),
        )

    def _digest(self) -> bytes:
        pairs = sorted(self.kinds.items())
        kinds = array("H", [mask for _, mask in pairs])
        ids = b"".join([span_id for span_id, _ in pairs])
        return blake2b(ids + kinds.tobytes(), digest_size=16).digest()


def trace_key(trace_id: bytes, tenant: str) -> bytes:
    """Return the key of a trace: its id alone for the default tenant, to save memory."""
    return trace_id if not tenant else tenant.encode() + b"\0" + trace_id


def first_to_go(open_traces: Iterable[OpenTrace], tenant: str | None) -> Iterable[OpenTrace]:
    """Return the traces (of a tenant, where one is given) in the order of their early close.

    First those of a single span, for a flood of random ids is made of them, then the others,
    always those opened first.
    """
    traces = [trace for trace in open_traces if tenant is None or trace.tenant == tenant]
    single = [trace for trace in traces if len(trace.spans) == 1]
    return chain(single, [trace for trace in traces if len(trace.spans) != 1])
