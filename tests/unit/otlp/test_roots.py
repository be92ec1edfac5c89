"""The root of a trace, and failed spans."""

import pytest
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.otlp.roots import is_failed, root_of


def span(number, parent=0, start=0, **fields):
    return trace_pb2.Span(
        span_id=number.to_bytes(8, "big"),
        parent_span_id=parent.to_bytes(8, "big") if parent else b"",
        start_time_unix_nano=start,
        **fields,
    ).SerializeToString()


def test_the_root_that_is_named_is_taken():
    """Its id may also stand in its children, as their parent."""
    spans = [span(1, parent=2), span(3, parent=2), span(2, parent=9)]
    assert root_of(spans, f"{2:016x}") == 2


@pytest.mark.parametrize("wanted", [None, f"{77:016x}"])
def test_else_the_earliest_span_without_a_parent(wanted):
    """Where none is named, or it is not there."""
    spans = [span(1, parent=8, start=1), span(2, start=5), span(3, start=4)]
    assert root_of(spans, wanted) == 2


def test_else_the_earliest_whose_parent_is_missing():
    """The local root."""
    spans = [span(1, parent=2, start=1), span(2, parent=9, start=3), span(3, parent=9, start=2)]
    assert root_of(spans) == 2


def test_in_a_ring_of_parents_it_is_the_earliest():
    """Some span must carry the scores."""
    assert root_of([span(1, parent=2, start=7), span(2, parent=1, start=6)]) == 1


def test_a_parent_of_zeros_is_none():
    """As the assembler sees it."""
    root = trace_pb2.Span(span_id=b"r" * 8, parent_span_id=bytes(8)).SerializeToString()
    assert root_of([span(1, parent=9), root]) == 1


def test_a_span_failed_when_its_status_says_so():
    """Not when the same bytes stand elsewhere in it."""
    assert is_failed(span(1, status=trace_pb2.Status(code=2, message="no")))
    assert not is_failed(span(1, status=trace_pb2.Status(code=1)))
    assert not is_failed(span(1, name="\x18\x02"))
    assert not is_failed(span(1, name="\x18\x02") + b"\x7a\x01\xff")
