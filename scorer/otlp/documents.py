"""Finds the OTLP requests in one stored record: a parsed JSON document, or protobuf bytes."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2

from scorer.errors import PermanentError
from scorer.otlp.jaeger_json import is_jaeger, trace_to_otlp
from scorer.otlp.json_mapping import JsonRequest, request_from_document
from scorer.otlp.json_values import json_kind
from scorer.otlp.metric_points import last_time_ns
from scorer.otlp.signal import TOP_KEYS, Signal
from scorer.otlp.split import SplitSpans, split_logs, split_traces
from scorer.otlp.tempo_json import strict_otlp

_LOOSE_KEYS: Final = ("batches", "resource_spans", "resource_logs", "resource_metrics")
_WRAPPERS: Final = ("trace", "result")
# A ResourceSpans (..) without a request around it: what Java's logging exporter writes.
_GROUP_KEYS: Final = {
    "scopeSpans": "resourceSpans",
    "scope_spans": "resourceSpans",
    "instrumentationLibrarySpans": "resourceSpans",
    "scopeLogs": "resourceLogs",
    "scope_logs": "resourceLogs",
    "instrumentationLibraryLogs": "resourceLogs",
    "scopeMetrics": "resourceMetrics",
    "scope_metrics": "resourceMetrics",
}
_NOUNS: Final[dict[Signal, str]] = {
    "traces": "span",
    "logs": "log record",
    "metrics": "metric",
}

_T = TypeVar("_T")


class StoredRequest(NamedTuple):
    """One export request as protobuf wire bytes.

    `time_ns` is the largest span end, log time or time of a metric in it. `rejected` counts what
    could not be mapped to protobuf; `warning` says what was, or will be, refused, and why.
    """

    signal: Signal
    body: bytes
    time_ns: int
    warning: str | None = None
    rejected: int = 0


def requests_in_json(parsed: Any) -> Iterator[StoredRequest | PermanentError]:
    """Yield the requests in a parsed JSON text, and the error of each part that is none.

    The text is one document, an array of them, or Jaeger's `{"data": [...]}`.
    """
    parts = [parsed]
    if isinstance(parsed, list):
        parts = parsed
    elif isinstance(parsed, dict) and isinstance(parsed.get("data"), list):
        parts = parsed["data"]
    for part in parts:
        try:
            yield from requests_in_document(part)
        except PermanentError as error:
            yield error


def requests_in_document(document: Any) -> list[StoredRequest]:
    """Return the requests in one JSON document: OTLP (also one group of it), Tempo or Jaeger.

    Raises:
        PermanentError: There is none in it, or one is wrong as a whole.
    """
    if not isinstance(document, dict):
        raise PermanentError(f"a request is a JSON object, not {json_kind(document)}")
    if is_jaeger(document):
        return [_request("resourceSpans", trace_to_otlp(document))]
    group = next((top for key, top in _GROUP_KEYS.items() if key in document), None)
    if group is not None:
        document = {group: [strict_otlp(document)]}
    wrapped = next((document[k] for k in _WRAPPERS if isinstance(document.get(k), dict)), None)
    if wrapped is not None or any(key in document for key in _LOOSE_KEYS):
        document = strict_otlp(document if wrapped is None else wrapped)
    keys = [key for key in TOP_KEYS if document.get(key) is not None]
    if not keys:
        names = ", ".join(sorted(document)[:5])[:80]
        raise PermanentError(f"no OTLP, Tempo or Jaeger JSON; its keys are: {names or 'none'}")
    return [_request(key, document) for key in keys]


def request_in_bytes(body: bytes) -> StoredRequest:
    """Recognise a protobuf request by what is in it.

    The three signals nest alike and nothing names them, but only spans start with two ids of
    the right length, and log records and metrics cannot start alike. A request without items
    passes as traces, and so does one whose spans are all invalid.

    Raises:
        PermanentError: It is none of the three.
    """
    split = _attempt(split_traces, body)
    if split and (split.spans or not split.rejected):
        return _split_request(body, split)
    as_logs = _attempt(_logs, body)
    if as_logs:
        return as_logs
    if _has_metrics(body):
        return _metrics(body)
    if split is None:
        raise PermanentError(f"{len(body)} bytes that are no OTLP request")
    return _split_request(body, split)


def _request(key: str, document: dict[str, Any]) -> StoredRequest:
    mapped = request_from_document(document, key)
    if mapped.warning:
        loose = request_from_document(strict_otlp(document), key)
        mapped = min(mapped, loose, key=_badness)
    signal = TOP_KEYS[key]
    request = _READERS[signal](mapped.body)
    warning = _refused(mapped.rejected, signal, mapped.warning) or mapped.warning
    both = "; ".join(text for text in (warning, request.warning) if text)
    return request._replace(warning=both or None, rejected=mapped.rejected)


def _badness(mapped: JsonRequest) -> tuple[int, bool]:
    return mapped.rejected, bool(mapped.warning)


def _refused(count: int, signal: Signal, why: str) -> str | None:
    noun = _NOUNS[signal] + ("" if count == 1 else "s")
    return f"{count} {noun} refused: {why}" if count else None


def _attempt(read: Callable[[bytes], _T], body: bytes) -> _T | None:
    try:
        return read(body)
    except PermanentError:
        return None


def _traces(body: bytes) -> StoredRequest:
    return _split_request(body, split_traces(body))


def _split_request(body: bytes, split: SplitSpans) -> StoredRequest:
    time_ns = max((span.end_ns for span in split.spans), default=0)
    warning = _refused(split.rejected, "traces", split.rejected_reason)
    return StoredRequest("traces", body, time_ns, warning)


def _logs(body: bytes) -> StoredRequest:
    split = split_logs(body)
    time_ns = max((record.time_ns for record in split.records), default=0)
    warning = _refused(split.rejected, "logs", split.rejected_reason)
    return StoredRequest("logs", body, time_ns, warning)


def _metrics(body: bytes) -> StoredRequest:
    request = metrics_service_pb2.ExportMetricsServiceRequest.FromString(body)
    return StoredRequest("metrics", body, last_time_ns(request.resource_metrics))


_READERS: Final[dict[Signal, Callable[[bytes], StoredRequest]]] = {
    "traces": _traces,
    "logs": _logs,
    "metrics": _metrics,
}


def _has_metrics(body: bytes) -> bool:
    try:
        request = metrics_service_pb2.ExportMetricsServiceRequest.FromString(body)
    except DecodeError:
        return False
    scopes = (scope for group in request.resource_metrics for scope in group.scope_metrics)
    return any(m.name and m.WhichOneof("data") for scope in scopes for m in scope.metrics)
