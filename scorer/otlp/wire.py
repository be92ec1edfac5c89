"""Protobuf's wire format, as far as one must read it without a parser.

Theory of operation. A parser makes an object of dozens of bytes of every empty message of two
bytes, so a request of 64 MiB could cost gigabytes. Walking over the bytes costs nothing but
time, and little of it: the walk gives up where there were more messages so far than `_MIN_BYTES`
each would allow. (A valid span takes 30 bytes.)
"""

from collections.abc import Iterator
from typing import Final

from scorer.errors import PermanentError, TooLargeError

Path = tuple[frozenset[int], ...]
"""The field numbers of the messages that are visited, level by level."""

_MIN_BYTES: Final = 16
_FREE: Final = 1000
_SHIFTS = range(0, 70, 7)  # a varint has at most ten bytes
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def path(*levels: int | tuple[int, ...]) -> Path:
    """Return the path over these field numbers; several on one level are alternatives."""
    return tuple(frozenset((level,) if isinstance(level, int) else level) for level in levels)


def count_messages(body: bytes, way: Path) -> int:
    """Return how many messages are at the end of a path.

    Raises:
        PermanentError: The bytes are no protobuf.
        TooLargeError: Too many tiny messages are on the path.
    """
    return _Walk(body).count(0, len(body), way)


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
    size = len(payload)
    head = bytearray([number << 3 | _BYTES])
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head) + payload


class _Walk:
    """One walk over a body, with a bound on the messages before any place in it."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._visited = 0

    def count(self, start: int, end: int, way: Path) -> int:
        found = 0
        for at, stop in self._messages(start, end, way[0]):
            self._visited += 1
            if self._visited > _FREE + at // _MIN_BYTES:
                size = len(self._body)
                raise TooLargeError(f"too many tiny messages in a request of {size} bytes")
            found += self.count(at, stop, way[1:]) if len(way) > 1 else 1
        return found

    def _messages(self, at: int, end: int, numbers: frozenset[int]) -> Iterator[tuple[int, int]]:
        body = self._body
        while at < end:
            tag, at = read_varint(body, at)
            kind = tag & 7
            if kind == _BYTES:
                size, at = read_varint(body, at)
                if size <= end - at and tag >> 3 in numbers:
                    yield at, at + size
                at += size
            elif kind == _VARINT:
                at = read_varint(body, at)[1]
            elif kind in {_FIXED64, _FIXED32}:
                at += 8 if kind == _FIXED64 else 4
            else:
                raise PermanentError(f"broken protobuf: wire type {kind} at byte {at}")
        if at != end:
            raise PermanentError(f"broken protobuf: a field ends after its message, at byte {at}")
