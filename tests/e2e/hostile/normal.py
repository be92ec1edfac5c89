"""Normal traffic beside an attack: good traces that are sent until they are taken."""

import itertools
import os
import threading
import time
import urllib.error
import urllib.request

import grpc

from scorer.testing import TraceBuilder

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
SERVICE = "normal"

_EVERY_S = 0.3
_PAUSE_S = 0.2
_TIMEOUT_S = 10
_PROTOBUF = "application/x-protobuf"
_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),  # a connection of its own
]


def agent_trace(trace_id):
    """Return the request of a small agent trace."""
    trace = TraceBuilder(trace_id.hex(), service=SERVICE)
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    root = trace.span("invoke_agent", **agent)
    trace.span("chat", parent=root, **{"gen_ai.operation.name": "chat"})
    return trace.request()


def channel(server):
    return grpc.insecure_channel(f"127.0.0.1:{server.ports['grpc']}", options=_OPTIONS)


def call(open_channel, body, path=TRACES, gzip=False):
    """Send a body by gRPC; returns the name of the status."""
    compression = grpc.Compression.Gzip if gzip else None
    try:
        open_channel.unary_unary(path)(body, timeout=_TIMEOUT_S, compression=compression)
    except grpc.RpcError as error:
        return error.code().name
    return "OK"


def post(server, body, path="/v1/traces", kind=_PROTOBUF, **headers):
    """Send a body by HTTP; returns OK, the status, or the name of the error."""
    url = f"http://127.0.0.1:{server.ports['http']}{path}"
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, body, {"Content-Type": kind} | names)
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S):
            return "OK"
    except urllib.error.HTTPError as error:
        with error:
            return str(error.code)
    except OSError as error:
        return type(error).__name__


class NormalTraffic:
    """Sends a trace every 0.3 s, by gRPC and HTTP in turn, until it is left.

    `sent` is how many were taken, `answers` what they were told on the way.
    """

    def __init__(self, server):
        self._server = server
        self.sent = 0
        self.answers = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join(30)

    @property
    def is_through(self):
        """Whether everything that was begun has been taken."""
        return not self._thread.is_alive()

    def _run(self):
        with channel(self._server) as open_channel:
            senders = itertools.cycle(
                [lambda body: call(open_channel, body), lambda body: post(self._server, body)]
            )
            while not self._is_over.is_set():
                self._send(agent_trace(os.urandom(16)), next(senders))
                self._is_over.wait(_EVERY_S)

    def _send(self, body, send):
        while self._server.is_alive:
            answer = send(body)
            self.answers.add(answer)
            if answer == "OK":
                self.sent += 1
                return
            time.sleep(_PAUSE_S)
