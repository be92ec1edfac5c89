"""Cuts a large OTLP request into small ones.

Theory of operation. A request of 64 MiB would be held several times over while it is split, and
nothing else would happen for seconds. So its bytes are walked over, and its spans (or log
records) are given out as requests of about `size` bytes, each with the resource and the scope
that it had.
"""

from collections.abc import Iterator
from typing import Final

from scorer.otlp.wire import Field, Walk, length_delimited

PART_SIZE: Final = 2**20
"""Bytes of a part; what is not longer is not cut."""

# The field that lists: of a request the resources, of those the scopes, of those the items.
_LISTS = (1, 2, 2)


def cut(body: bytes, size: int = PART_SIZE) -> Iterator[bytes]:
    """Return requests (of traces or logs) that hold together what `body` holds, in its order.

    A part has about `size` bytes, or what one item takes, and its resource and scope again.

    Raises:
        PermanentError: The bytes are no protobuf; the parts before are given out.
        TooLargeError: There are too many tiny fields; the same.
    """
    if len(body) <= size:
        yield body
    else:
        yield from _Cutter(body).parts(0, len(body), 0, size)


class _Cutter:
    """One walk over a body; what it gives out are the contents of messages."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._walk = Walk(body)

    def parts(self, start: int, end: int, level: int, size: int) -> Iterator[bytes]:
        """Cut the message between two places: its list is divided, the rest is in each part."""
        number = _LISTS[level]
        rest = b"".join(self._rest(start, end, number)) if level else b""
        # A large resource comes again in each part: then the parts are large too.
        size = max(size, 4 * len(rest))
        part, held = [rest], 0
        for field in self._walk.fields(start, end):
            if field.number != number or field.payload is None:
                continue
            if field.stop - field.start > size and level + 1 < len(_LISTS):
                if held:
                    yield b"".join(part)
                    part, held = [rest], 0
                for inner in self.parts(field.payload, field.stop, level + 1, size):
                    yield rest + length_delimited(number, inner)
                continue
            part.append(self._bytes(field))
            held += field.stop - field.start
            if held >= size:
                yield b"".join(part)
                part, held = [rest], 0
        if held:
            yield b"".join(part)

    def _rest(self, start: int, end: int, number: int) -> Iterator[bytes]:
        for field in Walk(self._body).fields(start, end):
            if field.number != number or field.payload is None:
                yield self._bytes(field)

    def _bytes(self, field: Field) -> bytes:
        return self._body[field.start : field.stop]
