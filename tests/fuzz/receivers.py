"""The two OTLP receivers in one event loop, which runs in a thread of its own."""

import asyncio
import http.client
import threading
from collections.abc import Callable

import grpc

from scorer.config import parse_config
from scorer.receivers.otlp_grpc import OtlpGrpcReceiver
from scorer.receivers.otlp_http import OtlpHttpReceiver

from .house import House
from .http_talks import PROTOBUF
from .wire import GOOD_TRACES

_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_PATIENCE_S = 20
_FINE = ("200", "400", "404", "405", "408", "413", "415", "431", "OK", "disconnected")
_FINE += (
    "INVALID_ARGUMENT",
    "RESOURCE_EXHAUSTED",
    "UNIMPLEMENTED",
    "CANCELLED",
    "DEADLINE_EXCEEDED",
)


class Receivers:
    """Both receivers before one ingest; a context manager."""

    def __init__(self):
        self.house = House()
        quick = {"endpoint": "127.0.0.1:0", "read_timeout": "1s"}
        config = parse_config({"receivers": {"otlp": {"grpc": quick, "http": quick}}})
        parts = self.house.ingest, self.house.telemetry
        self._http = OtlpHttpReceiver(config, *parts)
        self._grpc = OtlpGrpcReceiver(config, *parts)
        self._loop = asyncio.new_event_loop()
        self._faults = []
        self._loop.set_exception_handler(lambda _, context: self._faults.append(context))
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._await(self._http.start())
        self._await(self._grpc.start())
        self.http_address, self.grpc_address = self._http.address, self._grpc.address
        self._channel = grpc.insecure_channel("{}:{}".format(*self.grpc_address))
        return self

    def __exit__(self, *_):
        self._channel.close()
        self._await(self._http.stop(0.1))
        self._await(self._grpc.stop(0.1))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE_S)
        self._loop.close()

    def check(self):
        """Assert that good requests are taken and that nothing went wrong inside."""
        assert self._good_http() == 200
        self._channel.unary_unary(_TRACES)(GOOD_TRACES, timeout=_PATIENCE_S)
        self._in_loop(self._check)

    def _check(self):
        telemetry = self.house.telemetry
        assert telemetry.by_label("spanscore_receiver_faults_total", "receiver") in (
            {},
            {"otlp_http": 0, "otlp_grpc": 0},
        )
        codes = telemetry.by_label("spanscore_requests_total", "code")
        assert set(codes) <= set(_FINE), codes
        assert self._faults == []
        self.house.clock.advance(100)
        self.house.ingest.poll()
        self.house.score()
        self.house.check()

    def _good_http(self):
        connection = http.client.HTTPConnection(*self.http_address, timeout=_PATIENCE_S)
        try:
            connection.request("POST", "/v1/traces", GOOD_TRACES, {"Content-Type": PROTOBUF})
            return connection.getresponse().status
        finally:
            connection.close()

    def _in_loop(self, call: Callable[[], None]):
        async def run():
            call()

        self._await(run())

    def _await(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_S)
