"""Tempo's JSON, and other loose dialects of OTLP/JSON, to strict OTLP/JSON.

Tempo answers `{"batches": [...]}` or `{"trace": {"resourceSpans": [...]}}` in the stock protobuf
JSON mapping: base64 ids, enum names, and in old versions "instrumentation library" for scope.
Tools that dump with `preserving_proto_field_name` write snake_case. All keys of these documents
belong to the protocol (attribute keys are values), so they can be rewritten wherever they stand.
"""

import binascii
import re
from typing import Any, Final

from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError

_MAX_LEVELS: Final = 300

_RENAMED = {
    "batches": "resourceSpans",
    "instrumentationLibrarySpans": "scopeSpans",
    "instrumentationLibraryLogs": "scopeLogs",
    "instrumentationLibrary": "scope",
}
_ENUMS: Final[dict[str, dict[str, int]]] = {
    "kind": dict(trace_pb2.Span.SpanKind.items()),
    "code": dict(trace_pb2.Status.StatusCode.items()),
    "severityNumber": dict(logs_pb2.SeverityNumber.items()),
}
_ID_BYTES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}
_SNAKE = re.compile(r"_([a-z])")


def strict_otlp(document: Any) -> Any:
    """Return the document with the keys, ids and enums of strict OTLP/JSON.

    What is not understood stays as it is, for the mapper to reject.

    Raises:
        PermanentError: The document nests too deeply.
    """
    return _strict(document, 0)


def _strict(value: Any, level: int) -> Any:
    if level > _MAX_LEVELS:
        raise PermanentError(f"the JSON nests more than {_MAX_LEVELS} levels deep")
    if isinstance(value, list):
        return [_strict(item, level + 1) for item in value]
    if not isinstance(value, dict):
        return value
    strict = {}
    for key, item in value.items():
        name = _key(key)
        strict[name] = _scalar(name, item) if isinstance(item, str) else _strict(item, level + 1)
    return strict


def _key(key: str) -> str:
    camel = _SNAKE.sub(lambda found: found[1].upper(), key) if "_" in key else key
    return _RENAMED.get(camel, camel)


def _scalar(name: str, text: str) -> Any:
    if name in _ENUMS:
        return _ENUMS[name].get(text, text)
    if (size := _ID_BYTES.get(name)) is not None and len(text) != 2 * size:
        return _hex_id(text, size)
    return text


def _hex_id(text: str, size: int) -> str:
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return text
    return raw.hex() if len(raw) == size else text
