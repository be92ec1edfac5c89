"""Attributes as they stand in the wire bytes of a message."""

from opentelemetry.proto.common.v1 import common_pb2

from scorer.otlp.wire import length_delimited

AttributeValue = str | bool | int | float


def encode_attribute(field: int, key: str, value: AttributeValue) -> bytes:
    """Return an attribute in a field of its message: 9 of a span, 6 of a log record."""
    pair = common_pb2.KeyValue(key=key)
    if isinstance(value, str):
        pair.value.string_value = value
    elif isinstance(value, bool):  # an int too, so it stands before
        pair.value.bool_value = value
    elif isinstance(value, int):
        pair.value.int_value = value
    else:
        pair.value.double_value = value
    return length_delimited(field, pair.SerializeToString())
