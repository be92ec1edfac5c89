"""A sample trace in compact form, and its OTLP requests with fresh ids and current times."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

Request = ExportTraceServiceRequest | ExportLogsServiceRequest
SpanKind = Literal["INTERNAL", "SERVER", "CLIENT"]


class SceneEvent(Struct, frozen=True):
    """A span event; `at` counts seconds from the start of the trace."""

    name: str
    at: float
    attributes: dict[str, Any]


class SceneSpan(Struct, frozen=True, kw_only=True):
    """A span; `key` names it within the scene, times count seconds from the trace's start."""

    key: str
    parent: str | None = None
    name: str
    start: float
    end: float
    kind: SpanKind = "INTERNAL"
    attributes: dict[str, Any] = {}
    events: tuple[SceneEvent, ...] = ()
    error: str | None = None


class SceneLog(Struct, frozen=True, kw_only=True):
    """A log record that belongs to the span `key`."""

    key: str
    at: float
    event_name: str
    body: dict[str, Any]


class Scene(Struct, frozen=True, kw_only=True):
    """A sample trace. With `pieces` > 1 its spans travel in that many requests, last ones first."""

    title: str
    service: str
    scope: str
    spans: tuple[SceneSpan, ...]
    logs: tuple[SceneLog, ...] = ()
    pieces: int = 1

    @property
    def duration(self) -> float:
        """Seconds from the first start to the last end."""
        return max(span.end for span in self.spans)


def encode(scene: Scene, now_ns: int) -> list[Request]:
    """Return the requests that export the scene as a trace that ended at `now_ns`."""
    encoder = _Encoder(scene, now_ns - int(scene.duration * 1e9))
    by_end = sorted(scene.spans, key=lambda span: span.end)
    pieces = [by_end[i :: scene.pieces] for i in range(scene.pieces)]
    requests: list[Request] = [encoder.traces(piece) for piece in reversed(pieces)]
    if scene.logs:
        requests.append(encoder.logs())
    return requests


class _Encoder:
    """Encodes one run of a scene."""

    def __init__(self, scene: Scene, start_ns: int) -> None:
        self._scene = scene
        self._start_ns = start_ns
        self._trace_id = secrets.token_bytes(16)
        self._ids = {span.key: secrets.token_bytes(8) for span in scene.spans}
        self._resource = Resource(attributes=_attributes({"service.name": scene.service}))
        self._scope = InstrumentationScope(name=scene.scope)

    def traces(self, spans: Iterable[SceneSpan]) -> ExportTraceServiceRequest:
        request = ExportTraceServiceRequest()
        resource_spans = request.resource_spans.add(resource=self._resource)
        scope_spans = resource_spans.scope_spans.add(scope=self._scope)
        scope_spans.spans.extend(self._span(span) for span in spans)
        return request

    def logs(self) -> ExportLogsServiceRequest:
        request = ExportLogsServiceRequest()
        resource_logs = request.resource_logs.add(resource=self._resource)
        scope_logs = resource_logs.scope_logs.add(scope=self._scope)
        scope_logs.log_records.extend(self._log(log) for log in self._scene.logs)
        return request

    def _span(self, span: SceneSpan) -> Span:
        return Span(
            trace_id=self._trace_id,
            span_id=self._ids[span.key],
            parent_span_id=self._ids[span.parent] if span.parent else b"",
            name=span.name,
            kind=Span.SpanKind.Value(f"SPAN_KIND_{span.kind}"),
            start_time_unix_nano=self._time(span.start),
            end_time_unix_nano=self._time(span.end),
            attributes=_attributes(span.attributes),
            events=[self._event(event) for event in span.events],
            status=_status(span.error),
        )

    def _event(self, event: SceneEvent) -> Span.Event:
        return Span.Event(
            name=event.name,
            time_unix_nano=self._time(event.at),
            attributes=_attributes(event.attributes),
        )

    def _log(self, log: SceneLog) -> LogRecord:
        return LogRecord(
            trace_id=self._trace_id,
            span_id=self._ids[log.key],
            time_unix_nano=self._time(log.at),
            event_name=log.event_name,
            attributes=_attributes({"event.name": log.event_name}),
            body=_value(log.body),
        )

    def _time(self, seconds: float) -> int:
        return self._start_ns + int(seconds * 1e9)


def _status(error: str | None) -> Status:
    if error is None:
        return Status()
    return Status(code=Status.STATUS_CODE_ERROR, message=error)


def _attributes(attributes: Mapping[str, Any]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in attributes.items()]


_SCALARS: dict[type, Callable[[Any], AnyValue]] = {
    str: lambda v: AnyValue(string_value=v),
    bool: lambda v: AnyValue(bool_value=v),
    int: lambda v: AnyValue(int_value=v),
    float: lambda v: AnyValue(double_value=v),
}


def _value(value: Any) -> AnyValue:
    if isinstance(value, dict):
        return AnyValue(kvlist_value=KeyValueList(values=_attributes(value)))
    if isinstance(value, list):
        return AnyValue(array_value=ArrayValue(values=[_value(item) for item in value]))
    return _SCALARS[type(value)](value)
