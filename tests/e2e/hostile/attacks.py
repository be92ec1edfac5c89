"""What a hostile sender may do; each attack ends by itself, within ten seconds or so."""

import gzip
import os
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import h2.config
import h2.connection

from .normal import LOGS, TRACES, call, channel, post
from .server import REQUEST
from .wire import (
    MIB,
    agent_span,
    attribute,
    deep_value,
    field,
    log_record,
    request,
    service,
    span,
)

IS_SOAK = "SPANSCORE_SOAK" in os.environ
ONE_SPAN_TRACES = 1_000_000 if IS_SOAK else 150_000

_DEPTH = 20_000
_JSON = "application/json"


def gzip_bomb(server):
    """400 MiB in 0.4 MB, by both protocols."""
    bomb = request(span(field(5, bytes(400 * MIB))))
    packed = gzip.compress(bomb, 6)
    with channel(server) as calls:
        assert call(calls, bomb[: 100 * MIB], gzip=True) == "RESOURCE_EXHAUSTED"
    del bomb
    answers = at_once(8, lambda _: post(server, packed, Content_Encoding="gzip"))
    assert not answers["OK"]


def tiny_spans(server):
    """Spans of two bytes: 64 MiB, and the most that is read."""
    with channel(server) as calls:
        for size in (64 * MIB, REQUEST):
            body = field(1, field(2, b"\x12\0" * (size // 2)))
            assert call(calls, body) == "RESOURCE_EXHAUSTED"
            assert post(server, body) == "413"


def one_span_traces(server):
    """As many traces of one span as can be sent."""
    with channel(server) as calls:
        for _ in range(ONE_SPAN_TRACES // 5000):
            call(calls, request(*(span(parent=b"unknown!") for _ in range(5000))))


def deep_json(server):
    """JSON of 20,000 levels, as a value that is wanted and as one that is not."""
    lists = b"[" * _DEPTH + b"]" * _DEPTH
    values = b'{"arrayValue":{"values":[' * _DEPTH + b"]}}" * _DEPTH
    item = b'{"traceId":"%032x","spanId":"%016x","attributes":[{"key":"a","value":%s}]}'
    for value in (lists, values):
        spans = item % (7, 7, value)
        body = b'{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}],"x":%s}' % (spans, lists)
        post(server, body, kind=_JSON)


def deep_protobuf(server):
    """A value of 20,000 levels."""
    value = deep_value(_DEPTH)
    with channel(server) as calls:
        for _ in range(20):
            call(calls, request(agent_span(attributes=[(b"a", value)])))
            call(calls, request(span(field(9, field(1, b"a") + field(2, value)))))


def idle_connections(server):
    """1000 connections that say nothing, or half of a head."""
    halves = {"grpc": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4", "http": b"POST /v1/traces HT"}
    connections = []
    for number in range(1000):
        port = "http" if number % 2 else "grpc"
        connections.append(_connect(server, port))
        if number % 4 > 1:
            connections[-1].sendall(halves[port])
    time.sleep(3)
    _close(connections)


def slow_bodies(server):
    """400 bodies of the largest size that come in drops."""
    head = b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % REQUEST
    head += b"Content-Type: application/x-protobuf\r\n\r\n"
    senders = [_http_drops(server, head) for _ in range(200)]
    senders += [_grpc_drops(server) for _ in range(200)]
    until = time.monotonic() + 6
    while time.monotonic() < until:
        for sender in senders:
            next(sender, None)
        time.sleep(0.1)
    for sender in senders:
        sender.close()


def stalled_gzip_bodies(server):
    """50 bodies that have grown to the largest size and do not end."""
    body = gzip.compress(request(span(field(5, bytes(REQUEST)))))
    head = b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(body)
    head += b"Content-Type: application/x-protobuf\r\nContent-Encoding: gzip\r\n\r\n"
    connections = [_connect(server, "http") for _ in range(50)]
    for connection in connections:
        connection.sendall(head + body[:-1])
    time.sleep(3)
    _close(connections)


def many_large_bodies(server):
    """The largest requests, 40 at once: one span or very many, by both protocols."""
    one = request(span(field(5, os.urandom(REQUEST))))
    trace = os.urandom(16)
    many = request(*(span(trace=trace) for _ in range(REQUEST // 42)))
    for connections in (1, 10):
        channels = [channel(server) for _ in range(connections)]
        answers = at_once(40, lambda n: call(channels[n % len(channels)], one))  # noqa: B023
        assert answers["OK"] + answers["UNAVAILABLE"] == 40, answers
        at_once(5, lambda n: call(channels[n % len(channels)], many))  # noqa: B023
        for open_channel in channels:
            open_channel.close()
    answers = at_once(40, lambda _: post(server, one))
    assert answers["OK"] + answers["503"] == 40, answers


def refused_again_and_again(server):
    """More large traces than the memory holds, each sent as soon as the last is answered."""
    with channel(server) as calls:
        for _ in range(30):
            own = [(b"pad", os.urandom(REQUEST // 4))]
            spans = [agent_span(parent=b"unknown!", attributes=own) for _ in range(3)]
            call(calls, request(*spans))


def orphan_parents(server):
    """Spans that each name a parent that never comes."""
    with channel(server) as calls:
        for _ in range(20):
            trace = os.urandom(16)
            spans = [span(trace=trace, parent=os.urandom(8)) for _ in range(10_000)]
            call(calls, request(*spans))


def large_resources(server):
    """A resource of 1 MiB under which each trace has one span."""
    with channel(server) as calls:
        for _ in range(100):
            resource = service(b"x") + field(1, attribute(b"x", os.urandom(MIB)))
            call(calls, request(span(parent=b"unknown!"), resource=resource))


def long_trace(server):
    """A trace of 100,000 spans: it is cut off at an eighth of the memory."""
    trace = os.urandom(16)
    with channel(server) as calls:
        for _ in range(50):
            call(calls, request(*(agent_span(trace=trace) for _ in range(2000))))
    assert server.value("spanscore_late_unjoined_spans_total")


def wide_span(server):
    """Spans of 100,000 attributes."""
    attributes = [(b"key.%06d" % n, b"value") for n in range(100_000)]
    with channel(server) as calls:
        for _ in range(3):
            call(calls, request(agent_span(attributes=attributes)))


def costly_spans_then_many(server):
    """Spans that take long, and then very many: they must not be booked at the same price."""
    pad = [(b"gen_ai.output.messages", b"word " * 100_000)]
    trace = os.urandom(16)
    with channel(server) as calls:
        for _ in range(4):
            call(calls, request(agent_span(attributes=pad)))
        time.sleep(1)
        call(calls, request(*(span(trace=trace) for _ in range(REQUEST // 42))))


def unknown_log_records(server):
    """100,000 log records of traces that nobody knows."""
    with channel(server) as calls:
        for _ in range(20):
            call(calls, request(*(log_record() for _ in range(5000))), LOGS)


ATTACKS = (
    gzip_bomb,
    tiny_spans,
    one_span_traces,
    deep_json,
    deep_protobuf,
    idle_connections,
    slow_bodies,
    stalled_gzip_bodies,
    many_large_bodies,
    long_trace,
    wide_span,
    costly_spans_then_many,
    refused_again_and_again,
    orphan_parents,
    large_resources,
    unknown_log_records,
)


def at_once(count, send):
    """Send that often at a time; returns how often there was which answer."""
    with ThreadPoolExecutor(count) as pool:
        return Counter(pool.map(send, range(count)))


def _connect(server, name):
    return socket.create_connection(("127.0.0.1", server.ports[name]), timeout=10)


def _close(connections):
    for connection in connections:
        connection.close()


def _drops(connection, drops):
    """Send a drop each time that one asks, until the other end has had enough."""
    with connection:
        for drop in drops:
            try:
                connection.sendall(drop)
            except OSError:
                return
            yield


def _http_drops(server, head):
    return _drops(_connect(server, "http"), [head] + [bytes(20_000)] * 1000)


def _grpc_drops(server):
    """The first 64 KiB of a message, which may be sent without being asked for more."""
    talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
    talk.initiate_connection()
    names = {":method": "POST", ":scheme": "http", ":authority": "x", ":path": TRACES}
    names |= {"content-type": "application/grpc", "te": "trailers"}
    talk.send_headers(1, list(names.items()))
    talk.send_data(1, b"\0" + REQUEST.to_bytes(4, "big"))
    head = talk.data_to_send()

    def drops():
        yield head
        for _ in range(60):
            talk.send_data(1, bytes(1000))
            yield talk.data_to_send()

    return _drops(_connect(server, "grpc"), drops())
