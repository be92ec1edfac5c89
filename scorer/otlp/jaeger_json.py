"""Jaeger's JSON (the UI's and the query API's `{"data": [...]}`) to strict OTLP/JSON.

The mapping is that of the OpenTelemetry specification for Jaeger: tags become attributes, logs
become events, the first CHILD_OF reference of the same trace becomes the parent, all other
references become links, and the tags `span.kind`, `error`, `otel.status_*`, `otel.scope.*` and
`w3c.tracestate` become fields. Times are microseconds there. Ids may lack leading zeros.
"""

from collections.abc import Collection, Iterator
from typing import Any, Final

Json = dict[str, Any]

_KINDS: Final = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_STATUS_CODES: Final = {"UNSET": 0, "OK": 1, "ERROR": 2}
_VALUE_KEYS: Final = {
    "string": "stringValue",
    "bool": "boolValue",
    "int64": "intValue",
    "float64": "doubleValue",
    "binary": "bytesValue",
}
_SCOPE_NAME: Final = ("otel.scope.name", "otel.library.name")
_SCOPE_VERSION: Final = ("otel.scope.version", "otel.library.version")
_FIELD_TAGS: Final = {
    "span.kind",
    "error",
    "otel.status_code",
    "otel.status_description",
    "w3c.tracestate",
    *_SCOPE_NAME,
    *_SCOPE_VERSION,
}


def is_jaeger(document: Any) -> bool:
    """Whether the document is one Jaeger trace, `{"traceID", "spans", "processes"}`."""
    return isinstance(document, dict) and "traceID" in document and "spans" in document


def trace_to_otlp(trace: Json) -> Json:
    """Return one Jaeger trace as an OTLP/JSON traces request.

    Never raises: what has the wrong shape is passed on for the mapper to reject.
    """
    processes = _object(trace.get("processes"))
    return {"resourceSpans": [_resource_spans(s, processes) for s in _objects(trace.get("spans"))]}


def _resource_spans(span: Json, processes: Json) -> Json:
    process = _object(span.get("process") or processes.get(str(span.get("processID"))))
    tags = _tags(span.get("tags"))
    scope = {
        "name": _first_text(tags, *_SCOPE_NAME),
        "version": _first_text(tags, *_SCOPE_VERSION),
    }
    service = _attribute("service.name", "string", process.get("serviceName"))
    resource = {"attributes": [service, *_attributes(process.get("tags"))]}
    return {
        "resource": resource,
        "scopeSpans": [{"scope": scope, "spans": [_span(span, tags)]}],
    }


def _span(span: Json, tags: Json) -> Json:
    start = _nanoseconds(span.get("startTime"))
    duration = _nanoseconds(span.get("duration"))
    references = _objects(span.get("references"))
    parent = _parent(span, references)
    return {
        "traceId": _id(span.get("traceID"), 32),
        "spanId": _id(span.get("spanID"), 16),
        "parentSpanId": _id(parent.get("spanID"), 16) if parent else None,
        "traceState": _first_text(tags, "w3c.tracestate"),
        "name": span.get("operationName"),
        "kind": _KINDS.get(str(tags.get("span.kind")).lower(), 0),
        "startTimeUnixNano": start,
        "endTimeUnixNano": start + duration,
        "attributes": list(_attributes(span.get("tags"), skip=_FIELD_TAGS)),
        "events": [_event(log) for log in _objects(span.get("logs"))],
        "links": [_link(other) for other in references if other is not parent],
        "status": _status(tags),
    }


def _parent(span: Json, references: list[Json]) -> Json | None:
    own = [r for r in references if _id(r.get("traceID"), 32) == _id(span.get("traceID"), 32)]
    children = [r for r in own if r.get("refType") == "CHILD_OF"]
    if children or own:
        return (children or own)[0]
    return {"spanID": span["parentSpanID"]} if span.get("parentSpanID") else None


def _link(reference: Json) -> Json:
    return {
        "traceId": _id(reference.get("traceID"), 32),
        "spanId": _id(reference.get("spanID"), 16),
    }


def _event(log: Json) -> Json:
    fields = _tags(log.get("fields"))
    return {
        "timeUnixNano": _nanoseconds(log.get("timestamp")),
        "name": _first_text(fields, "event"),
        "attributes": list(_attributes(log.get("fields"), skip={"event"})),
    }


def _status(tags: Json) -> Json:
    code = _STATUS_CODES.get(str(tags.get("otel.status_code")).upper(), 0)
    if code == 0 and str(tags.get("error")).lower() == "true":
        code = 2
    return {"code": code, "message": _first_text(tags, "otel.status_description")}


def _attributes(tags: Any, skip: Collection[Any] = ()) -> Iterator[Json]:
    for tag in _objects(tags):
        if tag.get("key") not in skip:
            yield _attribute(tag.get("key"), tag.get("type"), tag.get("value"))


def _attribute(key: Any, kind: Any, value: Any) -> Json:
    """Type the value as the tag says where it fits, else as what it is in JSON."""
    name = _VALUE_KEYS.get(str(kind), "")
    if name == "boolValue" and isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower(), value)
    if not name or (name == "boolValue") != isinstance(value, bool):
        name = "boolValue" if isinstance(value, bool) else "stringValue"
    if name == "stringValue" and value is not None and not isinstance(value, str):
        value = str(value)
    return {"key": key, "value": {name: value}}


def _tags(tags: Any) -> Json:
    return {str(tag.get("key")): tag.get("value") for tag in _objects(tags)}


def _first_text(tags: Json, *keys: str) -> str:
    found = (tags.get(key) for key in keys)
    return next((value for value in found if isinstance(value, str)), "")


def _nanoseconds(microseconds: Any) -> int:
    known = isinstance(microseconds, int | float) and abs(microseconds) < 1e16
    return int(microseconds * 1000) if known else 0


def _id(text: Any, digits: int) -> Any:
    return text.rjust(digits, "0") if isinstance(text, str) and text else text


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
