"""A span and a log record, decoded.

Attribute values are plain Python: `str | bool | int | float | bytes | list | dict | None`.
Ids are lower-case hex text; `""` is "no parent". Times are Unix nanoseconds, 0 = not set.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

Attributes = Mapping[str, Any]

STATUS_UNSET = 0
STATUS_OK = 1
STATUS_ERROR = 2

SPAN_KIND_SERVER = 2


class Event(Struct, frozen=True, gc=False):
    """A timed annotation of a span (exceptions, messages of older conventions)."""

    name: str
    time_ns: int
    attributes: Attributes


class Link(Struct, frozen=True, gc=False):
    """A reference from a span to another span."""

    trace_id: str
    span_id: str
    attributes: Attributes


class Resource(Struct, frozen=True, gc=False):
    """Who emitted the span; `service` is `service.name` or `""`."""

    attributes: Attributes
    service: str


class Scope(Struct, frozen=True, gc=False):
    """The instrumentation library that emitted the span."""

    name: str = ""
    version: str = ""


class LogRecord(Struct, frozen=True, gc=False):
    """A log record that belongs to a trace. `event_name` is "" for plain logs."""

    trace_id: str
    span_id: str
    time_ns: int
    event_name: str
    body: Any
    attributes: Attributes
    resource: Resource
    scope: Scope


class Span(Struct, frozen=True, gc=False):
    """One finished operation of a trace."""

    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    kind: int
    start_ns: int
    end_ns: int
    attributes: Attributes
    events: tuple[Event, ...]
    links: tuple[Link, ...]
    status_code: int
    status_message: str
    flags: int
    dropped_attributes: int
    dropped_events: int
    dropped_links: int
    resource: Resource
    scope: Scope

    @property
    def is_error(self) -> bool:
        """Whether the span's status is ERROR."""
        return self.status_code == STATUS_ERROR
