"""gRPC calls with raw bytes as messages, so that nothing is checked on this side."""

import grpc

from .answer import Answer

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
PROFILES = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

TIMEOUT_S = 6

_OPTIONS = (
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),  # a connection of its own
    ("grpc.enable_retries", 0),
)


class GrpcClient:
    """One connection."""

    def __init__(self, target, token=None):
        self._channel = grpc.insecure_channel(target, options=_OPTIONS)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._channel.close()

    def call(self, body, method=TRACES, *, compression=grpc.Compression.NoCompression):
        """Send one message; return the answer, whatever it is."""
        return _answer(self._start(body, method, compression))

    def call_at_once(self, bodies):
        """Send all messages without waiting; return the answers in their order."""
        calls = [self._start(body, TRACES, grpc.Compression.NoCompression) for body in bodies]
        return [_answer(call) for call in calls]

    def _start(self, body, method, compression):
        return self._channel.unary_unary(method).future(
            body, timeout=TIMEOUT_S, metadata=self._metadata, compression=compression
        )


def _answer(call):
    try:
        body = call.result()
    except grpc.RpcError:
        body = b""
    trailers = dict(call.trailing_metadata() or ())
    return Answer(call.code().name, body, trailers, call.details() or "")


def message(body, *, compressed=False):
    """Return the frame of a gRPC message."""
    return bytes([compressed]) + len(body).to_bytes(4, "big") + body
