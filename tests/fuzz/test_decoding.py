"""Whatever protobuf is sent: it is refused in plain words, or taken and then decoded."""

from google.protobuf.message import DecodeError
from hypothesis import example, given
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Completeness
from scorer.otlp.decode import decode_trace, service_name
from scorer.otlp.join import join
from scorer.otlp.json_mapping import count_metric_points
from scorer.otlp.metric_points import cut_metrics, read_points
from scorer.otlp.split import has_end_marker, split_logs, split_traces
from scorer.scoring.readings.identity import identity_of
from scorer.scoring.readings.store import Limits, ReadingStore

from .budget import fuzz
from .steps import within_steps
from .wire import LOGS, METRICS, SPAN_IDS, TRACE_IDS, TRACES, field, nested

HERE = Position("fuzz", 0, 0)


def one_span(rest):
    span = field(1, TRACE_IDS[0]) + field(2, SPAN_IDS[0]) + rest
    return field(1, field(2, field(2, span)))


def decoded(spans=(), logs=()):
    """Decode what was taken as one trace, and check what must hold of any."""
    closed = ClosedTrace(
        tenant="",
        trace_id=bytes(16),
        spans=tuple(s.wire for s in spans),
        span_envelopes=tuple(s.envelope for s in spans),
        logs=tuple(r.wire for r in logs),
        log_envelopes=tuple(r.envelope for r in logs),
        reason="idle",
        opened=0.0,
        closed=1.0,
        completeness=Completeness(span_count=len(spans), root_present=True),
        first_position=HERE,
        last_position=HERE,
        size=0,
    )
    items = (*spans, *logs)
    size = sum(len(part) for item in items for part in (item.wire, *item.envelope))
    trace = within_steps(size, decode_trace, closed)
    assert_readable(trace)
    return trace


def assert_readable(value):
    """Every text can be written as UTF-8; every value is of a plain kind."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for pair in value.items():
            assert_readable(pair)
    elif isinstance(value, (list, tuple)):
        for item in value:
            assert_readable(item)
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            assert_readable(getattr(value, name))
    else:
        assert value is None or isinstance(value, (bool, int, float, bytes)), type(value)


def official(message, wire):
    try:
        return message.FromString(wire)
    except DecodeError:
        return None


def keys_of(message):
    return {pair.key for pair in message.attributes}


@fuzz("protobuf", parts=3)
@given(TRACES)
@example(one_span(field(5, b"\xff")))
@example(one_span(field(9, field(1, b"k") + field(2, nested(100)))))
@example(one_span(field(9, field(1, b"k") + field(2, nested(100, kvlist=True)))))
@example(one_span(field(15, b"\x0a\xff") + field(11, b"\xff") + field(13, b"\x0a")))
@example(one_span(field(5, b"\xff") + b"\x4a\x00\x5a\x00\x6a\x00" * 2000))
@example(one_span(b"\x4b" + b"\x0b" * 120 + b"\x0c" * 120 + b"\x4c"))
def test_any_traces_request_is_refused_or_decoded(body):
    """No span that was taken is missing, and one that is whole is decoded as it is."""
    try:
        found = within_steps(len(body), split_traces, body)
    except PermanentError:
        return
    assert bool(found.rejected) == bool(found.rejected_reason)
    for entry in found.spans:
        within_steps(len(entry.wire), has_end_marker, entry.wire)
        within_steps(len(entry.envelope.resource), service_name, entry.envelope.resource)
    trace = decoded(spans=found.spans)
    assert len(trace.spans) == len(found.spans)
    assert {s.span_id for s in trace.spans} == {s.span_id.hex() for s in found.spans}
    wholes = [official(trace_pb2.Span, entry.wire) for entry in found.spans]
    broken = sum(whole is None for whole in wholes)
    assert trace.completeness.undecodable >= broken
    if not broken:
        assert sorted(map(sorted, (s.attributes for s in trace.spans))) == sorted(
            map(sorted, map(keys_of, wholes))
        )


@fuzz("protobuf", parts=3)
@given(LOGS)
def test_any_logs_request_is_refused_or_decoded(body):
    """Likewise."""
    try:
        found = within_steps(len(body), split_logs, body)
    except PermanentError:
        return
    trace = decoded(logs=found.records)
    assert len(trace.logs) == len(found.records)
    broken = sum(official(logs_pb2.LogRecord, entry.wire) is None for entry in found.records)
    assert trace.completeness.undecodable >= broken


@fuzz("protobuf", parts=3)
@given(METRICS)
def test_any_metrics_request_is_refused_or_counted(body):
    """Never more points than bytes."""
    try:
        assert 0 <= within_steps(len(body), count_metric_points, body) <= len(body)
    except PermanentError:
        return


class Everything:
    """A collection that holds whatever is asked for."""

    def __contains__(self, item):
        return True


@fuzz("protobuf", parts=3)
@given(METRICS)
def test_any_metrics_request_that_is_counted_can_be_read(body):
    """Its points have times and numbers that can be, and the store takes them within bounds."""
    try:
        count_metric_points(body)
    except PermanentError:
        return
    cut = within_steps(len(body), cut_metrics, body, Everything(), 10**6)
    assert len(join(cut.items)) <= 2 * len(body) + sum(e.size for _, e in cut.items) + 100
    fates = []
    store = ReadingStore(Limits(2, 64, 60.0), lambda fate, number: fates.append(number))
    for wire, envelope in cut.items:
        metric = within_steps(len(wire), read_points, wire)
        for point in metric.points:
            assert 0 <= point.start_ns < point.time_ns < 2**63
            assert 0 <= point.value < float("inf")
        named = identity_of(envelope.resource) or (("host.name", "h"),)
        store.add("", named, metric._replace(name="hw.energy", unit=""), 0.0)
    assert len(store) <= 2
    assert all(number >= 0 for number in fates)
