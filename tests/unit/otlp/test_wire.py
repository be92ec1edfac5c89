"""Walking over protobuf's wire format."""

import pytest

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.wire import count_messages, length_delimited, path, read_varint

NESTED = length_delimited(1, length_delimited(2, b"x") + length_delimited(3, b"y" * 200))


def test_messages_at_the_end_of_a_path_are_counted():
    """Other fields of all wire types are stepped over; alternatives count together."""
    others = b"\x20\x96\x01" + b"\x29" + bytes(8) + b"\x35" + bytes(4)

    assert count_messages(others + NESTED + others + NESTED, path(1, 2)) == 2
    assert count_messages(NESTED, path(1, (2, 3))) == 2
    assert count_messages(NESTED, path(1)) == 1
    assert count_messages(NESTED, path(7)) == 0
    assert count_messages(b"", path(1)) == 0


@pytest.mark.parametrize(
    "body", [b"\x0a\x05abc", b"\x0a", b"\x80", b"\x0b\x0c", b"\x08" + b"\xff" * 11, b"\x29abc"]
)
def test_broken_bytes_are_a_permanent_error(body):
    """A length beyond the end, a missing one, groups, endless varints."""
    with pytest.raises(PermanentError, match="broken protobuf"):
        count_messages(body, path(1))


def test_too_many_tiny_messages_are_refused():
    """The walk gives up instead of going on for minutes."""
    with pytest.raises(TooLargeError):
        count_messages(b"\x0a\x00" * 2000, path(1))


def test_too_many_tiny_parts_of_a_large_message_are_refused():
    """Whichever field they are; those of small messages are not looked at."""
    parts = b"\x4a\x00" * 600_000
    large, small = length_delimited(1, parts), length_delimited(1, parts[:1_000_000])

    assert count_messages(small + length_delimited(1, b""), path(1), path(9)) == 2
    assert count_messages(large, path(1)) == 1
    for number in (8, 9):
        with pytest.raises(TooLargeError, match="tiny messages"):
            count_messages(large, path(1), path(number))


def test_a_varint_is_read_where_it_stands():
    """Its value and its end come back."""
    assert read_varint(b"xx\xac\x02", 2) == (300, 4)


def test_a_length_delimited_field_has_tag_length_and_payload():
    """The length takes as many bytes as it needs."""
    assert length_delimited(2, b"ab") == b"\x12\x02ab"
    assert length_delimited(1, b"x" * 300) == b"\x0a\xac\x02" + b"x" * 300
