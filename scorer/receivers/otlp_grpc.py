"""OTLP over gRPC.

Theory of operation. A generic handler is asked for each call as soon as its headers are there:
who sends is decided then, before a byte of the body is read. The call is served as a stream,
of which one message is read: a unary handler gets to run only when the whole message is in
memory, so nothing could stop a slow or a hoarding sender. The message is taken as raw bytes: a
generated servicer would answer garbage with INTERNAL instead of INVALID_ARGUMENT. A message
over the size limit never gets here: grpcio (>= 1.83.1) stops inflating at the limit and answers
RESOURCE_EXHAUSTED itself.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio

from scorer.access.certificates import ServerTls
from scorer.access.entry import Entry
from scorer.access.names import names_in_auth_context
from scorer.config import Config, Endpoint, GrpcConfig
from scorer.errors import ConfigError, SpanscoreError
from scorer.otlp.responses import export_response, retry_info, status_response
from scorer.otlp.signal import Signal
from scorer.receivers.body_gate import BodyGate
from scorer.receivers.listen import require_bindable
from scorer.receivers.parts import size_limit, take_protobuf
from scorer.receivers.refusal import Refusals, RefusedError
from scorer.receivers.resident import reading_limit
from scorer.receivers.take import Ingest, takers
from scorer.telemetry import Telemetry, failpoints

_SECTION = "receivers.otlp.grpc"
_RECEIVER = "otlp_grpc"

_METHODS: Final[dict[str, Signal]] = {
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export": "traces",
    "/opentelemetry.proto.collector.logs.v1.LogsService/Export": "logs",
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export": "metrics",
}
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}

# A client refuses more than 8 KiB of trailers, and a text is in them three times, once with
# up to three bytes for one.
_MAX_TEXT_BYTES = 1000

_Context = grpc.aio.ServicerContext[bytes, bytes]
_Serve = Callable[[object, _Context], Awaitable[bytes]]
_Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"  # only the stubs are generic


class OtlpGrpcReceiver:
    """Serves the Export calls of traces, logs and metrics on `receivers.otlp.grpc`.

    Raises:
        ConfigError: The tokens or certificates cannot be used.
    """

    def __init__(self, config: Config, ingest: Ingest, telemetry: Telemetry) -> None:
        self._config = config.receivers.otlp.grpc
        self._size_limit = size_limit(self._config.max_request_size, config.assembly.memory)
        self._gate = BodyGate(
            memory_limit=reading_limit(config.assembly.memory, self._size_limit),
            size_limit=self._size_limit,
            read_timeout_s=float(self._config.read_timeout),
        )
        self._entry = Entry(self._config.tls, self._config.auth, _SECTION)
        self._calls = _Calls(ingest, telemetry, self._entry, self._gate)
        self._server: grpc.aio.Server | None = None
        self._address: tuple[str, int] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._serving: asyncio.Task[None] | None = None

    @property
    def is_listening(self) -> bool:
        """Whether requests are accepted now; never when the configuration disables it."""
        return self._server is not None

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
        await require_bindable(endpoint, f"{_SECTION}.endpoint")
        await self._serve_at(endpoint)
        parts = (self._gate.watch(), self._entry.keep_current())
        self._tasks = [asyncio.create_task(part) for part in parts]
        self._serving = asyncio.create_task(self._keep_serving())

    async def stop(self, grace_s: float) -> None:
        """Stop accepting; calls in flight have `grace_s` seconds to finish."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace_s)
        if self._serving is not None:
            await self._serving  # never cancelled: grpcio would take that for the end of its server
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _serve_at(self, endpoint: Endpoint) -> None:
        server = grpc.aio.server(options=_options(self._config, self._size_limit))
        server.add_generic_rpc_handlers([self._calls])
        port = _listen(server, endpoint, self._entry.tls)
        await server.start()
        self._server, self._address = server, (endpoint.host, port)

    async def _keep_serving(self) -> None:
        """Start a new server when grpcio's own loop has ended, as a fault of its has made it."""
        while (server := self._server) is not None and self._address is not None:
            why: object = "it ended"
            try:
                await server.wait_for_termination()
            except Exception as error:  # noqa: BLE001  whatever it was, the port must be served
                why = error
            if self._server is not server:
                return  # it was stopped
            self._server = None
            self._calls.report_end(why)
            host, port = self._address
            with contextlib.suppress(ConfigError):  # it is not listening then, and not ready
                await self._serve_at(
                    Endpoint(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
                )


class _Calls(grpc.GenericRpcHandler):  # type: ignore[type-arg]
    """Finds who serves a call: the export of a signal for a tenant, or a refusal."""

    def __init__(self, ingest: Ingest, telemetry: Telemetry, entry: Entry, gate: BodyGate) -> None:
        self._entry = entry
        self._ingest = ingest
        self._takers = takers(ingest)
        self._telemetry = telemetry
        self._refusals = Refusals(_RECEIVER, telemetry)
        self._gate = gate
        self._turn = asyncio.Lock()
        # As many as there are tenants in the token file.
        self._served: dict[tuple[Signal, str], _Handler] = {}

    def report_end(self, why: object) -> None:
        """Count and log that the server ended unasked."""
        self._refusals.explain(RuntimeError(f"the server of gRPC ended and is started anew: {why}"))

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "_Handler | None":
        """Return what serves a call; None = UNIMPLEMENTED."""
        signal = _METHODS.get(handler_call_details.method)
        if signal is None:
            self._count("unknown", "UNIMPLEMENTED")
            return None
        try:
            tenant = self._entry.tenant_of(_authorizations(handler_call_details))
        except SpanscoreError as error:
            return _handler(self._refusal(signal, error))
        return self._served.get((signal, tenant)) or self._serve(signal, tenant)

    def _serve(self, signal: Signal, tenant: str) -> _Handler:
        handler = self._served[signal, tenant] = _handler(self._export(signal, tenant))
        return handler

    def _refusal(self, signal: Signal, error: SpanscoreError) -> _Serve:
        async def refuse(_: object, context: _Context) -> bytes:
            return await self._refuse(signal, self._refusals.explain(error), context)

        return refuse

    def _export(self, signal: Signal, tenant: str) -> _Serve:
        take = self._takers[signal]
        all_well = export_response(signal)

        async def export(_: object, context: _Context) -> bytes:
            # The error that `abort` raises lives on with grpcio's state of the call, and so do
            # the frames it went through: neither the body nor another error may be in them.
            result = await attempt(context)
            if isinstance(result, bytes):
                return result
            return await self._refuse(signal, result, context)

        async def attempt(context: _Context) -> bytes | RefusedError:
            try:
                self._check_certificate(context)
                with self._gate.reading() as reading:
                    await reading.turn()
                    body = await context.read()
                    if not isinstance(body, bytes):
                        # The call was cancelled, or refused by grpcio; nobody reads the answer.
                        self._count(signal, "CANCELLED")
                        return b""
                    reading.arrived()
                    accepted = await take_protobuf(take, body, tenant, self._turn)
                    del body
                if accepted.offset:
                    await self._ingest.durable(accepted.offset, accepted.first)
                    failpoints.failpoint("before_ack")
            except Exception as error:  # noqa: BLE001  the boundary: every fault has an answer
                return self._refusals.explain(error).with_traceback(None)
            self._count(signal, "OK")
            if not accepted.rejected and not accepted.message:
                return all_well
            return export_response(signal, rejected=accepted.rejected, message=accepted.message)

        return export

    def _check_certificate(self, context: _Context) -> None:
        if self._entry.asks_for_names:
            self._entry.require_name(names_in_auth_context(context.auth_context()))

    async def _refuse(self, signal: Signal, refusal: RefusedError, context: _Context) -> bytes:
        code = _CODES[refusal.grpc_code]
        self._count(signal, code.name)
        text = str(refusal).encode("utf-8", "replace")[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")
        delay = refusal.retry_after_s
        status = status_response(refusal.grpc_code, text, retry_after_s=delay)
        trailers: tuple[tuple[str, bytes], ...] = (("grpc-status-details-bin", status),)
        if delay is not None:
            trailers += (("google.rpc.retryinfo-bin", retry_info(delay)),)
        await context.abort(code, text, trailers)

    def _count(self, signal: str, code: str) -> None:
        self._telemetry.add(
            "spanscore_requests_total", receiver=_RECEIVER, signal=signal, code=code
        )


def _handler(serve: _Serve) -> _Handler:
    handler: _Handler = grpc.stream_unary_rpc_method_handler(serve)
    return handler


def _authorizations(details: grpc.HandlerCallDetails) -> list[str | bytes]:
    return [value for key, value in details.invocation_metadata if key == "authorization"]


def _options(config: GrpcConfig, size_limit: int) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", size_limit),
        ("grpc.max_concurrent_streams", config.max_concurrent_streams),
        ("grpc.max_allowed_incoming_connections", config.max_connections),
        # A connection has this long for its first bytes.
        ("grpc.server_handshake_timeout_ms", 10_000),
        # Clients open a new one without being told; what only holds one open is let go.
        ("grpc.max_connection_idle_ms", 300_000),
        # Else a finished stream counts until it is freed, and a busy client that opens the next
        # one at once has calls refused: 17 % of 3000 concurrent ones on one connection.
        ("grpc.http.overload_protection", 0),
        # Before its message is read, a call may hold this much here. With the window that is
        # measured (up to 16 MiB) a hundred calls would fill gigabytes.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", 256 * 1024),
        ("grpc.so_reuseport", 0),  # or a second instance would silently take half of the calls
        # Dead peers are noticed within 80 s; clients may ping every 10 s, with or without calls.
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]


def _listen(server: grpc.aio.Server, endpoint: Endpoint, tls: ServerTls | None) -> int:
    try:
        if tls is None:
            return server.add_insecure_port(endpoint)
        return server.add_secure_port(endpoint, tls.grpc_credentials())
    except RuntimeError as error:
        raise ConfigError(
            f"cannot listen on {endpoint}: {error}; change {_SECTION}.endpoint"
        ) from error
