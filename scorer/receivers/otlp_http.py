"""OTLP over HTTP: protobuf and JSON on one port.

aiohttp's low-level server, without its router: every answer, 404 and 405 too, must carry a
google.rpc.Status in the encoding of the request. Nothing is ever answered with 500: an OTLP
client drops its data on it.
"""

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Final

from aiohttp import web

from scorer.config import Config
from scorer.otlp.json_mapping import (
    JsonRequest,
    logs_from_json,
    metrics_from_json,
    traces_from_json,
)
from scorer.otlp.responses import export_response, status_response
from scorer.otlp.signal import Signal
from scorer.receivers.http_request import (
    JSON,
    PROTOBUF,
    RequestHead,
    read_body,
    read_head,
    signal_of,
)
from scorer.receivers.ingest import Accepted, Ingest, takers
from scorer.receivers.listen import cannot_listen
from scorer.receivers.refusal import Refusals, RefusedError
from scorer.telemetry import Telemetry

_KEY = "receivers.otlp.http.endpoint"
_RECEIVER = "otlp_http"

# A new connection has this long for its first head, an idle one stays open this long.
_IDLE_S = 60.0
# After a refusal the rest of the body is read and dropped for this long: a client that is cut
# off while it sends sees a broken connection instead of the answer.
_LINGER_S = 2.0
# JSON above this size is converted in a thread, so that other connections go on.
_LARGE_JSON = 256 * 1024
# After the grace period, for handlers that are still there.
_CANCEL_S = 0.5

_FROM_JSON: Final[dict[Signal, Callable[[bytes], JsonRequest]]] = {
    "traces": traces_from_json,
    "logs": logs_from_json,
    "metrics": metrics_from_json,
}

# aiohttp logs a traceback for every malformed request line, which anybody can send.
_wire_log = logging.getLogger(f"{__name__}.wire")
_wire_log.setLevel(logging.CRITICAL)


class OtlpHttpReceiver:
    """Serves POST /v1/traces, /v1/logs and /v1/metrics on `receivers.otlp.http`."""

    def __init__(self, config: Config, ingest: Ingest, telemetry: Telemetry) -> None:
        self._config = config.receivers.otlp.http
        self._telemetry = telemetry
        self._refusals = Refusals(_RECEIVER, telemetry)
        self._takers = takers(ingest)
        # One at a time: parsed JSON takes many times the size of its text.
        self._large_json = asyncio.Lock()
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._runner: web.ServerRunner | None = None
        self._site: web.TCPSite | None = None
        self._address: tuple[str, int] | None = None

    @property
    def is_listening(self) -> bool:
        """Whether requests are accepted now; never when the configuration disables it."""
        return self._runner is not None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are listened on; raises RuntimeError before `start`."""
        if self._address is None:
            raise RuntimeError(f"{_RECEIVER} does not listen")
        return self._address

    async def start(self) -> None:
        """Listen, unless the configuration disables it.

        Raises:
            ConfigError: The endpoint cannot be listened on.
        """
        if not self._config.enabled:
            return
        endpoint = self._config.endpoint
        server = web.Server(
            self._handle,
            access_log=None,
            auto_decompress=False,  # ours is bounded
            keepalive_timeout=_IDLE_S,
            lingering_time=_LINGER_S,
            logger=_wire_log,
        )
        runner = web.ServerRunner(server, shutdown_timeout=_CANCEL_S)
        await runner.setup()
        site = web.TCPSite(runner, endpoint.host, endpoint.port)
        try:
            await site.start()
        except OSError as error:
            await runner.cleanup()
            raise cannot_listen(endpoint, _KEY, error) from error
        self._runner, self._site, self._address = runner, site, (endpoint.host, site.port)

    async def stop(self, grace_s: float) -> None:
        """Stop accepting; requests in flight have `grace_s` seconds to finish."""
        runner, site, self._runner, self._site = self._runner, self._site, None, None
        if runner is None or site is None:
            return
        await site.stop()
        try:
            async with asyncio.timeout(grace_s):
                while self._in_flight:
                    self._idle.clear()
                    await self._idle.wait()
        except TimeoutError:
            _log_unfinished(self._in_flight)
        await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        self._in_flight += 1
        try:
            response = await self._answer(request)
        finally:
            self._in_flight -= 1
            self._idle.set()
        if self._runner is None:
            response.force_close()
        return response

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        try:
            response = await self._export(request)
        except ConnectionError:
            self._count(request, "disconnected")
            raise
        except Exception as error:  # noqa: BLE001  the boundary: every fault has an answer
            response = _refusal_response(request, self._refusals.explain(error))
        self._count(request, str(response.status))
        return response

    async def _export(self, request: web.BaseRequest) -> web.Response:
        head = read_head(request)
        body = await read_body(
            request,
            gzip=head.gzip,
            limit=int(self._config.max_request_size),
            timeout_s=float(self._config.read_timeout),
        )
        accepted = await self._take(head, body)
        content = export_response(
            head.signal,
            rejected=accepted.rejected,
            message=accepted.message,
            as_json=head.as_json,
        )
        return web.Response(body=content, content_type=JSON if head.as_json else PROTOBUF)

    async def _take(self, head: RequestHead, body: bytes) -> Accepted:
        take = self._takers[head.signal]
        if not head.as_json:
            return take(body)
        converted = await self._convert(_FROM_JSON[head.signal], body)
        if converted.rejected:
            self._count_rejected(head.signal, converted.rejected)
        accepted = take(converted.body)
        messages = [text for text in (converted.warning, accepted.message) if text]
        return Accepted(converted.rejected + accepted.rejected, "; ".join(messages))

    async def _convert(self, convert: Callable[[bytes], JsonRequest], body: bytes) -> JsonRequest:
        if len(body) < _LARGE_JSON:
            return convert(body)
        async with self._large_json:
            return await asyncio.to_thread(convert, body)

    def _count_rejected(self, signal: Signal, count: int) -> None:
        """Count what the mapping of JSON rejected: ingest never sees it."""
        if signal == "traces":
            self._telemetry.add("spanscore_offered_spans_total", count)
            self._telemetry.add("spanscore_refused_spans_total", count, reason="invalid")
        elif signal == "logs":
            self._telemetry.add("spanscore_log_records_total", count, outcome="invalid")

    def _count(self, request: web.BaseRequest, code: str) -> None:
        signal = signal_of(request) or "unknown"
        self._telemetry.add(
            "spanscore_requests_total", receiver=_RECEIVER, signal=signal, code=code
        )


def _refusal_response(request: web.BaseRequest, refusal: RefusedError) -> web.Response:
    as_json = request.content_type != PROTOBUF  # a person who tries with curl can read it
    body = status_response(
        refusal.grpc_code,
        str(refusal),
        retry_after_s=refusal.retry_after_s,
        as_json=as_json,
    )
    response = web.Response(
        status=refusal.http_status, body=body, content_type=JSON if as_json else PROTOBUF
    )
    if refusal.retry_after_s is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(refusal.retry_after_s)))
    if refusal.http_status == 405:
        response.headers["Allow"] = "POST"
    if refusal.http_status == 408:
        response.force_close()
    return response


def _log_unfinished(count: int) -> None:
    logging.getLogger(__name__).warning("%s: %d requests cut off by the stop", _RECEIVER, count)
