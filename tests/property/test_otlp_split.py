"""Splitting agrees with the full protobuf parser, on valid requests and on any bytes."""

import contextlib

from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError
from scorer.otlp.split import has_end_marker, split_logs, split_traces

ids = st.sampled_from([b"", bytes(8), bytes(16), b"a" * 8, b"b" * 16, b"abc"])


@st.composite
def spans(draw) -> trace_pb2.Span:
    span = trace_pb2.Span(
        trace_id=draw(st.one_of(ids, st.just(b"t" * 16))),
        span_id=draw(st.one_of(ids, st.just(b"s" * 8))),
        parent_span_id=draw(ids),
        name=draw(st.text(max_size=20)),
        kind=draw(st.integers(-(2**31), 2**31 - 1)),
        flags=draw(st.integers(0, 2**32 - 1)),
        end_time_unix_nano=draw(st.integers(0, 2**64 - 1)),
    )
    for key in draw(st.lists(st.sampled_from(["a", "spanscore.trace.end"]), max_size=3)):
        span.attributes.add(key=key).value.bool_value = draw(st.booleans())
    return span


@st.composite
def requests(draw) -> trace_service_pb2.ExportTraceServiceRequest:
    request = trace_service_pb2.ExportTraceServiceRequest()
    for _ in range(draw(st.integers(1, 3))):
        group = request.resource_spans.add()
        group.resource.dropped_attributes_count = draw(st.integers(0, 5))
        for _ in range(draw(st.integers(0, 3))):
            group.scope_spans.add().spans.extend(draw(st.lists(spans(), max_size=4)))
    return request


def is_valid(span: trace_pb2.Span) -> bool:
    return (
        len(span.trace_id) == 16
        and any(span.trace_id)
        and len(span.span_id) == 8
        and any(span.span_id)
        and len(span.parent_span_id) in (0, 8)
    )


@given(requests())
def test_every_valid_span_comes_out_with_its_bytes_and_the_others_are_counted(request):
    """Nothing is lost, changed or counted twice."""
    scopes = [s for group in request.resource_spans for s in group.scope_spans]
    sent = [span for scope in scopes for span in scope.spans]
    valid = [span for span in sent if is_valid(span)]
    try:
        found = split_traces(request.SerializeToString())
    except PermanentError:
        assert sent
        assert not any(len(s.trace_id) == 16 or len(s.span_id) == 8 for s in sent)
        assert not any((s.trace_id or s.span_id) and s.end_time_unix_nano for s in sent)
        return

    assert found.rejected == len(sent) - len(valid)
    assert bool(found.rejected) == bool(found.rejected_reason)
    assert [trace_pb2.Span.FromString(entry.wire) for entry in found.spans] == valid
    for entry, span in zip(found.spans, valid, strict=True):
        assert entry.trace_id == span.trace_id
        assert entry.span_id == span.span_id
        assert entry.parent_span_id == (span.parent_span_id if any(span.parent_span_id) else b"")
        assert entry.kind == span.kind
        assert entry.end_ns == span.end_time_unix_nano


@given(spans())
def test_the_end_marker_is_the_last_attribute_of_its_name(span):
    """As with every duplicate key, the last one counts."""
    marks = [a.value.bool_value for a in span.attributes if a.key == "spanscore.trace.end"]

    assert has_end_marker(span.SerializeToString()) == any(marks[-1:])


@given(st.one_of(st.binary(max_size=200), requests().map(lambda r: r.SerializeToString()[1:])))
def test_any_bytes_split_or_are_a_permanent_error(body):
    """What the full parser takes, the splitter takes with the same valid spans."""
    with contextlib.suppress(PermanentError):
        split_logs(body)
    try:
        found = split_traces(body)
    except PermanentError:
        return
    try:
        request = trace_service_pb2.ExportTraceServiceRequest.FromString(body)
    except DecodeError:
        return
    scopes = [s for group in request.resource_spans for s in group.scope_spans]
    valid = [span for scope in scopes for span in scope.spans if is_valid(span)]
    assert [entry.span_id for entry in found.spans] == [span.span_id for span in valid]
