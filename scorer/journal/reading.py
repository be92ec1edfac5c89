"""Reads one segment, past whatever is damaged, holding one record at a time.

After damage it goes on at the next marker whose record is whole and whose offset may stand
there. So it returns every whole record, and never one that was not written.
"""

import os
from collections.abc import Iterator
from typing import Final, NamedTuple

from scorer.journal.format import (
    HEADER_SIZE,
    OFFSET_LIMIT,
    RECORD_HEAD_SIZE,
    Header,
    decode_header,
    decode_record_head,
    is_whole,
)
from scorer.journal.log import Record

_CHUNK = 256 * 1024
# What a bad place on the disk takes along.
_BLOCK = 4096

OPEN_END: Final = OFFSET_LIMIT


class Damage(NamedTuple):
    """Something that could not be read; `bytes_lost` is 0 where only records are missing."""

    file: str
    byte_offset: int
    bytes_lost: int
    what: str

    def __str__(self) -> str:
        lost = f", {self.bytes_lost} bytes" if self.bytes_lost else ""
        return f"{self.file} at byte {self.byte_offset}{lost}: {self.what}"


class SegmentReader:
    """Reads an open segment file; `position` and `expected` say how far it has come.

    `unreadable` says why the disk did not give all of it ("" = it did).
    `end` is the offset before which the segment ends, `OPEN_END` when that is not known.
    """

    def __init__(self, fd: int, name: str, header: Header, end: int = OPEN_END) -> None:
        self.position = HEADER_SIZE
        self.expected = header.first
        self._fd = fd
        self._name = name
        self._header = header
        self._end = end
        self._size = os.fstat(fd).st_size
        self.unreadable = ""
        self._data_end: int | None = None

    def read(self) -> Iterator[Record | Damage]:
        """Yield the records in order, and in their places what is damaged."""
        while self.expected < self._end:
            found = self._next_whole()
            if found is None:
                break
            at, record = found
            if at > self.position or record.offset > self.expected:
                yield self._damage(at, record.offset)
            self.position = at + RECORD_HEAD_SIZE + len(record.payload)
            self.expected = record.offset + 1
            yield record
        yield from self._tail()

    def data_end(self) -> int:
        """Return where the zeros begin that go on to the end of the file."""
        if self._data_end is None:
            self._data_end = self._find_data_end()
        return max(self._data_end, self.position)

    def is_torn(self) -> bool:
        """Whether what is left looks like one record whose write did not come to its end."""
        left = self.data_end() - self.position
        if left == 0 or self.unreadable:
            return False
        data = self._read(self.position, RECORD_HEAD_SIZE)
        if left < RECORD_HEAD_SIZE or len(data) < RECORD_HEAD_SIZE:
            return True
        head = decode_record_head(data)
        is_next = (head.marker, head.offset) == (self._header.marker, self.expected)
        return is_next and left <= RECORD_HEAD_SIZE + head.length

    def _find_data_end(self) -> int:
        end = self.position
        for at in range(self.position, self._size, _CHUNK):
            data = self._read(at, _CHUNK).rstrip(b"\0")
            end = at + len(data) if data else end
        return self._size if self.unreadable else end

    def _next_whole(self) -> tuple[int, Record] | None:
        record = self._record_at(self.position)
        if record is not None:
            return self.position, record
        if self.data_end() == self.position:
            return None
        for at in self._markers(self.position + 1):
            record = self._record_at(at)
            if record is not None:
                return at, record
        return None

    def _record_at(self, at: int) -> Record | None:
        data = self._read(at, RECORD_HEAD_SIZE)
        if len(data) < RECORD_HEAD_SIZE:
            return None
        head = decode_record_head(data)
        begin = at + RECORD_HEAD_SIZE
        fits = head.length <= self._size - begin and self.expected <= head.offset < self._end
        if head.marker != self._header.marker or not fits:
            return None
        payload = self._read(begin, head.length)
        return Record(head.offset, payload) if is_whole(self._header, head, payload) else None

    def _markers(self, at: int) -> Iterator[int]:
        marker = self._header.marker
        for start in range(at, self.data_end(), _CHUNK):
            # One that begins in this chunk may end in the next.
            data = self._read(start, _CHUNK + len(marker) - 1)
            found = data.find(marker)
            while found >= 0:
                yield start + found
                found = data.find(marker, found + 1)

    def _read(self, at: int, size: int) -> bytes:
        """Read, as zeros what the disk does not give."""
        size = min(size, max(self._size - at, 0))
        data = self._pread(at, size)
        if len(data) == size:
            return data
        blocks = ((start, min(_BLOCK, at + size - start)) for start in range(at, at + size, _BLOCK))
        return b"".join(self._pread(start, length).ljust(length, b"\0") for start, length in blocks)

    def _pread(self, at: int, size: int) -> bytes:
        try:
            return os.pread(self._fd, size, at)
        except OSError as error:
            self.unreadable = self.unreadable or f"the disk does not give it: {error.strerror}"
            return b""

    def _tail(self) -> Iterator[Damage]:
        if self.expected < self._end:
            end = self.data_end()
            if end > self.position or self._end < OPEN_END:
                yield self._damage(end, self._end)
        if self.unreadable:
            yield Damage(self._name, 0, 0, self.unreadable)

    def _damage(self, at: int, next_offset: int) -> Damage:
        lost = at - self.position
        return Damage(self._name, self.position, lost, self._what(lost, next_offset))

    def _what(self, lost: int, next_offset: int) -> str:
        first, last = self.expected, next_offset - 1
        if next_offset == OPEN_END and self.is_torn():
            return f"record {first} was not written to its end; cut off"
        if next_offset == OPEN_END:
            return f"nothing is readable from here, where record {first} would be"
        if last < first:
            return f"bytes that are no record, before record {first}"
        which = f"record {first} is" if first == last else f"records {first} to {last} are"
        return f"{which} {'not readable' if lost else 'missing'}"


def read_segment(fd: int, name: str, end: int) -> Iterator[Record | Damage]:
    """Yield the records of a segment that ends before the offset `end`, and its damage."""
    try:
        size = os.fstat(fd).st_size
        header, what = decode_header(os.pread(fd, HEADER_SIZE, 0))
    except OSError as error:
        yield Damage(name, 0, 0, f"cannot be read: {error.strerror}")
        return
    if header is None:
        yield Damage(name, 0, size, what)
    else:
        yield from SegmentReader(fd, name, header, end).read()


def is_blank(fd: int) -> bool:
    """Whether a file holds nothing but zeros; raises OSError."""
    size = os.fstat(fd).st_size
    return not any(os.pread(fd, _CHUNK, at).strip(b"\0") for at in range(0, size, _CHUNK))
