"""The segments of a journal: the sealed ones, the one being written, and what they take up.

The newest file is never deleted before there is a newer one: its name carries the offsets on.
Not thread-safe.
"""

from contextlib import suppress
from typing import Final

from scorer.errors import RetryableError, TooLargeError
from scorer.journal.folder import Folder
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE
from scorer.journal.recovery import Recovered, Sealed
from scorer.journal.segment import BrokenSegmentError, Segment, create_segment

# In a small journal too, parts must become free before all of it is full.
_MIN_SEGMENTS: Final = 4


class Store:
    """Appends to the active segment, rolls it, and gives up what is released.

    `max_size` and `segment_size` are bytes. `next_offset` is what the next record gets, `low`
    what was released. What is sealed waits in `to_close`, what is released in `to_delete`: both
    may take a while, so they are not done here. Until it is `deleted` it takes up room.
    """

    def __init__(self, folder: Folder, state: Recovered, max_size: int, segment_size: int) -> None:
        self.next_offset = state.next_offset
        self.low = state.segments[0].first if state.segments else state.next_offset
        self.active: Segment | None = None
        self.to_close: list[Segment] = []
        self.to_delete: list[Sealed] = []
        self._leaving: list[Sealed] = []
        self.is_folder_changed = False
        self._folder = folder
        self._sealed = state.segments
        self._sealed_size = sum(segment.size for segment in state.segments)
        self._written = state.written
        self._max_size = max_size
        self._segment_size = min(segment_size, max_size // _MIN_SEGMENTS)

    @property
    def size(self) -> int:
        """Bytes in use; what is preallocated and not written does not count."""
        return self._sealed_size + (self.active.position if self.active else 0)

    @property
    def pinned_size(self) -> int:
        """Bytes of what is not released."""
        return self.size - sum(segment.size for segment in self._leaving)

    @property
    def oldest_offset(self) -> int:
        """The first offset that is still retained; `next_offset` when none is."""
        segments = self.segments()
        first = segments[0].first if segments else self.next_offset
        return min(max(first, self.low), self.next_offset)

    @property
    def retained_offset(self) -> int:
        """The first offset that is in a file, released or not; `next_offset` when none is."""
        files = [*self._leaving, *self.segments()]
        return min([file.first for file in files], default=self.next_offset)

    def segments(self) -> list[Sealed]:
        """Return all segments as they are now."""
        active = self.active
        if active is None:
            return list(self._sealed)
        return [*self._sealed, Sealed(active.first, active.end, active.position)]

    def skip_to(self, offset: int) -> None:
        """Give out no offset below this one any more."""
        self.next_offset = max(self.next_offset, offset)

    def append(self, payload: bytes, *, makes_room: bool = False) -> int:
        """Write a record and return its offset; one that makes room may pass `max_size`.

        Raises:
            OSError: The disk is full or fails; nothing of the record will be read.
            RetryableError: The journal is full.
            TooLargeError: It will never fit.
        """
        segment = self._room_for(len(payload), makes_room=makes_room)
        offset = self.next_offset
        try:
            segment.append(offset, payload)
        except BrokenSegmentError:
            self.seal()
            self.next_offset += 1
            raise
        self.next_offset = self._written = offset + 1
        return offset

    def take_back(self, offset: int, payload: bytes) -> None:
        """Give up the record that was appended last, and its segment; the offset stays used."""
        assert self.active is not None
        self.active.take_back_last(offset, payload)
        self._written = offset
        self.seal()

    def seal(self) -> None:
        """End the active segment, if there is one."""
        segment, self.active = self.active, None
        if segment is None:
            return
        self.to_close.append(segment)
        # One without records is replaced by the next, which has the same name.
        if segment.end > segment.first:
            self._sealed.append(Sealed(segment.first, segment.end, segment.position))
            self._sealed_size += segment.position

    def release(self, low: int) -> None:
        """Note that what is below `low` is not needed."""
        self.low = max(self.low, min(low, self.next_offset))
        if self._is_all_released() and self._is_worth_a_new_one():
            self._renew()
        self._take_released()

    def leave_nothing(self) -> None:
        """Free all there is, if all is released: it holds what agents said."""
        if self.active is not None or self._sealed:  # else there may be files that were not read
            self._reclaim()

    def deleted(self, segment: Sealed) -> None:
        """Note that a segment of `to_delete` is gone."""
        self._leaving.remove(segment)
        self._sealed_size -= segment.size

    def not_deleted(self, segment: Sealed) -> None:
        """Note that a segment of `to_delete` is still there; the next `release` tries again."""
        self._leaving.remove(segment)
        self._sealed = sorted([segment, *self._sealed])

    def _room_for(self, size: int, *, makes_room: bool) -> Segment:
        if HEADER_SIZE + RECORD_HEAD_SIZE + size > self._max_size:
            raise TooLargeError(
                f"the request of {size} bytes is larger than the journal "
                f"(journal.max_size: {self._max_size} bytes); send less at a time"
            )
        if not self._fits(size):
            self._reclaim()
        if not (makes_room or self._fits(size)):
            raise RetryableError(
                f"the journal is full (journal.max_size: {self._max_size} bytes); "
                "it empties as traces are scored: try again later, or raise the limit"
            )
        if self.active is None or not self.active.has_room(size):
            return self._roll(size)
        return self.active

    def _fits(self, size: int) -> bool:
        is_new = self.active is None or not self.active.has_room(size)
        head = RECORD_HEAD_SIZE + (HEADER_SIZE if is_new else 0)
        return self.size + head + size <= self._max_size

    def _reclaim(self) -> None:
        """Have freed what only the newest file keeps from being deleted."""
        if self._is_all_released():
            self._renew()
            self._take_released()

    def _is_all_released(self) -> bool:
        return (self.active.end if self.active else self._written) <= self.low

    def _is_worth_a_new_one(self) -> bool:
        if self.active is None:
            return bool(self._sealed)
        return 2 * self.active.position > self.active.capacity

    def _renew(self) -> None:
        """Begin a new segment to free the old ones; without preallocation on a full disk."""
        if self.active is not None and self.active.end == self.active.first:
            return
        try:
            self._roll(0)
        except OSError:
            with suppress(OSError):
                self._roll(0, preallocate=False)

    def _roll(self, size: int, *, preallocate: bool = True) -> Segment:
        capacity = max(self._segment_size, HEADER_SIZE + RECORD_HEAD_SIZE + size)
        new = create_segment(
            self._folder, self.next_offset, self._written, capacity, preallocate=preallocate
        )
        self.is_folder_changed = True
        self.seal()
        self.active = new
        return new

    def _take_released(self) -> None:
        deletable = self._sealed if self.active else self._sealed[:-1]
        released = [segment for segment in deletable if segment.end <= self.low]
        self._sealed = self._sealed[len(released) :]
        self.to_delete += released
        self._leaving += released
