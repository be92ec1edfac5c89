"""Decoding a closed trace."""

import math

from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.model.position import Position
from scorer.model.span import Event, Link, Scope
from scorer.model.trace import ClosedTrace, Completeness, Envelope, Trace
from scorer.otlp.decode import decode_trace, service_name

TRACE_ID = bytes(range(1, 17))
SPAN_ID = bytes(range(1, 9))
HERE = Position("test", 0, 0)


def envelope(service: str = "svc", scope: str = "lib") -> Envelope:
    resource = resource_pb2.Resource()
    resource.attributes.add(key="service.name").value.string_value = service
    return Envelope(
        resource.SerializeToString(),
        common_pb2.InstrumentationScope(name=scope, version="2").SerializeToString(),
    )


def decoded(spans=(), logs=(), envelopes=None, **completeness) -> Trace:
    given = envelopes or [envelope()] * len(spans)
    return decode_trace(
        ClosedTrace(
            tenant="t",
            trace_id=TRACE_ID,
            spans=tuple(s if isinstance(s, bytes) else s.SerializeToString() for s in spans),
            span_envelopes=tuple(given),
            logs=tuple(s if isinstance(s, bytes) else s.SerializeToString() for s in logs),
            log_envelopes=(envelope(),) * len(logs),
            reason="root",
            opened=0.0,
            closed=1.0,
            completeness=Completeness(span_count=len(spans), root_present=True, **completeness),
            first_position=HERE,
            last_position=HERE,
            size=1,
            revision=3,
        )
    )


def any_value(**kind) -> common_pb2.AnyValue:
    return common_pb2.AnyValue(**kind)


def attributes_of(**values) -> dict:
    span = trace_pb2.Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    for key, value in values.items():
        span.attributes.add(key=key, value=value)
    return decoded([span]).spans[0].attributes


def test_every_field_of_a_span_is_decoded(make_span):
    """Ids become hex, events and links tuples, the resource and scope objects."""
    span = make_span(
        parent_span_id=b"\xff" * 8, kind=2, flags=0x101, status={"code": 2, "message": "boom"}
    )
    event = span.events.add(name="exception", time_unix_nano=7)
    event.attributes.add(key="k").value.int_value = 1
    span.links.add(trace_id=TRACE_ID, span_id=SPAN_ID).attributes.add(key="l")

    trace = decoded([span])
    (out,) = trace.spans

    assert (out.trace_id, out.span_id) == (TRACE_ID.hex(), SPAN_ID.hex())
    assert (out.parent_span_id, out.name, out.kind) == ("ff" * 8, "chat", 2)
    assert (out.start_ns, out.end_ns, out.flags) == (100, 200, 0x101)
    assert (out.status_code, out.status_message, out.is_error) == (2, "boom", True)
    assert out.events == (Event("exception", 7, {"k": 1}),)
    assert out.links == (Link(TRACE_ID.hex(), SPAN_ID.hex(), {"l": None}),)
    assert (out.resource.service, out.scope) == ("svc", Scope("lib", "2"))
    assert (trace.tenant, trace.trace_id, trace.revision) == ("t", TRACE_ID.hex(), 3)


def test_attribute_values_become_plain_python():
    """Each kind of AnyValue has its Python type; empty and false values stay what they are."""
    kvlist = common_pb2.KeyValueList(
        values=[common_pb2.KeyValue(key="n", value=any_value(bool_value=True))]
    )
    array = common_pb2.ArrayValue(
        values=[any_value(string_value="x"), any_value(), any_value(kvlist_value=kvlist)]
    )
    found = attributes_of(
        text=any_value(string_value="x"),
        empty=any_value(string_value=""),
        yes=any_value(bool_value=True),
        no=any_value(bool_value=False),
        int=any_value(int_value=-5),
        zero=any_value(int_value=0),
        double=any_value(double_value=0.5),
        zero_double=any_value(double_value=0.0),
        infinite=any_value(double_value=math.inf),
        bytes=any_value(bytes_value=b"\x00"),
        array=any_value(array_value=array),
        empty_array=any_value(array_value=common_pb2.ArrayValue()),
        unset=any_value(),
        index=any_value(string_value_strindex=4),
    )

    assert found == {
        "text": "x",
        "empty": "",
        "yes": True,
        "no": False,
        "int": -5,
        "zero": 0,
        "double": 0.5,
        "zero_double": 0.0,
        "infinite": math.inf,
        "bytes": b"\x00",
        "array": ["x", None, {"n": True}],
        "empty_array": [],
        "unset": None,
        "index": None,
    }
    assert [type(found[key]) for key in ("yes", "zero", "zero_double")] == [bool, int, float]


def test_the_last_of_duplicate_attribute_keys_wins():
    """OTLP forbids duplicates and says nothing of which one counts."""
    span = trace_pb2.Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    span.attributes.add(key="k").value.int_value = 1
    span.attributes.add(key="k").value.int_value = 2

    assert decoded([span]).spans[0].attributes == {"k": 2}


def test_spans_stand_by_start_then_id(make_span):
    """The order of arrival does not show."""
    spans = [
        make_span(span_id=b"b" * 8, start_time_unix_nano=2),
        make_span(span_id=b"z" * 8, start_time_unix_nano=1),
        make_span(span_id=b"a" * 8, start_time_unix_nano=2),
    ]

    assert [bytes.fromhex(s.span_id)[:1] for s in decoded(spans).spans] == [b"z", b"a", b"b"]


def test_log_records_are_decoded_and_stand_by_time():
    """The time is the record's own, else when it was observed."""
    late = logs_pb2.LogRecord(
        trace_id=TRACE_ID, span_id=SPAN_ID, time_unix_nano=9, body={"string_value": "hi"}
    )
    early = logs_pb2.LogRecord(trace_id=TRACE_ID, observed_time_unix_nano=3, event_name="e")
    early.attributes.add(key="event.name").value.string_value = "old"

    first, second = decoded(logs=[late, early]).logs

    assert (first.time_ns, first.event_name, first.body, first.span_id) == (3, "e", None, "")
    assert (second.time_ns, second.event_name, second.body) == (9, "", "hi")
    assert (second.trace_id, second.span_id) == (TRACE_ID.hex(), SPAN_ID.hex())


def test_the_event_name_attribute_of_older_sdks_counts():
    """Before the field there was an attribute."""
    record = logs_pb2.LogRecord(trace_id=TRACE_ID)
    record.attributes.add(key="event.name").value.string_value = "gen_ai.choice"
    odd = logs_pb2.LogRecord(trace_id=TRACE_ID)
    odd.attributes.add(key="event.name").value.int_value = 4

    assert [log.event_name for log in decoded(logs=[record, odd]).logs] == ["gen_ai.choice", ""]


def test_equal_resources_and_scopes_are_one_object(make_span):
    """Spans of one service share its attributes, also across envelopes."""
    trace = decoded(
        [make_span(), make_span(), make_span()],
        envelopes=[envelope(), envelope(scope="other"), envelope("second")],
    )

    first, other, second = trace.spans
    assert first.resource is other.resource
    assert [s.scope.name for s in trace.spans] == ["lib", "other", "lib"]
    assert first.scope is second.scope
    assert second.resource.service == "second"


def test_a_resource_without_a_text_for_a_name_has_no_service(make_span):
    """`service` is text: "" where there is none."""
    resource = resource_pb2.Resource()
    resource.attributes.add(key="service.name").value.int_value = 4
    wire = resource.SerializeToString()

    trace = decoded([make_span(), make_span()], envelopes=[Envelope(wire, b""), Envelope(b"", b"")])

    assert [s.resource.service for s in trace.spans] == ["", ""]


def test_dropped_counts_add_up(make_span):
    """The SDK's own losses in spans, events, links and logs make one number."""
    span = make_span(dropped_attributes_count=1, dropped_events_count=2, dropped_links_count=3)
    span.events.add(dropped_attributes_count=10)
    span.links.add(dropped_attributes_count=20)
    log = logs_pb2.LogRecord(trace_id=TRACE_ID, dropped_attributes_count=100)

    trace = decoded([span], [log], dropped=1000)

    assert trace.completeness.dropped == 1136
    (out,) = trace.spans
    assert (out.dropped_attributes, out.dropped_events, out.dropped_links) == (1, 2, 3)


def nested_span(make_span, levels=60, **fields) -> trace_pb2.Span:
    span = make_span(**fields)
    value = span.attributes.add(key="deep").value
    for _ in range(levels):
        value = value.array_value.values.add()
    return span


def test_a_span_that_does_not_decode_is_counted_and_stays(make_span):
    """Bad UTF-8 costs characters, too deep nesting one attribute, neither costs the span."""
    bad_text = make_span(name="NAME").SerializeToString().replace(b"NAME", b"\xed\xa0\x80x")

    trace = decoded([bad_text, nested_span(make_span, name="nested"), make_span()])

    assert [s.name for s in trace.spans] == ["\ufffd\ufffd\ufffdx", "nested", "chat"]
    assert trace.spans[1].attributes == {}
    assert (trace.completeness.undecodable, trace.completeness.lost) == (2, ("deep",))
    assert trace.completeness.truncated_content
    assert trace.completeness.span_count == 3


def test_broken_text_alone_is_no_lost_content(make_span):
    """Everything is there, with a replacement character."""
    state = decoded([make_span(name="NAME").SerializeToString().replace(b"NAME", b"\xffAME")])

    assert (state.completeness.lost, state.completeness.truncated_content) == ((), False)


def test_a_log_record_a_resource_and_a_scope_are_read_as_far_as_they_can_be(make_span):
    """They are counted once each, however many spans share them."""
    record = logs_pb2.LogRecord(trace_id=TRACE_ID, body={"string_value": "BODY"})
    bad = envelope("SERVICE", scope="SCOPE")
    wires = [wire.replace(b"SERVICE", b"\xffERVICE").replace(b"SCOPE", b"SCOP\xff") for wire in bad]

    trace = decoded(
        [make_span(), make_span()],
        [record.SerializeToString().replace(b"BODY", b"B\xff\xffY")],
        [Envelope(*wires)] * 2,
    )

    assert trace.logs[0].body == "B\ufffd\ufffdY"
    assert [s.resource.service for s in trace.spans] == ["\ufffdERVICE"] * 2
    assert trace.spans[0].scope == Scope("SCOP\ufffd", "2")
    assert trace.completeness.undecodable == 3


def test_what_cannot_be_read_at_all_is_left_out_and_named(make_span):
    """A span whose head is broken, an empty resource and scope for broken ones."""
    trace = decoded(
        [b"\x0a\xff", make_span()], envelopes=[envelope(), Envelope(b"\x0a\xff", b"\x0a\xff")]
    )

    assert [s.name for s in trace.spans] == ["chat"]
    assert (trace.spans[0].resource.attributes, trace.spans[0].scope) == ({}, Scope("", ""))
    assert trace.completeness.undecodable == 3
    assert trace.completeness.lost == ("Span", "Resource", "InstrumentationScope")


def test_duplicate_keys_are_counted(make_span):
    """In spans, events, links, log records and resources."""
    span = make_span()
    holders = [span, span.events.add(), span.links.add(), logs_pb2.LogRecord(trace_id=TRACE_ID)]
    resource = resource_pb2.Resource()
    for holder in [*holders, resource]:
        for number in range(3):
            holder.attributes.add(key="k").value.int_value = number

    trace = decoded([span], holders[3:], [Envelope(resource.SerializeToString(), b"")])

    assert trace.completeness.duplicate_keys == 10
    assert trace.spans[0].events[0].attributes == trace.logs[0].attributes == {"k": 2}
    assert decoded([make_span()]).completeness.duplicate_keys == 0


def test_keys_and_texts_in_a_dictionary_of_profiles_are_empty(make_span):
    """Spans have no such dictionary, so the index says nothing."""
    span = make_span()
    span.attributes.add(key_strindex=3, value=any_value(string_value_strindex=4))

    trace = decoded([span])

    assert trace.spans[0].attributes == {"": None}
    assert trace.completeness.undecodable == 0


def test_doubles_that_are_no_numbers_are_decoded_as_they_are():
    """Whoever computes with them decides; decoding loses nothing."""
    found = attributes_of(
        nan=any_value(double_value=math.nan),
        least=any_value(double_value=-math.inf),
        negative_zero=any_value(double_value=-0.0),
    )

    assert math.isnan(found["nan"])
    assert found["least"] == -math.inf
    assert math.copysign(1, found["negative_zero"]) == -1


def test_events_and_links_of_a_trace_are_bounded(make_span, monkeypatch):
    """Two bytes on the wire become dozens in memory; what is over the bound counts as dropped."""
    monkeypatch.setattr("scorer.otlp.decode.MAX_PARTS", 3)
    span = make_span(events=[{"name": "a"}, {"name": "b"}], links=[{}, {}])

    first, second = (trace := decoded([span, span])).spans

    assert [len(first.events), len(first.links), len(second.events)] == [2, 1, 0]
    assert trace.completeness.dropped == 5


def test_nesting_that_protobuf_takes_is_decoded(make_span):
    """Values of forty levels come out as they went in."""
    span = make_span()
    inner = span.attributes.add(key="deep").value
    for _ in range(40):
        inner = inner.array_value.values.add()
    inner.string_value = "core"

    value = decoded([span]).spans[0].attributes["deep"]

    for _ in range(40):
        (value,) = value
    assert value == "core"


def test_a_zero_parent_id_is_no_parent(make_span):
    """A root is a root, however its sender spells it."""
    assert decoded([make_span(parent_span_id=bytes(8))]).spans[0].parent_span_id == ""


def test_the_service_of_a_resource_can_be_read_by_itself():
    """Settings per service are looked up before a trace is decoded."""
    assert service_name(envelope("checkout").resource) == "checkout"
    assert service_name(b"") == service_name(b"\x0a\xff") == ""
