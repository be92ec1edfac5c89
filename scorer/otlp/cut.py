"""Cuts a large OTLP request into small ones.

Theory of operation. A request of 64 MiB would be held several times over while it is split, and
nothing else would happen for seconds. So its bytes are walked over, and its spans (or log
records) are given out as requests of about `size` bytes, each with the resource and the scope
that it had.
"""

from collections.abc import Iterator
from typing import Final

from scorer.otlp.wire import Field, Walk, length_head

PART_SIZE: Final = 3 * 2**18
"""Bytes of a part; what is not longer is not cut."""

# A part of more items would hold up everything else for too long; where a large resource or scope
# comes again in each, they have more, or a request would be written many times as long as it is.
_PART_ITEMS: Final = 2000
_BYTES_AN_ITEM: Final = 512

# What a message is made of, each a piece of the body or new; joined once, for they may be large.
_Pieces = list[bytes | memoryview]

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
        return
    for pieces in _Cutter(body).parts(0, len(body), 0, size):
        # A part of this length holds everything: a second copy would only take memory.
        yield body if sum(map(len, pieces)) == len(body) else b"".join(pieces)


class _Cutter:
    """One walk over a body; what it gives out are the contents of messages."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._view = memoryview(body)
        self._walk = Walk(body)

    def parts(self, start: int, end: int, level: int, size: int) -> Iterator[_Pieces]:
        """Cut the message between two places: its list is divided, the rest is in each part."""
        number = _LISTS[level]
        rest = b"".join(self._rest(start, end, number)) if level else b""
        # A large resource comes again in each part: then the parts are large too.
        size = max(size, 4 * len(rest))
        part = _Part(self._view, rest)
        for field in self._walk.fields(start, end):
            if field.number != number or field.payload is None:
                continue
            if field.stop - field.start > size and level + 1 < len(_LISTS):
                if part.held:
                    yield part.take()
                for inner in self.parts(field.payload, field.stop, level + 1, size):
                    inner[:0] = rest, length_head(number, sum(map(len, inner)))
                    yield inner
                continue
            part.add(field)
            if part.held >= size or part.items >= max(_PART_ITEMS, size // _BYTES_AN_ITEM):
                yield part.take()
        if part.held:
            yield part.take()

    def _rest(self, start: int, end: int, number: int) -> Iterator[memoryview]:
        for field in Walk(self._body).fields(start, end):
            if field.number != number or field.payload is None:
                yield self._view[field.start : field.stop]


class _Part:
    """The items of a part so far, `held` bytes; neighbours are one piece."""

    def __init__(self, view: memoryview, rest: bytes) -> None:
        self._view = view
        self._rest = rest
        self._runs: list[tuple[int, int]] = []
        self.held = self.items = 0

    def add(self, field: Field) -> None:
        """Add an item."""
        start = field.start
        if self._runs and self._runs[-1][1] == start:
            start = self._runs.pop()[0]
        self._runs.append((start, field.stop))
        self.held += field.stop - field.start
        self.items += 1

    def take(self) -> _Pieces:
        """Return the part, and begin the next one."""
        runs, self._runs, self.held, self.items = self._runs, [], 0, 0
        return [self._rest, *(self._view[start:stop] for start, stop in runs)]
