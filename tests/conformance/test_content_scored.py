"""B4: what became of the content, which only the series and the API of a Spanscore show."""

import os

import pytest
from opentelemetry.proto.common.v1 import common_pb2

from .payloads import attribute, request, span, to_json, wire
from .row import HTTP_JSON, SHOULD_DESIGN, TRANSPORTS, row

END = attribute("spanscore.trace.end", True)
MODEL_CALL = attribute("gen_ai.operation.name", "chat")


@row("c10", SHOULD_DESIGN, "tokens under the {names} names", "7 more input tokens")
@pytest.mark.parametrize(
    ("names", "key"),
    [("old", "gen_ai.usage.prompt_tokens"), ("new", "gen_ai.usage.input_tokens")],
)
def test_renamed_attributes_are_known(grpc, series, names, key):
    """Old and new senders are read alike."""
    before = series.value("spanscore_tokens_total", type="input")
    made = span(attributes=[MODEL_CALL, END, attribute(key, 7)])
    grpc.call(wire(made))
    series.finished(made.trace_id)
    assert series.value("spanscore_tokens_total", type="input") - before == 7


@row("c6", SHOULD_DESIGN, "service.name twice", "the last one counts")
def test_the_last_of_equal_keys_counts(grpc, series):
    """As with a map that is filled in order."""
    message = request(made := span(attributes=[MODEL_CALL, END]), service="the first")
    resource = message.resource_spans[0].resource
    resource.attributes.append(attribute("service.name", "the last"))
    grpc.call(message.SerializeToString())
    assert series.finished(made.trace_id)["service"] == "the last"


@row("c7", SHOULD_DESIGN, "counts of what was dropped", "they stand in the completeness")
def test_dropped_counts_are_told(grpc, series):
    """Who reads a score knows what it did not see."""
    counts = dict.fromkeys(
        ("dropped_attributes_count", "dropped_events_count", "dropped_links_count"), 7
    )
    made = span(attributes=[MODEL_CALL, END], **counts)
    grpc.call(wire(made))
    assert series.finished(made.trace_id)["completeness"]["dropped"] == 21


@row(
    "c8",
    SHOULD_DESIGN,
    "60 nested messages in an agent's span",
    "it is scored, nothing undecodable",
)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_moderate_nesting_is_scored(export, transport, series):
    """What was taken can be read later."""
    value = common_pb2.AnyValue(array_value=common_pb2.ArrayValue())
    for _ in range(29):
        value = common_pb2.AnyValue(array_value=common_pb2.ArrayValue(values=[value]))
    made = span(attributes=[MODEL_CALL, END, common_pb2.KeyValue(key="deep", value=value)])
    message = request(made)
    body = to_json(message) if transport == HTTP_JSON else message.SerializeToString()
    answer = export.send(body)
    assert answer.is_full_success, answer
    document = series.finished(made.trace_id)
    assert document["state"] == "scored"
    assert document["completeness"]["undecodable"] == 0


@row("c11", SHOULD_DESIGN, "a span that ended in {year}", "its trace stays open")
@pytest.mark.parametrize(
    ("year", "end"), [(1970, 1), (2001, 10**18), (2500, 16_725_225_600 * 10**9)]
)
def test_times_in_spans_close_no_trace(grpc, series, year, end):
    """Clocks of senders lie; only arrivals drive the timers."""
    made = span(parent_span_id=os.urandom(8), start_time_unix_nano=1, end_time_unix_nano=end)
    grpc.call(wire(made))
    grpc.call(wire(span()))  # another arrival, which lets due traces close
    found = series.trace(made.trace_id)
    assert found["state"] == "open", found
