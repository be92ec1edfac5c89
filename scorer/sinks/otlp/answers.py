"""What the answers of OTLP servers mean, by the rules of the OTLP specification."""

import datetime as dt
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from typing import Any, Final

from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from scorer.errors import RetryableError, SpanscoreError, TooLargeError
from scorer.otlp.signal import Signal
from scorer.sinks.otlp.target import OverloadedError, RefusedError, Sent

LONGEST_RETRY_S: Final = 300.0
"""More than that is not waited for, whatever a target asks."""

_RETRYABLE_CODES: Final = frozenset(
    {"CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE", "UNAVAILABLE", "DATA_LOSS"}
)
# The target does not want us, or this signal: no part of the request would be taken.
_NOT_THE_DATA: Final = frozenset(
    {"UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED", "NOT_FOUND"}
)
# grpc-go, grpc-java and grpc core word it so; there is no code of its own for it.
_TOO_LARGE: Final = "larger than max"

_RETRYABLE_STATUSES: Final = frozenset({429, 502, 503, 504})
_NOT_THE_DATA_STATUSES: Final = frozenset({401, 403, 404, 405, 407, 415, 501})
_NAMED_STATUSES: Final = _NOT_THE_DATA_STATUSES | {400, 408, 422, 500}
_LONGEST_TEXT: Final = 200

Trailers = Iterable[tuple[str, str | bytes]]

_RESPONSES: Final[dict[Signal, tuple[Any, str]]] = {
    "traces": (trace_service_pb2.ExportTraceServiceResponse, "rejected_spans"),
    "logs": (logs_service_pb2.ExportLogsServiceResponse, "rejected_log_records"),
    "metrics": (metrics_service_pb2.ExportMetricsServiceResponse, "rejected_data_points"),
}


def read_response(signal: Signal, body: bytes) -> Sent:
    """Read an Export*ServiceResponse; one that does not decode says that all was taken."""
    kind, rejected = _RESPONSES[signal]
    try:
        partial = kind.FromString(body).partial_success
    except DecodeError:
        return Sent()
    return Sent(max(0, getattr(partial, rejected)), shown(partial.error_message))


def grpc_error(code: str, text: str, trailers: Trailers) -> SpanscoreError:
    """Return the error that a gRPC status means; `code` is the name of the status."""
    said = f"{code}: {shown(text)}"
    delay_s = _retry_info_s(trailers)
    if code in _RETRYABLE_CODES:
        return RetryableError(said, retry_after_s=delay_s or 0.0)
    if code != "RESOURCE_EXHAUSTED":
        return RefusedError(said, reason=code.lower(), is_about_data=code not in _NOT_THE_DATA)
    if delay_s is not None:
        return RetryableError(said, retry_after_s=delay_s)
    return TooLargeError(said) if _TOO_LARGE in text else OverloadedError(said, retry_after_s=0.0)


def http_error(status: int, text: str, retry_after: str | None, now: dt.datetime) -> SpanscoreError:
    """Return the error that an HTTP status means; `retry_after` is the header, `now` the time."""
    said = f"HTTP {status}: {shown(text)}" if text else f"HTTP {status}"
    if status in _RETRYABLE_STATUSES:
        return RetryableError(said, retry_after_s=_retry_after_s(retry_after, now))
    if status == 413:
        return TooLargeError(said)
    # A redirect is about the endpoint in the configuration.
    is_about_data = status >= 400 and status not in _NOT_THE_DATA_STATUSES
    name = str(status) if status in _NAMED_STATUSES else f"{status // 100}xx"
    return RefusedError(said, reason=f"http_{name}", is_about_data=is_about_data)


def unreachable(error: BaseException) -> RetryableError:
    """Return the error for a target that gives no answer at all."""
    why = shown(str(error)) or type(error).__name__
    return RetryableError(f"no answer: {why}", retry_after_s=0.0)


def status_text(body: bytes) -> str:
    """Return the message of a google.rpc.Status, "" when it is none."""
    try:
        text: str = status_pb2.Status.FromString(body).message
    except DecodeError:
        return ""
    return text


def shown(text: str) -> str:
    """Return a text of somebody else's as it may stand in a log: short, in one line."""
    text = " ".join(text[: 4 * _LONGEST_TEXT].split())[:_LONGEST_TEXT]
    return "".join(char if char.isprintable() else "_" for char in text)


def without_secrets(error: SpanscoreError, secrets: Iterable[str]) -> SpanscoreError:
    """Return the error with all secrets taken out of its text: targets may quote a header."""
    text = str(error)
    for secret in secrets:
        for part in (secret, *secret.split()):
            if len(part) > 3:
                text = text.replace(part, "***")
    error.args = (text, *error.args[1:])
    return error


def _retry_info_s(trailers: Trailers) -> float | None:
    """Return the delay of a google.rpc.RetryInfo, None = there is none."""
    for key, value in trailers:
        wire = value if isinstance(value, bytes) else value.encode("latin-1", "replace")
        try:
            if key == "grpc-status-details-bin":
                for detail in status_pb2.Status.FromString(wire).details:
                    info = error_details_pb2.RetryInfo()
                    if detail.Unpack(info):
                        return _seconds(info)
            elif key == "google.rpc.retryinfo-bin":
                return _seconds(error_details_pb2.RetryInfo.FromString(wire))
        except DecodeError:
            continue
    return None


def _seconds(info: error_details_pb2.RetryInfo) -> float:
    delay = info.retry_delay
    return _capped(delay.seconds + delay.nanos / 1e9)


def _retry_after_s(header: str | None, now: dt.datetime) -> float:
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return _capped(float(text[:9]))
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return _capped((at.replace(tzinfo=at.tzinfo or dt.UTC) - now).total_seconds())


def _capped(delay_s: float) -> float:
    return min(max(delay_s, 0.0), LONGEST_RETRY_S)
