"""What is sent: requests as messages, as protobuf bytes and as JSON, good ones and hostile ones."""

import base64
import gzip
import json
import os
import struct
import time
import zlib
from functools import cache

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from .answer import JSON

MIB = 2**20

# A field that no version of OTLP has: number 5000, a string.
UNKNOWN_FIELD = b"\xc2\xb8\x02\x03new"

_UNKNOWN_HEAD = b"\xc2\xb8\x02"
_ARRAY, _VALUES = b"\x2a", b"\x0a"  # AnyValue.array_value, ArrayValue.values


def span(**fields):
    """Return a good span of a trace of its own; `fields` replace what is in it."""
    now = time.time_ns()
    base = {
        "trace_id": os.urandom(16),
        "span_id": os.urandom(8),
        "name": "conformance",
        "kind": trace_pb2.Span.SPAN_KIND_INTERNAL,
        "start_time_unix_nano": now - 10**9,
        "end_time_unix_nano": now,
    }
    return trace_pb2.Span(**(base | fields))


def request(*spans, service="conformance"):
    """Return an export request of spans (default: one good one)."""
    made = trace_service_pb2.ExportTraceServiceRequest()
    group = made.resource_spans.add()
    group.resource.attributes.append(attribute("service.name", service))
    scope = group.scope_spans.add()
    scope.scope.name = "conformance"
    scope.spans.extend(spans or [span()])
    return made


def wire(*spans, **options):
    """Return a request as protobuf bytes."""
    return request(*spans, **options).SerializeToString()


def good(media_type):
    """Return a good request in this encoding."""
    return to_json(request()) if media_type == JSON else wire()


def attribute(key, value=None, **fields):
    """Return an attribute; `fields` are those of AnyValue."""
    if value is not None:
        fields = {f"{_KINDS[type(value)]}_value": value}
    return common_pb2.KeyValue(key=key, value=common_pb2.AnyValue(**fields))


_KINDS = {str: "string", bool: "bool", int: "int", float: "double", bytes: "bytes"}


def to_json(message):
    """Return a request as OTLP/JSON: ids in hex, enums as integers, 64-bit numbers as strings."""
    document = json_format.MessageToDict(message, use_integers_for_enums=True)
    return json.dumps(_hex_ids(document)).encode()


def _hex_ids(value):
    if isinstance(value, list):
        return [_hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _hex(item) if key in {"traceId", "spanId", "parentSpanId"} else _hex_ids(item)
        for key, item in value.items()
    }


def _hex(text):
    return base64.b64decode(text).hex()


def span_json(**fields):
    """Return a good span as OTLP/JSON; a field given as `...` is left out."""
    now = time.time_ns()
    base = {
        "traceId": os.urandom(16).hex(),
        "spanId": os.urandom(8).hex(),
        "name": "conformance",
        "kind": 1,
        "startTimeUnixNano": str(now - 10**9),
        "endTimeUnixNano": str(now),
    }
    return {key: value for key, value in (base | fields).items() if value is not ...}


def document(*spans, service="conformance"):
    """Return a request of JSON spans, as a Python object."""
    named = {"key": "service.name", "value": {"stringValue": service}}
    scoped = {"scope": {"name": "conformance"}, "spans": list(spans or [span_json()])}
    return {"resourceSpans": [{"resource": {"attributes": [named]}, "scopeSpans": [scoped]}]}


def logs_request():
    """Return an ExportLogsServiceRequest of one ordinary record."""
    made = logs_service_pb2.ExportLogsServiceRequest()
    record = made.resource_logs.add().scope_logs.add().log_records.add()
    record.time_unix_nano = time.time_ns()
    record.severity_text = "INFO"
    record.body.string_value = "a line"
    return made


def metrics_request():
    """Return an ExportMetricsServiceRequest of one gauge."""
    made = metrics_service_pb2.ExportMetricsServiceRequest()
    metric = made.resource_metrics.add().scope_metrics.add().metrics.add(name="up")
    metric.gauge.data_points.add(time_unix_nano=time.time_ns(), as_int=1)
    return made


def large(size):
    """Return a good request of a little more than `size` bytes."""
    return wire(span(attributes=[attribute("text", "x" * size)]))


BOMB = 200 * MIB
"""What a bomb inflates to: far over any limit, and still no danger to a server without one."""


@cache
def bomb(*, as_json=False):
    """Return a gzip body of 0.2 MB that inflates to a good request of one unknown field."""
    head = b'{"unknown":"' if as_json else _UNKNOWN_HEAD + _varint(BOMB)
    tail = b'"}' if as_json else b""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)

    def pack(data):  # a full flush makes each part independent of the one before
        return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)

    piece = b"x" * MIB
    packed = pack(head) + pack(piece) * (BOMB // MIB) + pack(tail) + packer.flush()
    check = zlib.crc32(head)
    for _ in range(BOMB // MIB):
        check = zlib.crc32(piece, check)
    size = len(head) + BOMB + len(tail)
    return gzip.compress(b"")[:10] + packed + struct.pack("<II", zlib.crc32(tail, check), size)


def nested(messages):
    """Return the bytes of a request one of whose attributes nests this many messages."""
    parts, size = [], 0
    for level in range(messages - 1):
        head = (_ARRAY if level % 2 == messages % 2 else _VALUES) + _varint(size)
        parts.append(head)
        size += len(head)
    value = b"".join(reversed(parts))
    key_value = b"\x0a\x04deep" + _field(2, value)
    return _field(1, _field(2, _field(2, span().SerializeToString() + _field(9, key_value))))


def nested_json(messages):
    """Return the same as JSON text."""
    value = '{"arrayValue":{"values":[' * (messages // 2) + "]}}" * (messages // 2)
    text = json.dumps(document(span_json(attributes=[{"key": "deep", "value": "@"}])))
    return text.replace('"@"', value).encode()


def _field(number, body):
    return _varint(number << 3 | 2) + _varint(len(body)) + body


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
