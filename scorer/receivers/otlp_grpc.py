"""OTLP over gRPC.

The request is taken as raw bytes: a generated servicer would decode it, and answer garbage with
INTERNAL instead of INVALID_ARGUMENT. A request over the size limit never gets here: grpcio
(>= 1.83.1) stops inflating at the limit and answers RESOURCE_EXHAUSTED itself.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
import grpc.aio

from scorer.config import Config, Endpoint, GrpcConfig
from scorer.errors import ConfigError
from scorer.otlp.responses import export_response, retry_info, status_response
from scorer.otlp.signal import Signal
from scorer.receivers.ingest import Ingest, takers
from scorer.receivers.listen import require_bindable
from scorer.receivers.refusal import Refusals, RefusedError
from scorer.telemetry import Telemetry

_KEY = "receivers.otlp.grpc.endpoint"
_RECEIVER = "otlp_grpc"

_SERVICES: Final[dict[Signal, str]] = {
    "traces": "opentelemetry.proto.collector.trace.v1.TraceService",
    "logs": "opentelemetry.proto.collector.logs.v1.LogsService",
    "metrics": "opentelemetry.proto.collector.metrics.v1.MetricsService",
}
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}

# A client refuses more than 8 KiB of trailers, and a text is in them three times, once with
# up to three bytes for one.
_MAX_TEXT_BYTES = 1000

_Context = grpc.aio.ServicerContext[bytes, bytes]


class OtlpGrpcReceiver:
    """Serves the Export calls of traces, logs and metrics on `receivers.otlp.grpc`."""

    def __init__(self, config: Config, ingest: Ingest, telemetry: Telemetry) -> None:
        self._config = config.receivers.otlp.grpc
        self._telemetry = telemetry
        self._refusals = Refusals(_RECEIVER, telemetry)
        self._takers = takers(ingest)
        self._server: grpc.aio.Server | None = None
        self._address: tuple[str, int] | None = None

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
        await require_bindable(endpoint, _KEY)
        server = grpc.aio.server(options=_options(self._config))
        server.add_generic_rpc_handlers([self._handler(signal) for signal in _SERVICES])
        port = _listen(server, endpoint)
        await server.start()
        self._server, self._address = server, (endpoint.host, port)

    async def stop(self, grace_s: float) -> None:
        """Stop accepting; calls in flight have `grace_s` seconds to finish."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace_s)

    def _handler(self, signal: Signal) -> "grpc.GenericRpcHandler[bytes, bytes]":
        method: Any = grpc.unary_unary_rpc_method_handler(self._export(signal))
        return grpc.method_handlers_generic_handler(_SERVICES[signal], {"Export": method})

    def _export(self, signal: Signal) -> Callable[[bytes, _Context], Awaitable[bytes]]:
        take, count = self._takers[signal], self._telemetry.add
        all_well = export_response(signal)

        async def export(body: bytes, context: _Context) -> bytes:
            try:
                accepted = take(body)
            except Exception as error:  # noqa: BLE001  the boundary: every fault has an answer
                return await self._refuse(signal, self._refusals.explain(error), context)
            count("spanscore_requests_total", receiver=_RECEIVER, signal=signal, code="OK")
            if not accepted.rejected and not accepted.message:
                return all_well
            return export_response(signal, rejected=accepted.rejected, message=accepted.message)

        return export

    async def _refuse(self, signal: Signal, refusal: RefusedError, context: _Context) -> bytes:
        code = _CODES[refusal.grpc_code]
        self._telemetry.add(
            "spanscore_requests_total", receiver=_RECEIVER, signal=signal, code=code.name
        )
        text = str(refusal).encode("utf-8", "replace")[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")
        delay = refusal.retry_after_s
        status = status_response(refusal.grpc_code, text, retry_after_s=delay)
        trailers: tuple[tuple[str, bytes], ...] = (("grpc-status-details-bin", status),)
        if delay is not None:
            trailers += (("google.rpc.retryinfo-bin", retry_info(delay)),)
        await context.abort(code, text, trailers)


def _options(config: GrpcConfig) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", int(config.max_request_size)),
        ("grpc.max_concurrent_streams", config.max_concurrent_streams),
        # Else a finished stream counts until it is freed, and a busy client that opens the next
        # one at once has calls refused: 17 % of 3000 concurrent ones on one connection.
        ("grpc.http.overload_protection", 0),
        ("grpc.so_reuseport", 0),  # or a second instance would silently take half of the calls
        # Dead peers are noticed within 80 s; clients may ping every 10 s, with or without calls.
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]


def _listen(server: grpc.aio.Server, endpoint: Endpoint) -> int:
    try:
        return server.add_insecure_port(endpoint)
    except RuntimeError as error:
        raise ConfigError(f"cannot listen on {endpoint}: {error}; change {_KEY}") from error
