"""B4: what is in the spans, over every transport."""

import os

import pytest
from opentelemetry.proto.common.v1 import common_pb2

from .payloads import (
    UNKNOWN_FIELD,
    attribute,
    logs_request,
    metrics_request,
    nested,
    nested_json,
    request,
    span,
    wire,
)
from .row import (
    GRPC,
    HTTP_JSON,
    HTTP_PROTOBUF,
    MUST_OTLP,
    MUST_PROTOBUF,
    SHOULD_DESIGN,
    TRANSPORTS,
    case,
    row,
)

FULL = "OK, partial_success unset"
END = attribute("spanscore.trace.end", True)

everywhere = pytest.mark.parametrize("transport", TRANSPORTS)


def kvlist(*pairs):
    return common_pb2.AnyValue(kvlist_value=common_pb2.KeyValueList(values=pairs))


def array(*values):
    return common_pb2.AnyValue(array_value=common_pb2.ArrayValue(values=values))


def one(value):
    """Return the fields of a span with one attribute."""
    return {"attributes": [common_pb2.KeyValue(key="key", value=value)]}


TEXT = common_pb2.AnyValue(string_value="text")
NUMBER = common_pb2.AnyValue(int_value=1)
EMPTY = common_pb2.AnyValue()

TAKEN = [
    case("c1", MUST_OTLP, "a span without a parent", FULL, {}),
    case("c1", SHOULD_DESIGN, "a parent id of zeros", FULL, {"parent_span_id": bytes(8)}),
    case("c1", SHOULD_DESIGN, "a 64-bit id, padded", FULL, {"trace_id": bytes(8) + os.urandom(8)}),
    case("c2", MUST_OTLP, "flags 0", FULL, {"flags": 0}),
    case("c2", MUST_OTLP, "flags: sampled, parent is remote", FULL, {"flags": 0x301}),
    case("c2", MUST_OTLP, "flags with all bits set", FULL, {"flags": 0xFFFFFFFF}),
    case("c3", MUST_OTLP, "an empty value", FULL, one(EMPTY)),
    case("c3", MUST_OTLP, "bytes", FULL, one(common_pb2.AnyValue(bytes_value=b"\0\xff"))),
    case("c3", MUST_OTLP, "an array of mixed values", FULL, one(array(TEXT, NUMBER, EMPTY))),
    case(
        "c3",
        MUST_OTLP,
        "maps in maps and arrays",
        FULL,
        one(kvlist(attribute("a", 1), common_pb2.KeyValue(key="b", value=array(kvlist(END))))),
    ),
    case("c6", SHOULD_DESIGN, "a key twice", FULL, {"attributes": [attribute("a", 1)] * 2}),
    case(
        "c7",
        MUST_OTLP,
        "counts of what was dropped",
        FULL,
        dict.fromkeys(
            ("dropped_attributes_count", "dropped_events_count", "dropped_links_count"), 7
        ),
    ),
    case(
        "c11", SHOULD_DESIGN, "no times", FULL, {"start_time_unix_nano": 0, "end_time_unix_nano": 0}
    ),
    case("c11", SHOULD_DESIGN, "the largest time", FULL, {"end_time_unix_nano": 2**64 - 1}),
    case("c11", SHOULD_DESIGN, "a time of 1970", FULL, {"start_time_unix_nano": 1}),
]


@everywhere
@pytest.mark.parametrize("fields", TAKEN)
def test_valid_content_is_taken(export, fields):
    """Rare, but right."""
    answer = export(request(span(**fields)))
    assert answer.is_full_success, answer


IDS = {
    "a trace_id of 8 bytes": {"trace_id": b"8 bytes!"},
    "a trace_id of zeros": {"trace_id": bytes(16)},
    "a span_id of zeros": {"span_id": bytes(8)},
    "a span_id of 4 bytes": {"span_id": b"four"},
    "a parent_span_id of 4 bytes": {"parent_span_id": b"four"},
}


@row("c1", SHOULD_DESIGN, "a good span and one with {flaw}", "the bad one rejected with a text")
@everywhere
@pytest.mark.parametrize("flaw", IDS)
def test_wrong_ids_reject_the_span(export, flaw):
    """The protocol calls them invalid; the good span is kept."""
    answer = export(request(span(), span(**IDS[flaw])))
    assert answer.is_ok, answer
    assert answer.rejected == 1, answer
    assert answer.message, answer


@row("c4", SHOULD_DESIGN, "{what} of the profiles' dictionary", "OK, nothing rejected")
@everywhere
@pytest.mark.parametrize("what", ["a value", "a key"])
def test_an_index_into_a_dictionary_is_not_fatal(export, what):
    """There is no dictionary beside spans: the text is empty."""
    value = {"string_value_strindex": 7} if what == "a value" else {"string_value": "x"}
    found = attribute("key", **value)
    if what == "a key":
        found = common_pb2.KeyValue(key_strindex=7, value=found.value)
    answer = export(request(span(attributes=[found])))
    assert answer.is_ok, answer
    assert answer.rejected == 0, answer


@row("c5", MUST_OTLP, "entity_refs on the resource", FULL)
@everywhere
def test_entities_are_taken(export):
    """New in OTLP 1.6."""
    message = request()
    refs = message.resource_spans[0].resource.entity_refs
    refs.add(type="service", id_keys=["service.name"], schema_url="https://example.com")
    answer = export(message)
    assert answer.is_full_success, answer


@row("c5", MUST_PROTOBUF, "an unknown field of a {level}", FULL)
@pytest.mark.parametrize("transport", [GRPC, HTTP_PROTOBUF])
@pytest.mark.parametrize("level", ["request", "resource", "scope", "span", "value"])
def test_unknown_fields_are_passed_over(export, level):
    """A later version may add them anywhere."""
    message = request(span(attributes=[attribute("key", "text")]))
    group = message.resource_spans[0]
    scope = group.scope_spans[0]
    places = {
        "request": message,
        "resource": group.resource,
        "scope": scope.scope,
        "span": scope.spans[0],
        "value": scope.spans[0].attributes[0].value,
    }
    places[level].MergeFromString(UNKNOWN_FIELD)
    answer = export.send(message.SerializeToString())
    assert answer.is_full_success, answer


# c8


def nest(transport, messages):
    return nested_json(messages) if transport == HTTP_JSON else nested(messages)


@row("c8", SHOULD_DESIGN, "60 nested messages", FULL)
@everywhere
def test_moderate_nesting_is_taken(export, transport):
    """Structured content is nested; protobuf itself goes to 100."""
    answer = export.send(nest(transport, 60))
    assert answer.is_full_success, answer


deeply = pytest.mark.parametrize("depth", [120, 1000, 20_000])


@row("c8", MUST_OTLP, "{depth} nested messages", "an answer, no 5xx; then OK on the connection")
@everywhere
@deeply
def test_deep_nesting_harms_nothing(export, transport, depth):
    """Refused or taken, but never a crash, and the connection goes on."""
    answer = export.send(nest(transport, depth))
    assert transport == GRPC or answer.code < 500, answer
    after = export(request())
    assert after.is_ok, after
    assert transport == GRPC or export.client.opened == 1, "the connection was closed"


@row("c8", SHOULD_DESIGN, "{depth} nested messages", "OK, or INVALID_ARGUMENT / 400 with a text")
@everywhere
@deeply
def test_deep_nesting_is_taken_or_bad_data(export, transport, depth):
    """With a text that says so: the parser's own error is of no use to a sender."""
    answer = export.send(nest(transport, depth))
    assert answer.is_ok or (answer.is_bad_data and answer.message), answer


@row("c8", SHOULD_DESIGN, "a good span and one of 20,000 nested messages", "the good one is kept")
@pytest.mark.parametrize("transport", [GRPC, HTTP_PROTOBUF])
def test_deep_nesting_fails_no_neighbour(export, transport):
    """As with any bad span."""
    answer = export.send(wire() + nested(20_000))
    assert answer.is_ok, answer


# c9


FOREIGN = {"logs": logs_request, "metrics": metrics_request}


@row(
    "c9", SHOULD_DESIGN, "a {signal} request, sent as traces", "400 / INVALID_ARGUMENT with a hint"
)
@everywhere
@pytest.mark.parametrize("signal", FOREIGN)
def test_another_signal_is_named(export, transport, signal):
    """Its fields have the same numbers. In JSON it may be taken as empty, with a text."""
    answer = export(FOREIGN[signal]())
    is_warned = transport == HTTP_JSON and answer.is_ok and not answer.is_full_success
    assert answer.is_bad_data or is_warned, answer
    assert any(word in answer.message.lower() for word in ("signal", signal)), answer


# c10


@row("c10", MUST_OTLP, "a schema_url of resource and scope", FULL)
@everywhere
def test_schema_urls_are_taken(export):
    """Whatever version they name."""
    message = request()
    message.resource_spans[0].schema_url = "https://opentelemetry.io/schemas/9.99.0"
    message.resource_spans[0].scope_spans[0].schema_url = "nonsense"
    answer = export(message)
    assert answer.is_full_success, answer
