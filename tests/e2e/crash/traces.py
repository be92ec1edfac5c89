"""Traces of known shape, one step at a time."""

from random import Random

import grpc
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.testing import TraceBuilder

from .service import LOGS, wait_for

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5}
SPAN = TraceBuilder(1).span("chat", **CHAT)


class AgentTrace:
    """An agent that calls a model: a root span and a child, and whatever comes later."""

    def __init__(self, number, padding=0):
        self._builder = TraceBuilder(number)
        self.id = self._builder.trace_id.hex()
        text = {"padding": Random(number).randbytes(padding // 2).hex()} if padding else {}
        root = self._builder.span(f"agent {number:03d}", **CHAT)
        self.root = self._builder.request(root)
        self.child = self._builder.request(
            self._builder.span(f"chat {number:03d}", parent=root, **CHAT, **text)
        )
        self._root_span = root
        self.both = self._builder.request()

    def late(self):
        """Return a request with one span more."""
        return self._builder.request(self._builder.span("late", parent=self._root_span, **CHAT))

    def send_log(self, service):
        """Send a log record of it."""
        self._builder.log("gen_ai.user.message", "hello", span=self._root_span)
        service.send(self._builder.log_request(), method=LOGS)


def single_spans(first, count):
    """Return a request of so many traces of one span each."""
    data = trace_pb2.TracesData.FromString(TraceBuilder(1).request(SPAN))
    spans = data.resource_spans[0].scope_spans[0].spans
    del spans[:]
    for number in range(first, first + count):
        span = spans.add()
        span.CopyFrom(SPAN)
        span.trace_id = number.to_bytes(16, "big")
    return data.SerializeToString()


def insist(service, body):
    """Send until it is taken: what cannot be taken now may be soon."""
    wait_for(lambda: is_taken(service, body), 30)


def is_taken(service, body):
    try:
        service.send(body)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNAVAILABLE:
            raise
        return False
    return True
