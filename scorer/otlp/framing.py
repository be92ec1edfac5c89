"""Cuts a stored stream into records: lines of text, or framed protobuf.

Theory of operation. The first bytes tell the forms apart, because a record may not exceed
`MAX_RECORD` (64 MiB):

- a 4-byte big-endian length (the collector's file exporter) then starts with 0x00-0x04;
- a bare request starts with 0x0a, the tag of its field 1. Its fields 1 are cut apart: each is
  a request by itself, so a bare file of any size is read piece by piece;
- a varint length (protobuf's "delimited" form) is whatever is followed by such a request.

Nothing here raises on bad data: what cannot be cut becomes a frame with a `problem`.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from scorer.errors import PermanentError
from scorer.otlp.inflate import ZSTD_MAGIC, Source
from scorer.otlp.wire import length_delimited, read_varint

MAX_RECORD: Final = 64 * 1024 * 1024
"""Bytes of one line, record or JSON document that are read at most."""

_SKIP = 1024 * 1024
_REQUEST_TAG = b"\x0a"
_MAX_VARINT = 10
# What a ResourceSpans, ResourceLogs or ResourceMetrics may start with: its fields 1, 2 and 3.
_RESOURCE_STARTS = (b"\x0a", b"\x12", b"\x1a")


class Frame(NamedTuple):
    """A record and its number from 1 (lines count the empty ones too), or why it is none."""

    number: int
    data: bytes
    problem: str = ""


Framing = Callable[[Source], Iterator[Frame]]


def binary_framing(head: bytes) -> Framing | None:
    """Return what cuts a binary stream that starts with `head`, None if it is no known form."""
    if not head.strip(b"\r\n"):  # empty lines; 0x0a is also the tag of a request
        return None
    if _is_bare(head):
        return bare
    if 0 < int.from_bytes(head[:4], "big") <= MAX_RECORD and _is_record(head[4:8]):
        return prefixed
    size, width = _varint(head)
    if 0 < size <= MAX_RECORD and _is_bare(head[width:]):
        return delimited
    return None


def lines(source: Source) -> Iterator[Frame]:
    """Cut at line ends; a line longer than MAX_RECORD is skipped and reported."""
    number = 0
    while line := source.readline(MAX_RECORD + 1):
        number += 1
        if len(line) > MAX_RECORD:
            while line and not line.endswith(b"\n"):
                line = source.readline(_SKIP)
            yield Frame(number, b"", f"the line is longer than {MAX_RECORD} bytes")
        else:
            yield Frame(number, line)


def prefixed(source: Source) -> Iterator[Frame]:
    """Cut records that follow their length in 4 bytes, big-endian."""
    number = 0
    while prefix := source.read(4):
        number += 1
        if len(prefix) < 4:
            yield Frame(number, b"", "the last record is cut off")
            return
        yield _take(source, int.from_bytes(prefix, "big"), number)


def delimited(source: Source) -> Iterator[Frame]:
    """Cut records that follow their length as a varint."""
    number = 0
    while source.peek(1):
        number += 1
        size = _read_varint(source)
        if size < 0:
            yield Frame(number, b"", "the length of a record is broken or cut off")
            return
        yield _take(source, size, number)


def bare(source: Source) -> Iterator[Frame]:
    """Cut one bare request (or several in a row) into requests of one resource each."""
    number = 0
    while tag := source.read(1):
        number += 1
        size = _read_varint(source) if tag == _REQUEST_TAG else -1
        if size < 0:
            yield Frame(number, b"", "no OTLP request goes on like this; the rest is not read")
            return
        frame = _take(source, size, number)
        yield frame if frame.problem else frame._replace(data=length_delimited(1, frame.data))


def _take(source: Source, size: int, number: int) -> Frame:
    if size > MAX_RECORD:
        _discard(source, size)
        return Frame(number, b"", f"a record of {size} bytes; at most {MAX_RECORD} are read")
    data = source.read(size)
    if len(data) < size:
        return Frame(number, b"", f"the last record is cut off: {len(data)} of {size} bytes")
    return Frame(number, data)


def _discard(source: Source, size: int) -> None:
    while size > 0 and (piece := source.read(min(size, _SKIP))):
        size -= len(piece)


def _is_bare(head: bytes) -> bool:
    if not head.startswith(_REQUEST_TAG):
        return False
    size, width = _varint(head[1:])
    return size == 0 or (size > 0 and head[1 + width : 2 + width] in _RESOURCE_STARTS)


def _is_record(start: bytes) -> bool:
    return start.startswith((_REQUEST_TAG, b"{", ZSTD_MAGIC))


def _varint(data: bytes) -> tuple[int, int]:
    """Return the value and the width of the varint at the start; the value -1 if it is none."""
    try:
        return read_varint(data, 0)
    except PermanentError:
        return -1, 0


def _read_varint(source: Source) -> int:
    data = b""
    while len(data) < _MAX_VARINT and (byte := source.read(1)):
        data += byte
        if byte[0] < 0x80:
            return _varint(data)[0]
    return -1
