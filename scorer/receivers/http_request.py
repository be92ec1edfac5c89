"""What an OTLP/HTTP request says about itself, and its body.

Everything is checked in the order in which it gets expensive: path, method, headers, then the
body, which is bounded in bytes (as sent and inflated) and in time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final, NamedTuple

from aiohttp import HttpVersion11, web

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.signal import Signal
from scorer.receivers.bounded_body import BoundedBody, GzipBody, PlainBody
from scorer.receivers.refusal import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    UNIMPLEMENTED,
    RefusedError,
)

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

_SIGNALS: Final[dict[str, Signal]] = {
    "/v1/traces": "traces",
    "/v1/logs": "logs",
    "/v1/metrics": "metrics",
}


class RequestHead(NamedTuple):
    """The checked head of a request."""

    signal: Signal
    as_json: bool
    gzip: bool


def signal_of(request: web.BaseRequest) -> Signal | None:
    """Return the signal whose path this is."""
    return _SIGNALS.get(request.path)


def read_head(request: web.BaseRequest) -> RequestHead:
    """Check path, method and headers.

    Raises:
        RefusedError: 404, 405 or 415.
    """
    signal = signal_of(request)
    if signal is None:
        known = ", ".join(_SIGNALS)
        raise RefusedError(f"unknown path; use {known}", http_status=404, grpc_code=NOT_FOUND)
    if request.method != "POST":
        raise RefusedError("use POST", http_status=405, grpc_code=UNIMPLEMENTED)
    if request.content_type not in (PROTOBUF, JSON):
        raise _unsupported(f"Content-Type is {PROTOBUF} or {JSON}")
    return RequestHead(signal, request.content_type == JSON, _is_gzip(request))


async def read_body(
    request: web.BaseRequest, *, gzip: bool, limit: int, grew: Callable[[], None]
) -> bytes:
    """Read and inflate the body; `grew` is called after each MiB that is inflated.

    Raises:
        TooLargeError: It has more than `limit` bytes, as sent or inflated.
        PermanentError: Its gzip or its transfer encoding is damaged.
        ConnectionError: The sender went away.
    """
    if (request.content_length or 0) > limit:
        raise TooLargeError(
            f"the request has {request.content_length} bytes, more than the limit of {limit}; "
            "send smaller batches, or raise receivers.otlp.http.max_request_size and "
            "assembly.memory (16 times as much)"
        )
    body: BoundedBody = GzipBody(limit) if gzip else PlainBody(limit)
    try:
        await _continue(request)
        async for piece in _pieces(request):
            for _ in body.feed(piece):
                grew()
                await asyncio.sleep(0)
    except web.RequestPayloadError as error:
        raise PermanentError(f"the transfer encoding is damaged: {error}") from error
    return body.finish()


async def _pieces(request: web.BaseRequest) -> AsyncIterator[bytes]:
    """Yield what arrives.

    The sender may be gone before the first read: aiohttp takes that for a fault of the reader's.
    """
    try:
        async for piece in request.content.iter_any():
            yield piece
    except RuntimeError as error:
        if request.transport is not None:
            raise
        raise ConnectionResetError("the sender went away") from error


async def _continue(request: web.BaseRequest) -> None:
    """Ask a client that waits for it to send the body."""
    expects = request.headers.get("Expect", "").lower() == "100-continue"
    if expects and request.version == HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # or aiohttp takes it for the start of the response


def _is_gzip(request: web.BaseRequest) -> bool:
    encoding = ",".join(request.headers.getall("Content-Encoding", [])).strip().lower()
    if encoding in ("gzip", "x-gzip"):
        return True
    if encoding in ("", "identity"):
        return False
    raise _unsupported("Content-Encoding is gzip or identity")


def _unsupported(text: str) -> RefusedError:
    return RefusedError(text, http_status=415, grpc_code=INVALID_ARGUMENT)
