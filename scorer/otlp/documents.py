"""Finds the OTLP requests in one stored record: a parsed JSON document, or protobuf bytes."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2

from scorer.errors import PermanentError
from scorer.otlp.jaeger_json import is_jaeger, trace_to_otlp
from scorer.otlp.json_mapping import request_from_document
from scorer.otlp.json_values import json_kind
from scorer.otlp.signal import TOP_KEYS, Signal
from scorer.otlp.split import split_logs, split_traces
from scorer.otlp.tempo_json import strict_otlp

_LOOSE_KEYS: Final = ("batches", "resource_spans", "resource_logs", "resource_metrics")
_WRAPPERS: Final = ("trace", "result")


class StoredRequest(NamedTuple):
    """One export request as protobuf wire bytes.

    `time_ns` is the largest span end or log time in it, 0 for metrics. `rejected` counts what
    could not be mapped to protobuf; `warning` says why.
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
    """Return the requests in one JSON document: OTLP, Tempo or Jaeger.

    Raises:
        PermanentError: There is none in it, or one is wrong as a whole.
    """
    if not isinstance(document, dict):
        raise PermanentError(f"a request is a JSON object, not {json_kind(document)}")
    if is_jaeger(document):
        return [_request("resourceSpans", trace_to_otlp(document))]
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
    as_traces = _attempt(_traces, body)
    if as_traces and as_traces.warning is None:
        return as_traces
    found = _attempt(_logs, body) or (_metrics(body) if _has_metrics(body) else as_traces)
    if found is None:
        raise PermanentError(f"{len(body)} bytes that are no OTLP request")
    return found


def _request(key: str, document: dict[str, Any]) -> StoredRequest:
    mapped = request_from_document(document, key)
    if mapped.rejected:
        loose = request_from_document(strict_otlp(document), key)
        mapped = min(mapped, loose, key=lambda result: result.rejected)
    read = _READERS[TOP_KEYS[key]]
    request = read(mapped.body)
    return request._replace(warning=mapped.warning or request.warning, rejected=mapped.rejected)


def _attempt(read: Callable[[bytes], StoredRequest], body: bytes) -> StoredRequest | None:
    try:
        return read(body)
    except PermanentError:
        return None


def _traces(body: bytes) -> StoredRequest:
    split = split_traces(body)
    time_ns = max((span.end_ns for span in split.spans), default=0)
    no_valid_one = split.rejected > 0 and not split.spans
    warning = f"no valid span: {split.rejected_reason}" if no_valid_one else None
    return StoredRequest("traces", body, time_ns, warning)


def _logs(body: bytes) -> StoredRequest:
    split = split_logs(body)
    time_ns = max((record.time_ns for record in split.records), default=0)
    return StoredRequest("logs", body, time_ns)


def _metrics(body: bytes) -> StoredRequest:
    return StoredRequest("metrics", body, 0)


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
