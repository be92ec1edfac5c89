"""The answer of an OTLP server, read the same way for every transport."""

from typing import Any, NamedTuple

import grpc
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

PROTOBUF = "application/x-protobuf"
JSON = "application/json"

_SHOWN = 160


class Answer(NamedTuple):
    """`code` is the name of a gRPC status or the number of an HTTP one.

    `headers` have lower-case names; over gRPC they are the trailers. `media_type` is "" there.
    """

    code: str | int
    body: bytes = b""
    headers: dict[str, Any] = {}  # noqa: RUF012  never changed
    text: str = ""
    media_type: str = ""

    @property
    def is_ok(self) -> bool:
        return self.code in ("OK", 200)

    @property
    def is_bad_data(self) -> bool:
        return self.code in ("INVALID_ARGUMENT", 400)

    @property
    def is_too_large(self) -> bool:
        return self.code in ("RESOURCE_EXHAUSTED", 413)

    @property
    def response(self):
        """The ExportTraceServiceResponse; raises when the body is none."""
        return self._decode(trace_service_pb2.ExportTraceServiceResponse)

    @property
    def is_full_success(self) -> bool:
        """Taken whole, and nothing said about it."""
        return self.is_ok and not self.response.HasField("partial_success")

    @property
    def rejected(self) -> int:
        return self.response.partial_success.rejected_spans if self.is_ok else 0

    @property
    def message(self) -> str:
        """The text for a person: of the partial success, or of the error."""
        if self.is_ok:
            return self.response.partial_success.error_message
        return self.status.message if self.media_type else self.text

    @property
    def status(self):
        """The google.rpc.Status of an error; raises when there is none."""
        if self.media_type:
            return self._decode(status_pb2.Status)
        return status_pb2.Status.FromString(self.headers["grpc-status-details-bin"])

    def detail(self, kind):
        """Return the detail of this kind in the status, None when there is none."""
        if not self.media_type and "grpc-status-details-bin" not in self.headers:
            return None
        for packed in self.status.details:
            detail = kind()
            if packed.Unpack(detail):
                return detail
        return None

    @property
    def retry_info(self):
        return self.detail(error_details_pb2.RetryInfo)

    def _decode(self, kind):
        if self.media_type == JSON:
            return json_format.Parse(self.body, kind())
        assert self.media_type in ("", PROTOBUF), self
        return kind.FromString(self.body)

    def __repr__(self) -> str:
        """Show what a person wants to know of it, in bounded length."""
        parts = [str(self.code), self.media_type, self.text[:_SHOWN]]
        if self.is_ok:
            parts.append(self._partial())
        elif self.media_type or self.body:
            parts.append(_shown(self.body))
        return " ".join(part for part in parts if part)

    def _partial(self) -> str:
        try:
            partial = self.response.partial_success
        except Exception:
            return f"body {_shown(self.body)}"
        if not self.response.HasField("partial_success"):
            return ""
        return f"rejected_spans={partial.rejected_spans} {partial.error_message[:_SHOWN]!r}"


def _shown(body: bytes) -> str:
    return repr(b" ".join(body.split())[:_SHOWN])


def grpc_code(number: int) -> str:
    """Return the name of a gRPC status."""
    names = {code.value[0]: code.name for code in grpc.StatusCode}
    return names.get(number, f"status {number}")
