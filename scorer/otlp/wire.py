"""Protobuf's wire format, as far as one must read it without a parser.

Theory of operation. A parser makes an object of dozens of bytes of every empty message of two
bytes, so a request of 64 MiB could cost gigabytes. Walking over the bytes costs nothing but
time, and little of it: the walk gives up where there were more messages so far than `_MIN_BYTES`
each would allow. (A valid span takes 30 bytes, an attribute hardly fewer than 16.)
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from scorer.errors import PermanentError, TooLargeError

Path = tuple[frozenset[int], ...]
"""The field numbers of the messages that are visited, level by level."""

_MIN_BYTES: Final = 16
_LARGE: Final = 2**20
_FREE: Final = 1000
_SHIFTS = range(0, 70, 7)  # a varint has at most ten bytes
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def path(*levels: int | tuple[int, ...]) -> Path:
    """Return the path over these field numbers; several on one level are alternatives."""
    return tuple(frozenset((level,) if isinstance(level, int) else level) for level in levels)


def count_messages(body: bytes, way: Path, parts: Path = ()) -> int:
    """Return how many messages are at the end of a path.

    `parts` goes on from there: the path on which messages of more than 1 MiB may not have too
    many tiny ones either.

    Raises:
        PermanentError: The bytes are no protobuf.
        TooLargeError: Too many tiny messages are on the path.
    """
    return Walk(body).count(0, len(body), way, parts)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at `at` and where it ends.

    Raises:
        PermanentError: There is none.
    """
    value = 0
    end = at
    try:
        for shift in _SHIFTS:
            byte = data[end]
            end += 1
            if byte < 0x80:
                return value | byte << shift, end
            value |= (byte & 0x7F) << shift
    except IndexError:
        pass  # the bytes end before the varint does
    raise PermanentError(f"broken protobuf: no varint at byte {at}")


def length_delimited(number: int, payload: bytes) -> bytes:
    """Encode a field (`number` at most 15) that holds a message or bytes."""
    return length_head(number, len(payload)) + payload


def length_head(number: int, size: int) -> bytes:
    """Encode what stands before the `size` bytes of a message or text."""
    head = bytearray([number << 3 | _BYTES])
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head)


class Field(NamedTuple):
    """Where one field stands in a body: from its tag at `start` to `stop`.

    The bytes of a message, text or `bytes` begin at `payload`; None = it is a number.
    """

    number: int
    start: int
    payload: int | None
    stop: int


class Walk:
    """One walk over a body, with a bound on the fields before any place in it."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._visited = 0

    def count(self, start: int, end: int, way: Path, parts: Path = ()) -> int:
        """Return how many messages between two places are at the end of a path."""
        found = 0
        for number, _, at, stop in self.fields(start, end):
            if at is None or number not in way[0]:
                continue
            if len(way) > 1:
                found += self.count(at, stop, way[1:], parts)
                continue
            found += 1
            if parts and stop - at > _LARGE:
                self.count(at, stop, parts)
        return found

    def fields(self, at: int, end: int) -> Iterator[Field]:
        """Return the fields of the message between two places.

        Raises:
            PermanentError: The bytes are no protobuf.
            TooLargeError: There are too many tiny fields, here or on the way so far.
        """
        body = self._body
        while at < end:
            # Every field counts, for the walk itself takes time for each.
            self._visited += 1
            if self._visited > _FREE + at // _MIN_BYTES:
                raise TooLargeError(f"too many tiny messages in a request of {len(body)} bytes")
            start, payload = at, None
            tag, at = read_varint(body, at)
            kind = tag & 7
            if kind == _BYTES:
                size, payload = read_varint(body, at)
                at = payload + size
            elif kind == _VARINT:
                at = read_varint(body, at)[1]
            elif kind in {_FIXED64, _FIXED32}:
                at += 8 if kind == _FIXED64 else 4
            else:
                raise PermanentError(f"broken protobuf: wire type {kind} at byte {at}")
            if at > end:
                raise PermanentError(f"broken protobuf: a field ends after its message, at {at}")
            yield Field(tag >> 3, start, payload, at)
