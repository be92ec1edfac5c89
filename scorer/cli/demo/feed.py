"""Sends the sample traces over a real OTLP/gRPC connection, one about every half second."""

import asyncio
import contextlib
import itertools
import logging
import time

import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from scorer.cli.demo import media, openinference, openllmetry, otel_genai, own, team
from scorer.cli.demo.channel import first_token, open_channel
from scorer.cli.demo.scene import Request, Scene, SceneSpan, encode
from scorer.config import GrpcConfig

_INTERVAL_S = 0.5
_TIMEOUT_S = 5.0

_log = logging.getLogger(__name__)


def scenes() -> tuple[Scene, ...]:
    """Return all sample traces in the order of sending."""
    dialects = (otel_genai.scenes(), openinference.scenes(), openllmetry.scenes())
    mixed = itertools.chain.from_iterable(itertools.zip_longest(*dialects))
    shown = (scene for scene in mixed if scene is not None)
    return (*shown, team.scene(), own.scene(), *media.scenes(), _not_an_agent())


async def feed(address: tuple[str, int], stop: asyncio.Event, receiver: GrpcConfig) -> None:
    """Send sample traces to our own OTLP/gRPC receiver until `stop` is set.

    Raises:
        ConfigError: The receiver's tokens or certificate do not let us in.
    """
    async with open_channel(address, receiver) as channel:
        sender = _Sender(channel, first_token(receiver.auth))
        for scene in itertools.cycle(scenes()):
            await sender.send(scene)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _INTERVAL_S)
            if stop.is_set():
                return


class _Sender:
    """Exports requests; what the service refuses is logged and left."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None) -> None:
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self._traces = channel.unary_unary(
            "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
            request_serializer=ExportTraceServiceRequest.SerializeToString,
            response_deserializer=ExportTraceServiceResponse.FromString,
        )
        self._logs = channel.unary_unary(
            "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
            request_serializer=ExportLogsServiceRequest.SerializeToString,
            response_deserializer=ExportLogsServiceResponse.FromString,
        )

    async def send(self, scene: Scene) -> None:
        """Send one trace that ends now."""
        for request in encode(scene, time.time_ns()):
            try:
                await self._export(request)
            except grpc.aio.AioRpcError as error:
                _log.warning("demo: %s was not taken: %s", scene.title, error.details())

    async def _export(self, request: Request) -> None:
        if isinstance(request, ExportLogsServiceRequest):
            await self._logs(request, timeout=_TIMEOUT_S, metadata=self._metadata)
        else:
            await self._traces(request, timeout=_TIMEOUT_S, metadata=self._metadata)


def _not_an_agent() -> Scene:
    attributes = {"http.request.method": "GET", "url.path": "/healthz"}
    span = SceneSpan(
        key="http", name="GET /healthz", start=0, end=0.004, kind="SERVER", attributes=attributes
    )
    title = "a plain HTTP request, not an agent"
    return Scene(title=title, service="shop-frontend", scope="http", spans=(span,))
