"""Seeing of which traces a request has spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.otlp.glance import glance
from scorer.otlp.split import split_traces
from scorer.otlp.wire import length_delimited

IDS = st.tuples(st.sampled_from([bytes([n]) * 16 for n in range(1, 4)]), st.binary(min_size=8))


def request(*wires):
    """Return a request with these spans, each in a scope of its own."""
    scopes = b"".join(length_delimited(2, length_delimited(2, wire)) for wire in wires)
    return length_delimited(1, scopes)


@given(st.lists(IDS, min_size=1))
def test_it_sees_what_a_split_finds(ids):
    """The count of spans, and each trace id once."""
    spans = [trace_pb2.Span(trace_id=a, span_id=b[:8], name=b.hex()) for a, b in ids]
    body = request(*(span.SerializeToString() for span in spans))

    found, seen = split_traces(body), glance(body)

    assert seen is not None
    assert seen.spans == len(found.spans) + found.rejected == len(ids)
    assert sorted(seen.trace_ids) == sorted({a for a, _ in ids})


USUAL = b"\x0a\x10" + b"t" * 16 + b"\x12\x08" + b"s" * 8


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not protobuf",
        request(USUAL) + b"\x0a\x05",
        request(USUAL, b""),
        request(USUAL, USUAL[18:] + USUAL[:18]),  # the span id first
        request(USUAL, b"\x0a\x08" + b"t" * 8 + USUAL[18:]),
        request(USUAL, USUAL[:18]),
        request(USUAL, USUAL[:18] + b"\x12\x07" + b"s" * 7),
        request(*[USUAL] * 2**16),
    ],
    ids=["empty", "text", "cut", "no ids", "order", "short", "no span", "short span", "large"],
)
def test_it_says_nothing_of_what_has_to_be_split(body):
    """What is unusual, broken or large is left to the split."""
    assert glance(body) is None
