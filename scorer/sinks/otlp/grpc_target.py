"""OTLP over gRPC, as a client: whole requests as raw bytes, nothing is parsed or built anew.

grpcio compresses where the call begins, with the interpreter's lock held: gzip takes the event
loop about 25 ms for each MiB, and a thread would not help. `HttpTarget` does better there.
"""

import asyncio
from typing import Any, Final, cast

import grpc
import grpc.aio

from scorer.access.client_tls import ClientFiles, ClientTls
from scorer.config import OtlpTargetConfig, address_of
from scorer.errors import RetryableError
from scorer.otlp.signal import Signal
from scorer.sinks.otlp.answers import Trailers, grpc_error, read_response, without_secrets
from scorer.sinks.otlp.target import USER_AGENT, Sent

_METHODS: Final[dict[Signal, str]] = {
    "traces": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "logs": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    "metrics": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
}
_MAX_RESPONSE = 4 * 2**20
_PLAIN_SERVER = "WRONG_VERSION_NUMBER"


class GrpcTarget:
    """A target that is spoken to over gRPC; `key` is the path of its section.

    Raises:
        ConfigError: The endpoint or the files of TLS cannot be used.
    """

    def __init__(self, config: OtlpTargetConfig, key: str = "sinks.otlp") -> None:
        self._config = config
        self._address = address_of(config, key)
        self._tls = ClientTls(config.tls, f"{key}.tls") if self._address.is_tls else None
        self._metadata = [(name.lower(), v.reveal()) for name, v in config.headers.items()]
        # grpc.aio binds a channel to the running loop, so it is opened by the first request.
        self._channel: grpc.aio.Channel | None = None
        self._opened_with: ClientFiles | None = None

    async def send(self, signal: Signal, body: bytes) -> Sent:
        """Send one request (see `Target`)."""
        await self._follow_files()
        channel = self._channel = self._channel or self._open()
        export = channel.unary_unary(_METHODS[signal], None, None)
        try:
            response = await export(
                body, timeout=float(self._config.timeout), metadata=self._metadata
            )
        except grpc.aio.AioRpcError as error:
            raise self._meant(error) from None
        except asyncio.CancelledError:
            if channel is self._channel:
                raise
            # Not we were cancelled: the channel was closed, for newer certificates.
            raise RetryableError("the connection was renewed", retry_after_s=0.0) from None
        return read_response(signal, response)

    async def close(self) -> None:
        """Close the connection."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close(None)

    def _meant(self, error: grpc.aio.AioRpcError) -> Exception:
        text = error.details() or ""
        meant = grpc_error(
            error.code().name, text, cast("Trailers", error.trailing_metadata() or ())
        )
        if isinstance(meant, RetryableError) and self._tls is not None:
            # A certificate may have come to its end; the next request takes newer files.
            self._tls.reload()
            if _PLAIN_SERVER in text:
                meant.args = (f"{meant}; without TLS? then set tls.insecure: true",)
        return without_secrets(meant, [value for _, value in self._metadata])

    async def _follow_files(self) -> None:
        """Close the channel when the files of TLS have changed."""
        if self._tls is not None and self._opened_with not in (None, self._tls.files):
            await self.close()

    def _open(self) -> grpc.aio.Channel:
        target = f"dns:///{self._address.authority}"
        compression = grpc.Compression.Gzip if self._config.compression == "gzip" else None
        if self._tls is None:
            return grpc.aio.insecure_channel(target, self._options(), compression)
        self._opened_with = self._tls.files
        return grpc.aio.secure_channel(target, self._opened_with.grpc, self._options(), compression)

    def _options(self) -> list[tuple[str, Any]]:
        retry = self._config.retry
        options: list[tuple[str, Any]] = [
            ("grpc.primary_user_agent", USER_AGENT),
            # We retry ourselves, and count it.
            ("grpc.enable_retries", 0),
            ("grpc.max_receive_message_length", _MAX_RESPONSE),
            # Else gRPC goes on refusing for up to 2 minutes after the target is back.
            ("grpc.initial_reconnect_backoff_ms", round(1000 * retry.initial_interval)),
            ("grpc.max_reconnect_backoff_ms", round(1000 * retry.max_interval)),
            ("grpc.min_reconnect_backoff_ms", round(1000 * self._config.timeout)),
            # Any lower, servers with the usual settings hang up on us. It also has the kernel
            # end a connection on which nothing is acknowledged for the time-out below.
            ("grpc.keepalive_time_ms", 300_000),
            ("grpc.keepalive_timeout_ms", 20_000),
            # Two channels to one place, with headers of their own, share no connection.
            ("grpc.use_local_subchannel_pool", 1),
        ]
        if self._config.tls.server_name is not None:
            options.append(("grpc.ssl_target_name_override", self._config.tls.server_name))
        return options
