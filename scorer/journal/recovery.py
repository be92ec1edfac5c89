"""What a journal finds in its folder when it starts.

Nothing here is a reason not to start. Segments that cannot be used are left as they are, for
somebody to look at, and are neither read nor counted; only blank ones, as a power cut makes
them of those just begun, are deleted. Files of an earlier life are never written again, but
for the last one: its preallocated rest is cut off, and with it a record whose write did not
come to its end.
"""

import os
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from scorer.journal.folder import Folder, name_of
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE, Header, decode_header
from scorer.journal.log import Record
from scorer.journal.reading import Damage, SegmentReader, is_blank

# More records than a segment holds, and few of the offsets that there are.
_MORE_THAN_FIT = 2**32


class Sealed(NamedTuple):
    """A segment that is no longer written: its offsets are from `first` to before `end`."""

    first: int
    end: int
    size: int


class Recovered(NamedTuple):
    """The state of the folder.

    `written` is the offset after the last record; `next_offset` is never below, and higher when
    offsets after it may have been in use.
    """

    segments: list[Sealed]
    written: int
    next_offset: int
    damage: list[Damage]

    def gone_before(self, offset: int) -> list[Damage]:
        """Return what somebody knows of who says that `offset` is next, and is not here."""
        if offset <= self.next_offset:
            return []
        name = name_of(self.segments[-1].first) if self.segments else "the folder"
        what = f"records {self.next_offset} to {offset - 1} were known elsewhere, and are not here"
        return [Damage(name, 0, 0, what)]


class _Found(NamedTuple):
    """A file with a segment's name; without a header it is not usable."""

    first: int
    size: int = 0
    header: Header | None = None
    what: str = ""
    is_blank: bool = False

    @property
    def follows(self) -> int:
        assert self.header is not None
        return self.header.follows

    def damage(self) -> list[Damage]:
        lost = 0 if self.header or self.is_blank else self.size
        return [Damage(name_of(self.first), 0, lost, self.what)] if self.what else []


class _End(NamedTuple):
    """Where the last segment ends."""

    written: int
    next_offset: int
    size: int


def recover(folder: Folder) -> Recovered:
    """Look at every segment, and read the last one.

    Raises:
        OSError: The folder cannot be used.
    """
    firsts, strange = folder.listing()
    damage = [Damage(name, 0, 0, "not the name of a segment; left alone") for name in strange]
    found = [_look_at(folder, first) for first in firsts]
    for segment in found:
        damage += segment.damage()
    _remove_blank(folder, found)
    segments, end = _usable(folder, found, damage)
    # Nobody knows which offsets an unusable segment used.
    used = [segment.first + _MORE_THAN_FIT for segment in found if segment.header is None]
    return Recovered(segments, end.written, max([end.next_offset, *used]), damage)


def _usable(folder: Folder, found: list[_Found], damage: list[Damage]) -> tuple[list[Sealed], _End]:
    """Return the segments that can be read, each of which ends where the next one begins."""
    usable = [segment for segment in found if segment.header is not None]
    if not usable:
        return [], _End(1, 1, 0)
    segments = [
        Sealed(segment.first, max(segment.first, after.follows), segment.size)
        for segment, after in pairwise(usable)
    ]
    end = _end_of_last(folder, usable[-1], damage)
    # An empty one is no segment yet: the next begins there and takes its name.
    if end.written > usable[-1].first:
        segments.append(Sealed(usable[-1].first, end.written, end.size))
    return segments, end


def _remove_blank(folder: Folder, found: list[_Found]) -> None:
    for segment in found[:-1]:
        if segment.is_blank:
            with suppress(OSError):
                folder.remove(segment.first)


def _look_at(folder: Folder, first: int) -> _Found:
    try:
        fd = folder.open(first, os.O_RDWR)
    except OSError as error:
        return _Found(first, what=f"cannot be opened: {error.strerror}; left as it is")
    try:
        return _look_into(fd, first)
    except OSError as error:
        return _Found(first, what=f"cannot be read: {error.strerror}; left as it is")
    finally:
        os.close(fd)


def _look_into(fd: int, first: int) -> _Found:
    size = os.fstat(fd).st_size
    header, what = decode_header(os.pread(fd, HEADER_SIZE, 0))
    if header is None and is_blank(fd):
        return _Found(first, size, what="it was begun and never written", is_blank=True)
    if header is None:
        return _Found(first, size, what=f"{what}; left as it is")
    if header.first != first:
        return _Found(first, size, what=f"its header is that of {name_of(header.first)}")
    return _Found(first, size, header, what)


def _end_of_last(folder: Folder, last: _Found, damage: list[Damage]) -> _End:
    assert last.header is not None
    fd = folder.open(last.first, os.O_RDWR)
    try:
        reader = SegmentReader(fd, name_of(last.first), last.header)
        damage += [item for item in reader.read() if not isinstance(item, Record)]
        return _cut(fd, reader)
    finally:
        os.close(fd)


def _cut(fd: int, reader: SegmentReader) -> _End:
    """Cut off what is behind the last record, unless it may be worth a look."""
    written, size = reader.expected, reader.data_end()
    # What is not readable may have been records, and their offsets may be known elsewhere.
    skipped = -(-(size - reader.position) // RECORD_HEAD_SIZE)
    if reader.is_torn():
        size, skipped = reader.position, 1
    with suppress(OSError):
        os.ftruncate(fd, size)
    return _End(written, written + skipped, size)
