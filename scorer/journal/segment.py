"""The segment that is being written."""

import errno
import os
from contextlib import suppress

from scorer.journal.folder import Folder
from scorer.journal.format import (
    HEADER_SIZE,
    RECORD_HEAD_SIZE,
    Header,
    encode_record_head,
    new_header,
)

_NOT_SUPPORTED = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}


class BrokenSegmentError(OSError):
    """A write failed and its bytes could not be taken back: nothing more may be written here."""


class Segment:
    """An open segment; `position` is where its next record goes, `end` that record's offset.

    Records go to the operating system at once; `sync` makes them durable.
    """

    def __init__(self, fd: int, header: Header, capacity: int) -> None:
        self.first = header.first
        self.end = header.first
        self.position = HEADER_SIZE
        self.capacity = capacity
        self._fd = fd
        self._header = header

    def has_room(self, size: int) -> bool:
        """Whether a payload fits."""
        return self.position + RECORD_HEAD_SIZE + size <= self.capacity

    def append(self, offset: int, payload: bytes) -> None:
        """Write a record.

        Raises:
            OSError: It could not be written; nothing of it stays.
            BrokenSegmentError: The same, but something of it may stay.
        """
        head = encode_record_head(self._header, offset, payload)
        try:
            _write(self._fd, head, payload, self.position)
        except OSError as error:
            self._take_back(error)
            raise
        self.position += RECORD_HEAD_SIZE + len(payload)
        self.end = offset + 1

    def take_back_last(self, offset: int, payload: bytes) -> None:
        """Remove the record that was appended last; as far as the disk lets us."""
        self.position -= RECORD_HEAD_SIZE + len(payload)
        self.end = offset
        self._cut()

    def sync(self) -> None:
        """Make the records durable; raises OSError."""
        os.fdatasync(self._fd)

    def close(self) -> None:
        """Give back the space that was not needed, and close the file; may take a while."""
        self._cut()
        os.close(self._fd)

    def _cut(self) -> None:
        # When that fails zeros stay at the end, which readers pass over.
        with suppress(OSError):
            os.ftruncate(self._fd, self.position)

    def _take_back(self, error: OSError) -> None:
        try:
            os.ftruncate(self._fd, self.position)
        except OSError:
            raise BrokenSegmentError(error.errno, error.strerror) from error


def create_segment(
    folder: Folder, first: int, follows: int, capacity: int, *, preallocate: bool = True
) -> Segment:
    """Begin a segment; `follows` is what came next in the one before.

    Raises:
        OSError: It could not be made; nothing of it stays.
    """
    fd = folder.open_new()
    try:
        if preallocate:
            _preallocate(fd, capacity)
        header = new_header(first, follows)
        _write(fd, header.encode(), b"", 0)
        folder.publish(first)
    except BaseException:
        os.close(fd)
        folder.discard_new()
        raise
    return Segment(fd, header, capacity)


def _preallocate(fd: int, size: int) -> None:
    """Reserve the blocks, so that a write needs no new ones: no surprise, and cheaper to sync."""
    try:
        os.posix_fallocate(fd, 0, size)
    except OSError as error:
        if error.errno not in _NOT_SUPPORTED:
            raise


def _write(fd: int, head: bytes, payload: bytes, at: int) -> None:
    written = os.pwritev(fd, (head, payload), at)
    if written == len(head) + len(payload):
        return
    # The system took a part, as it may; the next call says why, if there is a reason.
    rest = memoryview(head + payload)
    while written < len(rest):
        written += os.pwrite(fd, rest[written:], at + written)
