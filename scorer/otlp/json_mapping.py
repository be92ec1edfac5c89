"""OTLP/JSON requests to protobuf wire bytes.

Theory of operation. OTLP/JSON is not the stock protobuf JSON mapping: ids are hex (a 32-digit
hex id is also valid base64, so the stock parser corrupts it silently), enums are integers
only, keys are lowerCamelCase only and unknown keys are ignored. So this is our own mapper. It
is driven by the descriptors of `opentelemetry.proto`: a plan per message type says, for each
JSON key, which field it sets and how its value converts; new fields of the protocol need no
change here.

What is wrong inside one span or log record rejects that one (OTLP partial success). What is
wrong outside of them, or with the document as JSON, is a `PermanentError`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from scorer.errors import PermanentError
from scorer.otlp.json_values import InvalidError, converter, json_kind, parse_json
from scorer.otlp.signal import TOP_KEYS
from scorer.otlp.wire import count_messages, path

MAX_DEPTH: Final = 64
"""Nested messages that are accepted; protobuf itself refuses about 100."""

# A Metric holds its points in gauge, sum, histogram, exponential_histogram or summary.
_METRIC_POINTS = path(1, 2, 2, (5, 7, 9, 10, 11), 1)
MAX_REJECTED: Final = 10_000
"""Spans or log records of one request that are rejected one by one; more fail the request."""

_MAX_ERROR = 100  # characters of protobuf's own error, which quotes the value
_REJECTABLE = {"opentelemetry.proto.trace.v1.Span", "opentelemetry.proto.logs.v1.LogRecord"}


class JsonRequest(NamedTuple):
    """A request as protobuf wire bytes, what was rejected on the way, and a text about it."""

    body: bytes
    rejected: int
    warning: str


def traces_from_json(body: bytes | str) -> JsonRequest:
    """Map an ExportTraceServiceRequest (or TracesData).

    Raises:
        PermanentError: The body is no JSON, or no OTLP traces request.
    """
    return request_from_document(parse_json(body), "resourceSpans")


def logs_from_json(body: bytes | str) -> JsonRequest:
    """Map an ExportLogsServiceRequest (or LogsData).

    Raises:
        PermanentError: The body is no JSON, or no OTLP logs request.
    """
    return request_from_document(parse_json(body), "resourceLogs")


def metrics_from_json(body: bytes | str) -> JsonRequest:
    """Map an ExportMetricsServiceRequest (or MetricsData).

    Raises:
        PermanentError: The body is no JSON, or no OTLP metrics request.
    """
    return request_from_document(parse_json(body), "resourceMetrics")


def count_metric_points(body: bytes) -> int:
    """Return the number of data points in an ExportMetricsServiceRequest (protobuf).

    Raises:
        PermanentError: The body is no protobuf, or holds too many tiny messages.
    """
    return count_messages(body, _METRIC_POINTS)


def request_from_document(document: Any, top: str) -> JsonRequest:
    """Map a parsed document whose key `top` (`resourceSpans`, ...) holds the payload.

    Raises:
        PermanentError: The document is no request, or one of another signal.
    """
    if not isinstance(document, dict):
        raise PermanentError(f"an OTLP/JSON request is an object, not {json_kind(document)}")
    other = next((key for key in TOP_KEYS if document.get(key) is not None), top)
    if other != top and document.get(top) is None:
        raise PermanentError(f"this is a {TOP_KEYS[other]} request: its key is {other}, not {top}")
    mapper = _Mapper()
    request = _REQUESTS[top]()
    try:
        mapper.fill(request, document, 0)
    except InvalidError as error:
        raise PermanentError(f"wrong OTLP/JSON: {error}") from error
    if document and top not in document:
        mapper.note(f"there is no {top} in the request")
    return JsonRequest(request.SerializeToString(), mapper.rejected, mapper.warning)


_REQUESTS: Final[dict[str, type[Message]]] = {
    "resourceSpans": trace_service_pb2.ExportTraceServiceRequest,
    "resourceLogs": logs_service_pb2.ExportLogsServiceRequest,
    "resourceMetrics": metrics_service_pb2.ExportMetricsServiceRequest,
}


class _Field(NamedTuple):
    """How the value of one JSON key gets into a message; `convert` None = it is a message."""

    name: str
    repeated: bool
    rejectable: bool
    convert: Callable[[Any], Any] | None


class _Plan(NamedTuple):
    """The fields of one message type by JSON key, and its snake_case names for a hint."""

    fields: dict[str, _Field]
    snake: dict[str, str]


class _Mapper:
    """Fills messages from parsed JSON; counts what it rejects."""

    def __init__(self) -> None:
        self.rejected = 0
        self.warning = ""

    def note(self, text: str) -> None:
        """Keep the first text."""
        self.warning = self.warning or text

    def fill(self, message: Message, source: Any, depth: int) -> None:
        if not isinstance(source, dict):
            raise InvalidError(f"{message.DESCRIPTOR.name} is an object, not {json_kind(source)}")
        if depth > MAX_DEPTH:
            raise InvalidError(f"values nest more than {MAX_DEPTH} messages deep")
        plan = _plan(message.DESCRIPTOR)
        for key, value in source.items():
            field = plan.fields.get(key)
            if field is None:
                if key in plan.snake:
                    self.note(f"key {key} is ignored: OTLP/JSON spells it {plan.snake[key]}")
            elif value is not None:
                self._set(message, field, value, depth)

    def _set(self, message: Message, field: _Field, value: Any, depth: int) -> None:
        try:
            if field.repeated:
                self._extend(getattr(message, field.name), field, value, depth)
            elif field.convert:
                setattr(message, field.name, field.convert(value))
            else:
                part = getattr(message, field.name)
                part.SetInParent()
                self.fill(part, value, depth + 1)
        except InvalidError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            # protobuf's own check: the range of a number
            raise InvalidError(f"{field.name}: {str(error)[:_MAX_ERROR]}") from error

    def _extend(self, items: Any, field: _Field, value: Any, depth: int) -> None:
        if not isinstance(value, list):
            raise InvalidError(f"{field.name} is an array, not {json_kind(value)}")
        for item in value:
            if item is None:
                continue
            if field.convert:
                items.append(field.convert(item))
            elif field.rejectable:
                self._add_or_reject(items, item, depth)
            else:
                self.fill(items.add(), item, depth + 1)

    def _add_or_reject(self, items: Any, item: Any, depth: int) -> None:
        try:
            self.fill(items.add(), item, depth + 1)
        except InvalidError as error:
            del items[-1]
            self.rejected += 1
            self.note(str(error))
            if self.rejected > MAX_REJECTED:
                text = f"more than {MAX_REJECTED} items are wrong; the first: {self.warning}"
                raise PermanentError(text) from error


@cache
def _plan(descriptor: Descriptor) -> _Plan:
    fields = {field.json_name: _field(field) for field in descriptor.fields}
    snake = {f.name: f.json_name for f in descriptor.fields if f.name != f.json_name}
    return _Plan(fields, snake)


def _field(field: FieldDescriptor) -> _Field:
    target = field.message_type
    return _Field(
        name=field.name,
        repeated=field.is_repeated,
        rejectable=target is not None and target.full_name in _REJECTABLE,
        convert=None if target is not None else converter(field),
    )
