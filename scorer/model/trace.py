"""A trace on its way: the wire bytes that the assembler closes, and their decoded form."""

from typing import Literal, NamedTuple

from msgspec import Struct

from scorer.model.position import Position
from scorer.model.reading import Measured
from scorer.model.span import LogRecord, Span

CloseReason = Literal[
    "end_marker",
    "root",
    "idle",
    "max_age",
    "span_cap",
    "byte_cap",
    "memory",
    "shutdown",
    "replay_end",
]


class Envelope(NamedTuple):
    """What the spans of one ScopeSpans share: wire bytes of Resource and InstrumentationScope.

    `resource_rest` and `scope_rest` are the other fields of ResourceSpans and of ScopeSpans as
    wire bytes: the schema URLs, and what is not known. So nothing is lost on the way through.
    """

    resource: bytes
    scope: bytes
    resource_rest: bytes = b""
    scope_rest: bytes = b""

    @property
    def size(self) -> int:
        """The bytes that it holds."""
        return sum(map(len, self))


Item = tuple[bytes, Envelope]
"""The wire bytes of a span or log record, and what it was sent under."""


class SpanEntry(NamedTuple):
    """One valid span: ids (16 and 8 bytes), end in Unix nanoseconds, wire bytes as sent.

    `parent_span_id` is `b""` for a root.
    """

    trace_id: bytes
    span_id: bytes
    parent_span_id: bytes
    kind: int
    end_ns: int
    wire: bytes
    envelope: Envelope


class LogEntry(NamedTuple):
    """One log record of a trace. `span_id` is `b""` where the record names no valid span."""

    trace_id: bytes
    span_id: bytes
    time_ns: int
    wire: bytes
    envelope: Envelope


class Completeness(Struct, frozen=True, kw_only=True):
    """How much of a trace was there when it was scored.

    `conflicts` are the duplicates whose content differs from the span that was kept.
    `dropped` sums the dropped attribute, event and link counts that the SDK reported;
    `truncated_content` says that some content was cut (by a length limit, an attribute
    limit, or because it does not parse any more). `undecodable` counts spans, log records,
    resources and scopes whose bytes do not decode; what can be read of them is there, broken
    text with U+FFFD. `lost` names what could not be (at most 16 keys of attributes, or fields
    of OTLP). `duplicate_keys` counts attributes that a later one of the same key replaced.
    """

    span_count: int
    root_present: bool
    orphan_parents: int = 0
    duplicates: int = 0
    conflicts: int = 0
    dropped: int = 0
    truncated_content: bool = False
    undecodable: int = 0
    lost: tuple[str, ...] = ()
    duplicate_keys: int = 0


class ClosedTrace(Struct, frozen=True, kw_only=True):
    """A finished trace, still as wire bytes.

    `spans[i]` was sent under `span_envelopes[i]`; likewise for logs. Spans stand in the
    order of arrival. `opened` and `closed` are seconds of the assembler's clock. `closed_at` is
    the offset of the last request that was taken when it closed. `fresh_spans` and `fresh_logs`
    are those that no earlier revision had: the last ones. `digest` stands for the set of (span id,
    kind). `readings` are what OTLP metrics said of its processes when it was closed.
    """

    tenant: str
    trace_id: bytes
    spans: tuple[bytes, ...]
    span_envelopes: tuple[Envelope, ...]
    logs: tuple[bytes, ...] = ()
    log_envelopes: tuple[Envelope, ...] = ()
    reason: CloseReason
    opened: float
    closed: float
    completeness: Completeness
    first_position: Position
    last_position: Position
    size: int
    revision: int = 1
    closed_at: int = 0
    fresh_spans: int = 0
    fresh_logs: int = 0
    digest: bytes = b""
    readings: tuple[Measured, ...] = ()


class Trace(Struct, frozen=True, kw_only=True):
    """A finished trace, decoded: spans by start time, then by id; logs by time."""

    tenant: str
    trace_id: str
    spans: tuple[Span, ...]
    logs: tuple[LogRecord, ...]
    reason: CloseReason
    completeness: Completeness
    revision: int = 1
