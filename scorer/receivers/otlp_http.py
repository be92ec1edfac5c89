"""OTLP over HTTP: protobuf and JSON on one port.

aiohttp's low-level server, without its router: every answer, 404 and 405 too, must carry a
google.rpc.Status in the encoding of the request. Nothing is ever answered with 500: an OTLP
client drops its data on it.
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable
from typing import Final

from aiohttp import web

from scorer.access.entry import Entry
from scorer.access.names import names_in_peercert
from scorer.config import Config
from scorer.otlp.json_cut import PART_SIZE, cut_json
from scorer.otlp.json_mapping import (
    JsonRequest,
    logs_from_json,
    metrics_from_json,
    traces_from_json,
)
from scorer.otlp.responses import export_response, status_response
from scorer.otlp.signal import Signal
from scorer.receivers.body_gate import BodyGate, Reading
from scorer.receivers.http_connections import BoundedServer
from scorer.receivers.http_request import (
    JSON,
    PROTOBUF,
    RequestHead,
    read_body,
    read_head,
    signal_of,
)
from scorer.receivers.listen import cannot_listen
from scorer.receivers.parts import both, size_limit, take_each, take_protobuf
from scorer.receivers.refusal import Refusals, RefusedError
from scorer.receivers.resident import reading_limit
from scorer.receivers.take import Accepted, Ingest, takers
from scorer.telemetry import Telemetry, failpoints

_SECTION = "receivers.otlp.http"
_RECEIVER = "otlp_http"

_TLS_HANDSHAKE_S = 10.0
# After a refusal the rest of the body is read and dropped for this long: a client that is cut
# off while it sends sees a broken connection instead of the answer.
_LINGER_S = 2.0
# Of a sender that is not let in not even that is read, unless it is this little, in bytes.
_LINGER_BYTES = 2**20
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
    """Serves POST /v1/traces, /v1/logs and /v1/metrics on `receivers.otlp.http`.

    Raises:
        ConfigError: The tokens or certificates cannot be used.
    """

    def __init__(self, config: Config, ingest: Ingest, telemetry: Telemetry) -> None:
        self._config = config.receivers.otlp.http
        self._size_limit = size_limit(self._config.max_request_size, config.assembly.memory)
        self._gate = BodyGate(
            memory_limit=reading_limit(config.assembly.memory, self._size_limit),
            size_limit=self._size_limit,
            read_timeout_s=float(self._config.read_timeout),
        )
        self._entry = Entry(self._config.tls, self._config.auth, _SECTION)
        self._telemetry = telemetry
        self._refusals = Refusals(_RECEIVER, telemetry)
        self._ingest = ingest
        self._takers = takers(ingest)
        self._in_flight = 0
        self._turn = asyncio.Lock()
        self._idle = asyncio.Event()
        self._runner: web.ServerRunner | None = None
        self._listener: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []
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
        self._telemetry.add("spanscore_refused_connections_total", 0, receiver=_RECEIVER)
        server = BoundedServer(
            self._handle,
            max_connections=self._config.max_connections,
            on_closed=self._count_closed,
            access_log=None,
            auto_decompress=False,  # ours is bounded
            # So long a new connection may be without a head, and an idle one stays open.
            keepalive_timeout=float(self._config.idle_timeout),
            lingering_time=_LINGER_S,
            logger=_wire_log,
        )
        runner = web.ServerRunner(server, shutdown_timeout=_CANCEL_S)
        await runner.setup()
        try:
            listener = await self._listen(server)
        except OSError as error:
            await runner.cleanup()
            raise cannot_listen(endpoint, f"{_SECTION}.endpoint", error) from error
        port = listener.sockets[0].getsockname()[1]
        self._runner, self._listener, self._address = runner, listener, (endpoint.host, port)
        parts = (self._gate.watch(), self._entry.keep_current())
        self._tasks = [asyncio.create_task(part) for part in parts]

    async def stop(self, grace_s: float) -> None:
        """Stop accepting; requests in flight have `grace_s` seconds to finish."""
        runner, listener, self._runner, self._listener = self._runner, self._listener, None, None
        if runner is None or listener is None:
            return
        listener.close()
        try:
            async with asyncio.timeout(grace_s):
                while self._in_flight:
                    self._idle.clear()
                    await self._idle.wait()
        except TimeoutError:
            _log_unfinished(self._in_flight)
        await runner.cleanup()
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _listen(self, server: BoundedServer) -> asyncio.Server:
        tls, endpoint = self._entry.tls, self._config.endpoint
        return await asyncio.get_running_loop().create_server(
            server,
            endpoint.host,
            endpoint.port,
            ssl=None if tls is None else tls.ssl_context(),
            ssl_handshake_timeout=None if tls is None else _TLS_HANDSHAKE_S,
            reuse_address=True,
            backlog=1024,
        )

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
        if response.status in (401, 403):
            await _turn_away(request, response)
        return response

    async def _export(self, request: web.BaseRequest) -> web.Response:
        tenant = self._let_in(request)
        head = read_head(request)
        # What is deflated may get as large as anything.
        with self._gate.reading(None if head.gzip else request.content_length) as reading:
            await reading.turn()
            accepted = await self._take(head, await self._read(request, head, reading), tenant)
        if accepted.offset:
            await self._ingest.durable(accepted.offset, accepted.first)
            failpoints.failpoint("before_ack")
        content = export_response(
            head.signal,
            rejected=accepted.rejected,
            message=accepted.message,
            as_json=head.as_json,
        )
        return web.Response(body=content, content_type=JSON if head.as_json else PROTOBUF)

    async def _read(self, request: web.BaseRequest, head: RequestHead, reading: Reading) -> bytes:
        limit = self._size_limit
        body = await read_body(request, gzip=head.gzip, limit=limit, grew=reading.grew)
        reading.arrived()
        return body

    def _let_in(self, request: web.BaseRequest) -> str:
        """Return the tenant that sends; raises UnauthenticatedError or ForbiddenError."""
        if self._entry.asks_for_names:
            self._entry.require_name(names_in_peercert(request.get_extra_info("peercert")))
        return self._entry.tenant_of(request.headers.getall("Authorization", []))

    async def _take(self, head: RequestHead, body: bytes, tenant: str) -> Accepted:
        take = self._takers[head.signal]
        if not head.as_json:
            return await take_protobuf(take, body, tenant, self._turn)
        convert = _FROM_JSON[head.signal]

        def take_part(part: bytes) -> Accepted:
            converted = convert(part)
            if converted.rejected:
                self._count_rejected(head.signal, converted.rejected)
            accepted = take(converted.body, tenant=tenant)
            return both(Accepted(converted.rejected, converted.warning), accepted)

        turn = self._turn if len(body) > PART_SIZE else None
        return await take_each(take_part, cut_json(body, head.signal), turn)

    def _count_rejected(self, signal: Signal, count: int) -> None:
        """Count what the mapping of JSON rejected: ingest never sees it."""
        if signal == "traces":
            self._telemetry.add("spanscore_offered_spans_total", count)
            self._telemetry.add("spanscore_refused_spans_total", count, reason="invalid")
        elif signal == "logs":
            self._telemetry.add("spanscore_log_records_total", count, outcome="invalid")

    def _count_closed(self) -> None:
        self._telemetry.add("spanscore_refused_connections_total", receiver=_RECEIVER)

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
    if refusal.http_status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if refusal.http_status == 405:
        response.headers["Allow"] = "POST"
    if refusal.http_status == 408:
        response.force_close()
    return response


async def _turn_away(request: web.BaseRequest, response: web.Response) -> None:
    """Answer a sender that is not let in, and close rather than read a long body."""
    if request.content_length is not None and request.content_length <= _LINGER_BYTES:
        return
    await response.prepare(request)
    await response.write_eof()
    request.protocol.force_close()


def _log_unfinished(count: int) -> None:
    logging.getLogger(__name__).warning("%s: %d requests cut off by the stop", _RECEIVER, count)
