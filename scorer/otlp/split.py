"""Cuts an OTLP request into spans or log records without decoding their attributes.

Theory of operation. This is the hot path of ingest. The request is parsed once with shadow
messages (`proto/scorer/pb/split/v1/split.proto`: the field numbers of OTLP, but each span,
resource and scope is `bytes`), so every span comes out as exactly the bytes that were sent.
Of a span only its head is parsed: ids, kind and end. One head message is reused per
scope; its arena grows by at most the size of the request and is freed with it.

What is wrong with one span rejects that span (OTLP partial success), never its neighbours. A
request in which nothing looks like the expected signal is a `PermanentError`: most likely it
was sent to the wrong endpoint.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError
from scorer.model.evaluation import EVENT_PREFIX
from scorer.model.trace import Envelope, Item, LogEntry, SpanEntry
from scorer.otlp.salvage import Losses, mend
from scorer.otlp.session_key import may_hold_sessions, session_trace_id
from scorer.otlp.wire import Path, count_messages, path
from scorer.pb.split.v1 import split_pb2

END_MARKER = "spanscore.trace.end"

_END_MARKER_BYTES = END_MARKER.encode()
_EVALUATION_BYTES = EVENT_PREFIX.encode()
_NO_TRACE = bytes(16)
_NO_SPAN = bytes(8)
# LogRecord.time_unix_nano is a fixed64 (tag 0x09). Spans and metrics start with a
# length-delimited field 1 instead, which no log record can have.
_NOT_A_LOG = b"\x0a"
# What a body over `_SMALL` bytes is walked for before it is parsed: spans or log records, and
# the attributes, events and links of large ones.
_ITEMS = path(1, 2, 2)
_SPAN_PARTS = path((9, 11, 13))
_LOG_PARTS = path(6)
_SMALL = 2**20
_WRONG_SIGNAL = "is this payload meant for another OTLP signal?"

_M = TypeVar("_M", bound=Message)
_Group = (
    split_pb2.ResourceSpans | split_pb2.ScopeSpans | split_pb2.ResourceLogs | split_pb2.ScopeLogs
)
_LIST_OF: dict[type[Message], str] = {
    split_pb2.ResourceSpans: "scope_spans",
    split_pb2.ScopeSpans: "spans",
    split_pb2.ResourceLogs: "scope_logs",
    split_pb2.ScopeLogs: "log_records",
}


class SplitSpans(NamedTuple):
    """The valid spans of a request, how many were rejected, and why the first one was."""

    spans: list[SpanEntry]
    rejected: int
    rejected_reason: str


class SplitLogs(NamedTuple):
    """The log records of traces, and of sessions, whose trace id is derived from their key.

    `untraced` ones carry no valid trace id, which is no error. `evaluations` are the events that
    bring scores, ours or another evaluator's: they neither open nor hold nor change a trace, or
    each score would be the cause of the next.
    """

    records: list[LogEntry]
    untraced: list[Item]
    evaluations: list[Item]
    rejected: int = 0
    rejected_reason: str = ""

    @property
    def aside(self) -> list[Item]:
        """What belongs to no trace, and is only passed on."""
        return [*self.untraced, *self.evaluations]


class _Rejects:
    """Counts what was not taken; `foreign` are those that do not look like the signal at all."""

    __slots__ = ("count", "foreign", "reason")

    def __init__(self) -> None:
        self.count = 0
        self.foreign = 0
        self.reason = ""

    def add(self, reason: str, *, foreign: bool = False) -> None:
        self.count += 1
        self.foreign += foreign
        self.reason = self.reason or reason


class _EnvelopeCache:
    """Makes equal envelopes of later requests the same object, so that kept traces share them.

    Bounded by count and by the size of an entry (at most 8 MiB in all); when it is full it
    starts anew, which costs a copy per service and nothing else.
    """

    def __init__(self, entries: int = 512, entry_bytes: int = 16 * 1024) -> None:
        self._entries = entries
        self._entry_bytes = entry_bytes
        self._known: dict[Envelope, Envelope] = {}

    def share(self, envelope: Envelope) -> Envelope:
        if envelope.size > self._entry_bytes:
            return envelope
        if len(self._known) >= self._entries:
            self._known.clear()
        return self._known.setdefault(envelope, envelope)


_share = _EnvelopeCache().share


def split_traces(body: bytes) -> SplitSpans:
    """Split an ExportTraceServiceRequest (or TracesData).

    Raises:
        PermanentError: The body is no protobuf, or holds nothing that looks like a span.
        TooLargeError: The body is made of tiny messages that would take far more memory.
    """
    request = _parse(split_pb2.Traces, body, "ExportTraceServiceRequest", _SPAN_PARTS)
    if body and not request.resource_spans:
        raise PermanentError(f"no ResourceSpans in a body of {len(body)} bytes; {_WRONG_SIGNAL}")
    spans: list[SpanEntry] = []
    rejects = _Rejects()
    for group in request.resource_spans:
        scopes, (resource, resource_rest) = group.scope_spans, _head(group, "resource")
        for scope_spans in scopes:
            wires, (scope, scope_rest) = scope_spans.spans, _head(scope_spans, "scope")
            envelope = _share(Envelope(resource, scope, resource_rest, scope_rest))
            _split_spans(wires, envelope, spans, rejects)
    if rejects.foreign and not spans and rejects.foreign == rejects.count:
        raise PermanentError(
            f"none of {rejects.count} spans has ids; {_WRONG_SIGNAL}", items=rejects.count
        )
    return SplitSpans(spans, rejects.count, rejects.reason)


def split_logs(body: bytes) -> SplitLogs:
    """Split an ExportLogsServiceRequest (or LogsData).

    Raises:
        PermanentError: The body is no protobuf, or holds nothing that looks like a log record.
        TooLargeError: The body is made of tiny messages that would take far more memory.
    """
    request = _parse(split_pb2.Logs, body, "ExportLogsServiceRequest", _LOG_PARTS)
    if body and not request.resource_logs:
        raise PermanentError(f"no ResourceLogs in a body of {len(body)} bytes; {_WRONG_SIGNAL}")
    records: list[LogEntry] = []
    untraced: list[Item] = []
    rejects = _Rejects()
    evaluations: list[Item] = []
    may_evaluate = _EVALUATION_BYTES in body
    has_sessions = may_hold_sessions(body)
    for group in request.resource_logs:
        scopes, (resource, resource_rest) = group.scope_logs, _head(group, "resource")
        for scope_logs in scopes:
            wires: Sequence[bytes] = scope_logs.log_records
            scope, scope_rest = _head(scope_logs, "scope")
            envelope = _share(Envelope(resource, scope, resource_rest, scope_rest))
            if may_evaluate:
                evaluations += [(wire, envelope) for wire in wires if is_evaluation(wire)]
                wires = [wire for wire in wires if not is_evaluation(wire)]
            left: list[Item] = []
            _split_logs(wires, envelope, records, left, rejects)
            untraced += _take_sessions(left, records) if has_sessions else left
    if rejects.foreign and not (records or untraced or evaluations):
        raise PermanentError(
            f"none of {rejects.count} log records is one; {_WRONG_SIGNAL}", items=rejects.count
        )
    return SplitLogs(records, untraced, evaluations, rejects.count, rejects.reason)


def _take_sessions(untraced: Iterable[Item], out: list[LogEntry]) -> list[Item]:
    """Take the records of sessions as those of a trace; return the others."""
    head = split_pb2.LogHead()
    left = []
    for wire, envelope in untraced:
        trace_id = session_trace_id(wire)
        if trace_id is None:
            left.append((wire, envelope))
            continue
        head.ParseFromString(wire)
        time_ns = head.time_unix_nano or head.observed_time_unix_nano
        out.append(LogEntry(trace_id, b"", time_ns, wire, envelope))
    return left


def is_evaluation(wire: bytes) -> bool:
    """Whether a log record is an event `gen_ai.evaluation...`, by its name as of any version."""
    if _EVALUATION_BYTES not in wire:
        return False
    try:
        record = logs_pb2.LogRecord.FromString(wire)
    except DecodeError:
        return False
    name = record.event_name
    for attribute in record.attributes if not name else ():
        if attribute.key == "event.name":
            name = attribute.value.string_value
    return name.startswith(EVENT_PREFIX)


def _head(group: _Group, name: str) -> tuple[bytes, bytes]:
    """Return the resource or scope of a group, and all else that stands beside its items.

    The group is empty afterwards; its list of items, where the caller has it, is not.
    """
    pieces = getattr(group, name)
    # What comes in several pieces is their sum. An empty one stays in the rest, to be seen there.
    head = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    group.ClearField(_LIST_OF[type(group)])
    if head:
        group.ClearField(name)
    return head, group.SerializeToString()


def has_end_marker(wire: bytes) -> bool:
    """Whether the span says, by a true attribute `spanscore.trace.end`, that its trace is over."""
    if _END_MARKER_BYTES not in wire:
        return False
    span = trace_pb2.Span()
    try:
        span.ParseFromString(wire)
    except DecodeError:
        span.Clear()
        mend(span, wire, Losses())
    values = [a.value for a in span.attributes if a.key == END_MARKER]
    return any(v.bool_value or v.string_value == "true" for v in values[-1:])


def _parse(message: type[_M], body: bytes, name: str, parts: Path) -> _M:
    if len(body) > _SMALL:
        count_messages(body, _ITEMS, parts)
    try:
        return message.FromString(body)
    except DecodeError as error:
        raise PermanentError(f"a body of {len(body)} bytes that is no {name}") from error


def _split_spans(
    wires: Iterable[bytes], envelope: Envelope, out: list[SpanEntry], rejects: _Rejects
) -> None:
    head = split_pb2.SpanHead()
    # tuple.__new__ skips the keyword handling of SpanEntry(...), a fifth of the whole cost.
    new, parse, append = tuple.__new__, head.ParseFromString, out.append
    for wire in wires:
        try:
            parse(wire)
        except DecodeError:
            rejects.add("a span does not decode", foreign=True)
            continue
        trace_id, span_id, parent = head.trace_id, head.span_id, head.parent_span_id
        if (
            len(trace_id) != 16
            or len(span_id) != 8
            or trace_id == _NO_TRACE
            or span_id == _NO_SPAN
            or (parent and len(parent) != 8)
        ):
            problem = _problem(trace_id, span_id, parent)
            rejects.add(problem, foreign=_is_foreign(head))
            continue
        if parent == _NO_SPAN:
            parent = b""
        end_ns = head.end_time_unix_nano
        fields = (trace_id, span_id, parent, head.kind, end_ns, wire, envelope)
        append(new(SpanEntry, fields))


def _is_foreign(head: split_pb2.SpanHead) -> bool:
    """Whether this is rather a log record (without ids) or a metric (its name is no id)."""
    trace_id, span_id = head.trace_id, head.span_id
    if not (trace_id or span_id):
        return True
    return len(trace_id) != 16 and len(span_id) != 8 and not head.end_time_unix_nano


def _problem(trace_id: bytes, span_id: bytes, parent: bytes) -> str:
    """Say which id of a span is wrong."""
    if len(trace_id) != 16 or trace_id == _NO_TRACE:
        return _id_problem("trace_id", trace_id, 16)
    if len(span_id) != 8 or span_id == _NO_SPAN:
        return _id_problem("span_id", span_id, 8)
    return _id_problem("parent_span_id", parent, 8)


def _id_problem(name: str, value: bytes, want: int) -> str:
    if len(value) != want:
        return f"{name} has {len(value)} bytes, not {want}"
    return f"{name} is all zero"


def _split_logs(
    wires: Iterable[bytes],
    envelope: Envelope,
    out: list[LogEntry],
    untraced: list[Item],
    rejects: _Rejects,
) -> None:
    head = split_pb2.LogHead()
    for wire in wires:
        if wire.startswith(_NOT_A_LOG):
            rejects.add("this is no log record", foreign=True)
            continue
        try:
            head.ParseFromString(wire)
        except DecodeError:
            rejects.add("a log record does not decode", foreign=True)
            continue
        trace_id, span_id = head.trace_id, head.span_id
        if len(trace_id) != 16 or trace_id == _NO_TRACE:
            untraced.append((wire, envelope))
            continue
        if len(span_id) != 8 or span_id == _NO_SPAN:
            span_id = b""
        time_ns = head.time_unix_nano or head.observed_time_unix_nano
        out.append(LogEntry(trace_id, span_id, time_ns, wire, envelope))
