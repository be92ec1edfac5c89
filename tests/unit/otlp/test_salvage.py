"""Reading what protobuf refuses."""

import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.otlp.salvage import MAX_NAME_LENGTH, MAX_NAMES, Losses, mend
from scorer.otlp.wire import length_delimited

TOO_DEEP = 60


def mended(wire: bytes, message=None):
    """Return the message of a wire that the official parser refuses, and what was lost."""
    message = message or trace_pb2.Span()
    with pytest.raises(DecodeError):
        type(message).FromString(wire)
    losses = Losses()
    assert mend(message, wire, losses)
    type(message).FromString(message.SerializeToString())
    return message, losses.names


def nest(value: common_pb2.AnyValue, levels: int, kind: str = "array_value") -> None:
    for _ in range(levels):
        values = getattr(value, kind).values
        value = values.add() if kind == "array_value" else values.add(key="k").value
    value.string_value = "core"


def test_everything_of_a_span_but_the_broken_text_stays(make_span):
    """Ids, times, flags, counts, status, attributes, events and links are as they were."""
    span = make_span(
        parent_span_id=b"parent_1",
        kind=3,
        flags=0x301,
        status={"code": 2, "message": "BAD"},
        dropped_attributes_count=1,
        dropped_events_count=2,
        dropped_links_count=3,
    )
    span.attributes.add(key="good").value.int_value = -1
    span.attributes.add(key="BAD").value.string_value = "x BAD y"
    event = span.events.add(name="BAD", time_unix_nano=7, dropped_attributes_count=4)
    event.attributes.add(key="e").value.bytes_value = b"\xff"
    link = span.links.add(trace_id=b"t" * 16, span_id=b"s" * 8, dropped_attributes_count=5)
    link.attributes.add(key="l").value.string_value = "BAD"

    out, lost = mended(span.SerializeToString().replace(b"BAD", b"B\xffD"))

    assert lost == ()
    assert (out.name, out.kind, out.flags, out.parent_span_id) == ("chat", 3, 0x301, b"parent_1")
    assert (out.start_time_unix_nano, out.end_time_unix_nano) == (100, 200)
    assert (out.status.code, out.status.message) == (2, "B\ufffdD")
    counts = out.dropped_attributes_count, out.dropped_events_count, out.dropped_links_count
    assert counts == (1, 2, 3)
    assert [(a.key, a.value) for a in out.attributes] == [
        ("good", common_pb2.AnyValue(int_value=-1)),
        ("B\ufffdD", common_pb2.AnyValue(string_value="x B\ufffdD y")),
    ]
    assert (out.events[0].name, out.events[0].time_unix_nano) == ("B\ufffdD", 7)
    assert out.events[0].dropped_attributes_count == 4
    assert out.events[0].attributes[0].value.bytes_value == b"\xff"
    assert (out.links[0].trace_id, out.links[0].span_id) == (b"t" * 16, b"s" * 8)
    assert out.links[0].attributes[0].value.string_value == "B\ufffdD"


def test_text_inside_a_nested_value_is_mended_where_it_stands():
    """The neighbours in arrays and key-value lists stay, empty and false ones too."""
    span = trace_pb2.Span()
    values = span.attributes.add(key="a").value.array_value.values
    values.add(string_value="BAD")
    values.add(bool_value=False)
    values.add(string_value="")
    values.add()
    values.add(double_value=0.5)
    values.add(array_value={})
    values.add(kvlist_value={"values": [{"key": "BAD", "value": {"int_value": 0}}]})

    out, lost = mended(span.SerializeToString().replace(b"BAD", b"B\xffD"))

    assert lost == ()
    first, *rest, last = out.attributes[0].value.array_value.values
    assert first.string_value == "B\ufffdD"
    assert rest == list(values)[1:-1]
    assert last.kvlist_value.values[0].key == "B\ufffdD"
    assert last.kvlist_value.values[0].value == common_pb2.AnyValue(int_value=0)


@pytest.mark.parametrize("kind", ["array_value", "kvlist_value"])
def test_an_attribute_that_nests_too_deeply_is_left_out_and_named(make_span, kind):
    """Its neighbours stay, before and after it."""
    span = make_span()
    span.attributes.add(key="before").value.int_value = 1
    nest(span.attributes.add(key="deep").value, TOO_DEEP, kind)
    span.attributes.add(key="after").value.int_value = 2

    out, lost = mended(span.SerializeToString())

    assert [a.key for a in out.attributes] == ["before", "after"]
    assert lost == ("deep",)


def test_an_attribute_of_an_event_or_link_is_lost_alone():
    """The event and the link stay."""
    span = trace_pb2.Span()
    event = span.events.add(name="exception")
    nest(event.attributes.add(key="deep").value, TOO_DEEP)
    event.attributes.add(key="e").value.int_value = 1
    nest(span.links.add(span_id=b"s" * 8).attributes.add(key="deep too").value, TOO_DEEP)

    out, lost = mended(span.SerializeToString())

    assert (out.events[0].name, [a.key for a in out.events[0].attributes]) == ("exception", ["e"])
    assert (out.links[0].span_id, len(out.links[0].attributes)) == (b"s" * 8, 0)
    assert lost == ("deep", "deep too")


@pytest.mark.parametrize(
    ("number", "name"), [(9, "attributes"), (11, "events"), (13, "links"), (15, "status")]
)
def test_a_part_of_broken_bytes_is_left_out_under_the_name_of_its_field(make_span, number, name):
    """Where not even a key can be read."""
    span = make_span()

    out, lost = mended(span.SerializeToString() + length_delimited(number, b"\x0a\xff"))

    assert out == span
    assert lost == (name,)


def test_the_key_of_a_value_of_broken_bytes_is_known():
    """The key stands outside of the value."""
    broken = length_delimited(1, b"KEY") + length_delimited(2, b"\x2a\xff")

    assert mended(length_delimited(9, broken))[1] == ("KEY",)


def test_a_log_record_keeps_all_but_its_broken_body():
    """Ids, times and attributes stay when the body nests too deeply."""
    record = logs_pb2.LogRecord(
        trace_id=b"t" * 16, span_id=b"s" * 8, time_unix_nano=1, observed_time_unix_nano=2
    )
    record.event_name = "gen_ai.choice"
    record.attributes.add(key="a").value.int_value = 1
    want = logs_pb2.LogRecord()
    want.CopyFrom(record)
    nest(record.body, TOO_DEEP)

    out, lost = mended(record.SerializeToString(), logs_pb2.LogRecord())

    assert out == want
    assert lost == ("body",)


def test_a_body_of_broken_text_is_mended():
    """A body is a value like any other."""
    record = logs_pb2.LogRecord(body={"array_value": {"values": [{"string_value": "BAD"}]}})

    out, lost = mended(record.SerializeToString().replace(b"BAD", b"B\xffD"), logs_pb2.LogRecord())

    assert out.body.array_value.values[0].string_value == "B\ufffdD"
    assert lost == ()


def test_bytes_whose_head_cannot_be_read_are_not_mended():
    """Then there is nothing to go by."""
    for wire in (b"\x0a\xff", b"\xff", b"\x0b\x0b"):
        assert not mend(trace_pb2.Span(), wire, Losses())


def test_names_of_what_was_lost_are_bounded():
    """In number and in length; each is kept once."""
    losses = Losses()
    for number in range(2 * MAX_NAMES):
        losses.add("x" * 1000)
        losses.add(f"{number}")

    assert len(losses.names) == MAX_NAMES
    assert losses.names[:2] == ("x" * MAX_NAME_LENGTH, "0")
