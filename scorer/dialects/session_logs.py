"""Sessions of coding agents that come as log records: Codex, Claude Code.

Their model calls and tool calls are log records, without any span. Each such record is made a
span that ends when it was written, under one span for the session, which is given all records.
So a session is read like any other run. Where Claude Code sends spans too, its records only
complete them: they are given to the span that they speak of.

A span made here has an id that is derived from the record: repeated records are one span.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.dialects.values import first_id, identifier, integer
from scorer.model.span import LogRecord, Span

CODEX = "codex."
CLAUDE = "claude_code."
SESSION_KEYS = {CODEX: "conversation.id", CLAUDE: "session.id"}
_CALLS = {
    CODEX: frozenset({"codex.sse_event", "codex.tool_result"}),
    CLAUDE: frozenset(
        {"claude_code.api_request", "claude_code.api_error", "claude_code.tool_result"}
    ),
}
_OWNERS = ("request_id", "tool_use_id")
_MS = 1_000_000


class SessionEvent(NamedTuple):
    """A log record of a session; `name` with the prefix of its product."""

    name: str
    record: LogRecord


Logs = Mapping[str, Sequence[LogRecord]]


def session_events(logs: Iterable[LogRecord], prefix: str) -> list[SessionEvent]:
    """Return the events of a product, by time."""
    found = [
        SessionEvent(name, record)
        for record in logs
        if (name := event_name(record)).startswith(prefix)
    ]
    return sorted(found, key=lambda event: (event.record.time_ns, _span_id(event)))


def event_name(record: LogRecord) -> str:
    """Return the full name of a session's event, "" when the record is none.

    Claude Code names it in full in the body only.
    """
    for name in (record.event_name, record.body, record.attributes.get("event.name")):
        if isinstance(name, str) and name.startswith((CODEX, CLAUDE)):
            return name
    return ""


def with_sessions(spans: Sequence[Span], logs: Sequence[LogRecord]) -> tuple[Sequence[Span], Logs]:
    """Return the spans of a trace with those of its sessions, and the log records by span id."""
    by_span: defaultdict[str, list[LogRecord]] = defaultdict(list)
    for record in logs:
        by_span[record.span_id].append(record)
    made = list(spans)
    if logs and any(event_name(record) for record in logs):
        made += _spans_of(CODEX, session_events(logs, CODEX), spans, by_span)
        events = session_events(logs, CLAUDE)
        if any(span.name.startswith(CLAUDE) for span in spans):
            _give_to_owners(events, spans, by_span)
        else:
            made += _spans_of(CLAUDE, events, spans, by_span)
    return made, by_span


def _spans_of(
    prefix: str,
    events: Sequence[SessionEvent],
    spans: Sequence[Span],
    by_span: dict[str, list[LogRecord]],
) -> list[Span]:
    calls = {_span_id(event): event for event in events if event.name in _CALLS[prefix]}
    if not events:
        return []
    known = {span.span_id for span in spans}
    parents = (event.record.span_id for event in events if event.record.span_id in known)
    session = _session(prefix, events, next(parents, ""))
    by_span[session.span_id] = list({_span_id(event): event.record for event in events}.values())
    return [session, *(_call(event, session) for event in calls.values())]


def _session(prefix: str, events: Sequence[SessionEvent], parent_id: str) -> Span:
    first, last = events[0].record, events[-1].record
    key = SESSION_KEYS[prefix]
    value = next((found for e in events if (found := first_id(e.record.attributes, key))), "")
    span_id = hashlib.sha256(f"{prefix}{value}".encode()).hexdigest()[:16]
    starts = [_start(event) for event in events]
    return _span(
        first,
        (span_id, parent_id),
        prefix + "session",
        (min(starts), last.time_ns),
        {key: value} if value else {key: None},
    )


def _call(event: SessionEvent, session: Span) -> Span:
    record = event.record
    times = (_start(event), record.time_ns)
    return _span(record, (_span_id(event), session.span_id), event.name, times, record.attributes)


def _span(
    record: LogRecord,
    ids: tuple[str, str],
    name: str,
    times: tuple[int, int],
    attributes: Mapping[str, Any],
) -> Span:
    return Span(
        trace_id=record.trace_id,
        span_id=ids[0],
        parent_span_id=ids[1],
        name=name,
        kind=1,
        start_ns=times[0],
        end_ns=times[1],
        attributes=attributes,
        events=(),
        links=(),
        status_code=0,
        status_message="",
        flags=0,
        dropped_attributes=0,
        dropped_events=0,
        dropped_links=0,
        resource=record.resource,
        scope=record.scope,
    )


def _start(event: SessionEvent) -> int:
    duration = integer(event.record.attributes.get("duration_ms")) or 0
    return max(0, event.record.time_ns - duration * _MS)


def _span_id(event: SessionEvent) -> str:
    fields = sorted(event.record.attributes.items(), key=lambda item: item[0])
    text = repr((event.name, event.record.time_ns, fields))
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]


def _give_to_owners(
    events: Sequence[SessionEvent], spans: Sequence[Span], by_span: dict[str, list[LogRecord]]
) -> None:
    """Give each record to the span of its request or tool call, else to the interaction."""
    own = [span for span in spans if span.name.startswith(CLAUDE)]
    owners = {
        (key, value): span.span_id
        for key in _OWNERS
        for span in own
        if (value := identifier(span.attributes.get(key))) is not None
    }
    turns = [span for span in own if span.name == CLAUDE + "interaction"]
    for event in events:
        owner = _owner(event.record, owners, turns)
        if owner is not None and event.record not in by_span.get(owner, ()):
            by_span[owner].append(event.record)


def _owner(
    record: LogRecord, owners: Mapping[tuple[str, str], str], turns: Sequence[Span]
) -> str | None:
    for key in _OWNERS:
        value = identifier(record.attributes.get(key))
        if value is not None and (key, value) in owners and event_name(record) != _ANSWER:
            return owners[key, value]
    around = (t.span_id for t in turns if t.start_ns <= record.time_ns <= t.end_ns)
    return next(around, turns[0].span_id if len(turns) == 1 else None)


_ANSWER = CLAUDE + "assistant_response"
