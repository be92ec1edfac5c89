"""Decodes a closed trace: wire bytes to spans and log records with plain Python values.

Theory of operation. This runs once per trace, in a worker, after the close. Most attribute
values are non-empty strings or numbers, and of a oneof only the field that is set reads as
truthy, so `string_value or int_value or ...` finds them without asking which one is set; only
empty, false, zero, binary and nested values take the slow way. Nesting needs no bound here:
protobuf refuses messages of about 100 levels.

What protobuf refuses (a text that is no UTF-8, a value that nests too deeply) is counted, and
`salvage` reads what can be read of it: one broken attribute must not take its span along.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message
from msgspec.structs import replace
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.model.span import Event, Link, LogRecord, Resource, Scope, Span
from scorer.model.trace import ClosedTrace, Envelope, Trace
from scorer.otlp.salvage import Losses, mend

MAX_PARTS: Final = 250_000
"""Events and links of one trace that are decoded: two bytes on the wire become 150 here."""

_M = TypeVar("_M", bound=Message)
_P = TypeVar("_P", bound=Message)
_T = TypeVar("_T")

_NO_SPAN = bytes(8)


def decode_trace(closed: ClosedTrace) -> Trace:
    """Decode all spans and log records of a closed trace; what does not decode is counted."""
    decoder = _Decoder()
    spans = decoder.each(trace_pb2.Span, decoder.span, closed.spans, closed.span_envelopes)
    logs = decoder.each(logs_pb2.LogRecord, decoder.log, closed.logs, closed.log_envelopes)
    spans.sort(key=attrgetter("start_ns", "span_id"))
    logs.sort(key=attrgetter("time_ns"))
    completeness = replace(
        closed.completeness,
        dropped=closed.completeness.dropped + decoder.dropped,
        truncated_content=closed.completeness.truncated_content or bool(decoder.losses.names),
        undecodable=closed.completeness.undecodable + decoder.undecodable,
        lost=decoder.losses.names,
        duplicate_keys=decoder.duplicate_keys,
    )
    return Trace(
        tenant=closed.tenant,
        trace_id=closed.trace_id.hex(),
        spans=tuple(spans),
        logs=tuple(logs),
        reason=closed.reason,
        completeness=completeness,
        revision=closed.revision,
    )


def service_name(resource: bytes) -> str:
    """Return `service.name` of a resource's wire bytes, "" where there is none."""
    return _Decoder().resource(resource).service


class _Decoder:
    """Decodes the parts of one trace; equal resources and scopes become one object."""

    def __init__(self) -> None:
        self.dropped = 0
        self.undecodable = 0
        self.duplicate_keys = 0
        self.losses = Losses()
        self._room = MAX_PARTS
        self._resources: dict[bytes, Resource] = {}
        self._scopes: dict[bytes, Scope] = {}

    def each(
        self,
        message: type[_M],
        build: Callable[[_M, Resource, Scope], _T],
        wires: Iterable[bytes],
        envelopes: Iterable[Envelope],
    ) -> list[_T]:
        decoded: list[_T] = []
        parse = message.FromString
        shared = None
        for wire, envelope in zip(wires, envelopes, strict=True):
            if envelope is not shared:
                shared = envelope
                resource = self._resources.get(shared.resource) or self.resource(shared.resource)
                scope = self._scopes.get(shared.scope) or self._scope(shared.scope)
            try:
                pb: _M | None = parse(wire)
            except DecodeError:
                pb = self._mended(message, wire)
            if pb is not None:
                decoded.append(build(pb, resource, scope))
        return decoded

    def span(self, pb: trace_pb2.Span, resource: Resource, scope: Scope) -> Span:
        status, parent, events, links = pb.status, pb.parent_span_id, pb.events, pb.links
        dropped = pb.dropped_attributes_count, pb.dropped_events_count, pb.dropped_links_count
        self.dropped += sum(dropped)
        return Span(
            pb.trace_id.hex(),
            pb.span_id.hex(),
            parent.hex() if parent != _NO_SPAN else "",
            pb.name,
            pb.kind,
            pb.start_time_unix_nano,
            pb.end_time_unix_nano,
            self._attributes(pb.attributes),
            tuple(map(self._event, self._within(events))) if events else (),
            tuple(map(self._link, self._within(links))) if links else (),
            status.code,
            status.message,
            pb.flags,
            *dropped,
            resource,
            scope,
        )

    def log(self, pb: logs_pb2.LogRecord, resource: Resource, scope: Scope) -> LogRecord:
        self.dropped += pb.dropped_attributes_count
        attributes = self._attributes(pb.attributes)
        return LogRecord(
            trace_id=pb.trace_id.hex(),
            span_id=pb.span_id.hex(),
            time_ns=pb.time_unix_nano or pb.observed_time_unix_nano,
            event_name=pb.event_name or _text(attributes, "event.name"),
            body=_value(pb.body) if pb.HasField("body") else None,
            attributes=attributes,
            resource=resource,
            scope=scope,
        )

    def _event(self, pb: trace_pb2.Span.Event) -> Event:
        self.dropped += pb.dropped_attributes_count
        return Event(pb.name, pb.time_unix_nano, self._attributes(pb.attributes))

    def _link(self, pb: trace_pb2.Span.Link) -> Link:
        self.dropped += pb.dropped_attributes_count
        return Link(pb.trace_id.hex(), pb.span_id.hex(), self._attributes(pb.attributes))

    def resource(self, wire: bytes) -> Resource:
        attributes = self._attributes(self._shared(resource_pb2.Resource, wire).attributes)
        resource = Resource(attributes, _text(attributes, "service.name"))
        self._resources[wire] = resource
        return resource

    def _scope(self, wire: bytes) -> Scope:
        pb = self._shared(common_pb2.InstrumentationScope, wire)
        scope = self._scopes[wire] = Scope(pb.name, pb.version)
        return scope

    def _shared(self, message: type[_M], wire: bytes) -> _M:
        try:
            return message.FromString(wire)
        except DecodeError:
            return self._mended(message, wire) or message()

    def _mended(self, message: type[_M], wire: bytes) -> _M | None:
        self.undecodable += 1
        pb = message()
        if mend(pb, wire, self.losses):
            return pb
        self.losses.add(message.DESCRIPTOR.name)
        return None

    def _attributes(self, pairs: Collection[common_pb2.KeyValue]) -> dict[str, Any]:
        attributes = _attributes(pairs)
        self.duplicate_keys += len(pairs) - len(attributes)
        return attributes

    def _within(self, parts: Collection[_P]) -> Iterable[_P]:
        """Return the first of some events or links, as many as there is room for."""
        fitting = min(len(parts), self._room)
        self._room -= fitting
        self.dropped += len(parts) - fitting
        return parts if fitting == len(parts) else islice(parts, fitting)


def _text(attributes: Mapping[str, Any], key: str) -> str:
    value = attributes.get(key)
    return value if isinstance(value, str) else ""


def _attributes(pairs: Iterable[common_pb2.KeyValue]) -> dict[str, Any]:
    return {
        pair.key: (value := pair.value).string_value or value.int_value or _value(value)
        for pair in pairs
    }


def _value(value: common_pb2.AnyValue) -> Any:
    return value.string_value or value.int_value or value.bool_value or _rare(value)


def _rare(value: common_pb2.AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    # An index into a dictionary that only profiles have says nothing here.
    if kind is None or kind == "string_value_strindex":
        return None
    return getattr(value, kind)
