"""Only fields of which an attribute is there are read."""

import pytest

from scorer.dialects.fields import Field, Fields, id_field, text_field, value_field
from scorer.dialects.values import real


def test_a_field_without_any_attribute_is_not_read(span):
    """Its reader is not even called."""

    def fail(_):
        raise AssertionError

    fields = Fields(Field("usage", ("tokens",), fail), text_field("provider", "vendor"))
    assert fields.read(span("1", {"vendor": "acme", "other": 1})) == {"provider": "acme"}


def test_the_first_usable_attribute_decides(span):
    """The order of the keys is the order of preference, whatever the order in the span."""
    fields = Fields(text_field("provider", "new", "old"), id_field("user_id", "user", "account"))
    attributes = {"old": "b", "account": 7, "new": "a", "user": "N/A"}
    assert fields.read(span("1", attributes)) == {"provider": "a", "user_id": "7"}


def test_a_value_that_is_not_usable_leaves_nothing(span):
    """A sentinel is no text, and a word no number."""
    fields = Fields(
        text_field("request_model", "model"),
        id_field("session_id", "session"),
        value_field("cost_usd", "cost", real),
    )
    found = fields.read(span("1", {"model": "REDACTED", "session": " ", "cost": "free"}))
    assert found == {"request_model": None, "session_id": None, "cost_usd": None}


def test_a_field_of_several_attributes_is_read_once(span):
    """Its reader sees the whole span."""
    calls = []

    def read(item):
        calls.append(item)
        return len(item.attributes)

    fields = Fields(Field("usage", ("in", "out"), read))
    assert fields.read(span("1", {"in": 1, "out": 2})) == {"usage": 2}
    assert len(calls) == 1


@pytest.mark.parametrize(
    "attributes",
    [{"x": "1"}, {"y": "2"}, {"x": "1", "y": "2"}, {"x": " ", "y": "2"}, {"y": " "}, {"z": 3}, {}],
)
def test_chosen_fields_read_the_same(span, attributes):
    """Choosing by the keys of a span leaves out only what it cannot have."""
    fields = Fields(
        text_field("first", "x", "y"),
        value_field("one", "w", real),
        Field("whole", ("z",), lambda given: given.attributes.get("z")),
    )
    given = span("1", attributes)
    assert fields.among(frozenset(attributes)).read(given) == fields.read(given)
