"""Attributes are added to a span, and nothing else of it changes."""

from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.otlp.annotate import annotate, number_at, without

UNKNOWN = b"\xc2\x3e\x03abc"
GROUP = b"\xc3\x3e\xc4\x3e"


def span(**attributes):
    made = trace_pb2.Span(trace_id=b"t" * 16, span_id=b"s" * 8, name="a span")
    for key, value in attributes.items():
        made.attributes.add(key=key).value.string_value = value
    return made.SerializeToString()


def attributes_of(wire):
    pairs = trace_pb2.Span.FromString(wire).attributes
    return [(pair.key, getattr(pair.value, pair.value.WhichOneof("value"))) for pair in pairs]


def test_attributes_are_appended_with_their_types():
    """What was there stays in front, byte for byte."""
    wire = span(own="1") + UNKNOWN
    new = annotate(
        wire, {"spanscore.a": 0.5, "spanscore.b": True, "spanscore.c": 2, "spanscore.d": "x"}
    )
    assert new.startswith(wire)
    assert attributes_of(new) == [
        ("own", "1"),
        ("spanscore.a", 0.5),
        ("spanscore.b", True),
        ("spanscore.c", 2),
        ("spanscore.d", "x"),
    ]


def test_an_attribute_of_the_same_key_is_replaced_and_the_others_stay():
    """Another Spanscore before us wrote it; what it alone knows stays."""
    old = span(**{"spanscore.a": "old", "spanscore.other": "theirs", "text": "spanscore.a"})
    new = annotate(old + UNKNOWN, {"spanscore.a": "ours"})
    assert attributes_of(new) == [
        ("spanscore.other", "theirs"),
        ("text", "spanscore.a"),
        ("spanscore.a", "ours"),
    ]
    assert UNKNOWN in new


def test_attributes_go_by_the_beginning_of_their_keys_too():
    """A key that only resembles them stays."""
    old = span(**{"spanscore.a": "x", "spanscore.a.b": "x", "spanscore.ab": "stays"})
    assert attributes_of(without(old, {"spanscore.a"}, ("spanscore.a.",))) == [
        ("spanscore.ab", "stays")
    ]


def test_a_span_without_such_attributes_is_left_as_it_is():
    """It is not even copied."""
    wire = span(own="1")
    assert without(wire, {"spanscore.a"}) is wire


def test_a_span_that_cannot_be_walked_over_gets_ours_as_the_last():
    """Of two attributes with one key, the last counts."""
    old = span(**{"spanscore.a": "old"})
    new = annotate(old + GROUP, {"spanscore.a": "ours"})
    assert new.startswith(old + GROUP)
    assert attributes_of(new)[-1] == ("spanscore.a", "ours")


def test_a_number_is_read_back():
    """The last of several, for that one counts."""
    wire = annotate(annotate(span(own="1"), {"spanscore.a": 0.5}) + GROUP, {"spanscore.b": "x"})
    assert number_at(wire, "spanscore.a") is None  # it cannot be walked over
    twice = annotate(span(), {"spanscore.a": 0.5}) + annotate(b"", {"spanscore.a": 2})
    assert number_at(twice, "spanscore.a") == 2


def test_what_is_no_number_is_none():
    """Nor is what is not there, or does not decode."""
    assert number_at(span(), "spanscore.a") is None
    assert number_at(span(**{"spanscore.a": "x"}), "spanscore.a") is None
    assert number_at(span() + b"\x4a\x0fspanscore.a", "spanscore.a") is None
