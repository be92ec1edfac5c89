"""Attributes as wire bytes."""

import pytest
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.otlp.attributes import encode_attribute


@pytest.mark.parametrize(
    ("value", "kind"),
    [("é", "string_value"), (True, "bool_value"), (-1, "int_value"), (1.0, "double_value")],
)
@pytest.mark.parametrize(("field", "message"), [(9, trace_pb2.Span), (6, logs_pb2.LogRecord)])
def test_an_attribute_keeps_its_type(field, message, value, kind):
    """In the field of whichever message it is appended to."""
    (attribute,) = message.FromString(encode_attribute(field, "k", value)).attributes
    assert attribute.key == "k"
    assert attribute.value.WhichOneof("value") == kind
    assert getattr(attribute.value, kind) == value
