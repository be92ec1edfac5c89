"""Spans and log records become a request again."""

from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.otlp.join import join
from scorer.otlp.split import split_logs, split_traces
from scorer.testing import TraceBuilder


def test_what_was_split_is_joined_to_the_same():
    """Byte for byte, in order, each span under its own resource and scope."""
    body = b"".join(
        TraceBuilder(number, service=service).request(*spans)
        for number, service in enumerate(("a", "b", "a"), 1)
        for spans in [[TraceBuilder(number).span(f"s{number}") for _ in range(2)]]
    )
    spans = split_traces(body).spans
    joined = join((span.wire, span.envelope) for span in spans)
    assert split_traces(joined).spans == spans
    assert trace_pb2.TracesData.FromString(joined) == trace_pb2.TracesData.FromString(body)


def test_log_records_are_joined_too():
    """Their request has the same form."""
    builder = TraceBuilder(1)
    span = builder.span("chat")
    builder.log("one", "1", span=span)
    builder.log("two", "2", span=span)
    records = split_logs(builder.log_request()).records
    assert split_logs(join((log.wire, log.envelope) for log in records)).records == records


def test_nothing_is_an_empty_request():
    """A trace may have no log record."""
    assert join([]) == b""
