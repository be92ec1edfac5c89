"""The bodies that an OTLP server answers with, in protobuf or JSON.

Responses carry no trace or span ids, so the stock protobuf JSON mapping is right for them
(it is not for requests, see `json_mapping`). Texts are cut so that no response comes near the
4 MiB that a client may refuse.
"""

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from scorer.otlp.signal import Signal

MAX_MESSAGE = 2048
"""Characters of an error text that are sent at most."""

_INVALID_ARGUMENT = 3


def export_response(
    signal: Signal, *, rejected: int = 0, message: str = "", as_json: bool = False
) -> bytes:
    """Encode an Export*ServiceResponse.

    `partial_success` is left unset when there is nothing to say; a `message` with `rejected=0`
    is a warning about a request that was taken whole.
    """
    return _encode(_response(signal, rejected, _text(message)), as_json=as_json)


def status_response(
    code: int, message: str, *, retry_after_s: float | None = None, as_json: bool = False
) -> bytes:
    """Encode a google.rpc.Status (`code` is a gRPC status number).

    INVALID_ARGUMENT carries BadRequest details; `retry_after_s` adds RetryInfo, which tells the
    client that it may send the same request again.
    """
    text = _text(message)
    status = status_pb2.Status(code=code, message=text)
    if code == _INVALID_ARGUMENT:
        bad = error_details_pb2.BadRequest()
        bad.field_violations.add(description=text)
        status.details.add().Pack(bad)
    if retry_after_s is not None:
        status.details.add().Pack(_retry_info(retry_after_s))
    return _encode(status, as_json=as_json)


def retry_info(retry_after_s: float) -> bytes:
    """Encode a bare google.rpc.RetryInfo, for the trailer `google.rpc.retryinfo-bin`.

    The Python OTLP exporter reads only this key, not `grpc-status-details-bin`.
    """
    wire: bytes = _retry_info(retry_after_s).SerializeToString()
    return wire


def _text(message: str) -> str:
    # A message may quote its input, and protobuf refuses lone surrogates.
    return message[:MAX_MESSAGE].encode("utf-8", "replace").decode()


def _retry_info(retry_after_s: float) -> error_details_pb2.RetryInfo:
    delay = Duration()
    delay.FromNanoseconds(round(retry_after_s * 1e9))
    return error_details_pb2.RetryInfo(retry_delay=delay)


def _response(signal: Signal, rejected: int, message: str) -> Message:
    if signal == "traces":
        traces = trace_service_pb2.ExportTraceServiceResponse()
        if rejected or message:
            traces.partial_success.rejected_spans = rejected
            traces.partial_success.error_message = message
        return traces
    if signal == "logs":
        logs = logs_service_pb2.ExportLogsServiceResponse()
        if rejected or message:
            logs.partial_success.rejected_log_records = rejected
            logs.partial_success.error_message = message
        return logs
    metrics = metrics_service_pb2.ExportMetricsServiceResponse()
    if rejected or message:
        metrics.partial_success.rejected_data_points = rejected
        metrics.partial_success.error_message = message
    return metrics


def _encode(message: Message, *, as_json: bool) -> bytes:
    if as_json:
        return json_format.MessageToJson(message, indent=None, ensure_ascii=False).encode()
    return message.SerializeToString()
