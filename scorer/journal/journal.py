"""The journal: a `WritableLog` in a folder of its own.

Its methods belong to one thread, that of the event loop; flushes and housekeeping have threads
of their own. One lock guards the store. It is held while a record is written, and not while
the disk is waited for (but with `always`, which waits by definition).
"""

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from scorer.errors import ConfigError, RetryableError
from scorer.journal.commit import Flushed, GroupCommit
from scorer.journal.folder import Folder, name_of
from scorer.journal.housekeeping import Housekeeping
from scorer.journal.log import Record
from scorer.journal.reading import Damage, read_segment
from scorer.journal.recovery import Recovered, Sealed, recover
from scorer.journal.store import Store
from scorer.telemetry import failpoints

Fsync = Literal["batch", "always", "off"]

_SEGMENT_SIZE = 64 * 1024 * 1024
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


class Journal:
    """The log in the folder `path`, which is made when it is not there.

    `fsync` is told in the package's docstring. `max_size` and `segment_size` are bytes; the
    files may take one segment more, for the newest is preallocated. `first_offset` is the lowest
    offset that may be given out: whoever remembers offsets elsewhere gives the one after the
    highest, since the end of the machine may have taken records from here that were not yet
    durable. `key` is the place of the path in the configuration.

    Raises:
        ConfigError: The folder is used by another process, or cannot be used.
    """

    def __init__(  # noqa: PLR0913 - the settings of a journal
        self,
        path: Path,
        *,
        fsync: Fsync,
        max_size: int,
        segment_size: int = _SEGMENT_SIZE,
        first_offset: int = 1,
        key: str = "journal.path",
    ) -> None:
        self.appended_records = 0
        self.synced_count = 0
        self.problem: str | None = None
        self._fsync: Fsync = fsync
        self._lock = threading.Lock()
        self._is_closed = False
        self._folder = Folder(path, key)
        state = self._recover(key)
        self._store = Store(self._folder, state, max_size, segment_size)
        self._store.skip_to(first_offset)
        # A dict, since a second replay finds the same again.
        self._damage = dict.fromkeys(state.damage + state.gone_before(first_offset))
        self._commits = GroupCommit(self._flush, settled=self.next_offset - 1)
        self._housekeeping = Housekeeping(self._folder, self._trimmed, durable=fsync != "off")

    @property
    def next_offset(self) -> int:
        """The offset of the next record."""
        return self._store.next_offset

    @property
    def oldest_offset(self) -> int:
        """The first offset that is not released; `next_offset` when there is none."""
        with self._lock:
            return self._store.oldest_offset

    @property
    def retained_offset(self) -> int:
        """The first offset that a restart now would replay; `next_offset` when there is none.

        Not above `oldest_offset`: what is released stays until its whole segment is deleted.
        """
        with self._lock:
            return self._store.retained_offset

    @property
    def size_bytes(self) -> int:
        """Bytes in use; what is preallocated and not written does not count."""
        with self._lock:
            return self._store.size

    @property
    def pinned_bytes(self) -> int:
        """Bytes of the segments that are not released, by whole segments."""
        with self._lock:
            return self._store.pinned_size

    @property
    def segments(self) -> int:
        """How many segment files are in use."""
        with self._lock:
            return len(self._store.segments())

    @property
    def damage(self) -> list[Damage]:
        """What was found damaged, at the start and in replays."""
        return list(self._damage)

    def append(self, payload: bytes, *, makes_room: bool = False) -> int:
        """Write a record and return its offset; see `WritableLog`."""
        with self._lock:
            if self._is_closed:
                raise RetryableError("the journal is closed: the service is stopping")
            try:
                offset = self._store.append(payload, makes_room=makes_room)
                if self._fsync == "always":
                    self._sync_alone(offset, payload)
            except OSError as error:
                raise RetryableError(self._note("append a record", error)) from error
            finally:
                self._tidy()
        self.appended_records += 1
        failpoints.failpoint("after_append")
        return offset

    async def synced(self, offset: int, first: int | None = None) -> None:
        """Return when the records are durable; see `WritableLog`."""
        if offset >= self.next_offset:
            raise ValueError(f"no record {offset} was appended")
        if self._fsync == "batch":
            await self._commits.wait(offset, first)

    def replay(self) -> Iterator[Record]:
        """Return the retained records in order; what is damaged is passed over and noted."""
        with self._lock:
            segments = self._store.segments()
        return self._read(segments)

    def release(self, low: int) -> None:
        """Have the segments deleted that hold only offsets below `low`; they go a little later.

        After a restart what is left of the oldest segment is replayed from its first record.
        """
        with self._lock:
            if self._is_closed:
                return
            self._store.release(low)
            self._tidy()

    def close(self) -> None:
        """Make durable what is written (not with `off`) and let another process have the folder.

        When all is released, nothing of it stays on the disk.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._store.leave_nothing()
        if self._fsync == "batch":
            self._commits.close()
        with self._lock:
            self._store.seal()
            self._housekeeping.submit(self._store.to_close, self._store.to_delete)
        self._housekeeping.close()
        self._folder.close()

    def _recover(self, key: str) -> Recovered:
        try:
            return recover(self._folder)
        except OSError as error:
            self._folder.close()
            raise ConfigError(
                f"{key}: cannot use {self._folder.path}: {error.strerror}; "
                "look after the disk, or name another folder"
            ) from error

    def _read(self, segments: list[Sealed]) -> Iterator[Record]:
        for segment in segments:
            if segment.end <= self._store.low:
                continue
            for item in self._read_segment(segment):
                if isinstance(item, Damage):
                    self._damage[item] = None
                elif item.offset >= self._store.low:
                    yield item

    def _read_segment(self, segment: Sealed) -> Iterator[Record | Damage]:
        name = name_of(segment.first)
        try:
            fd = self._folder.open(segment.first, os.O_RDONLY)
        except OSError as error:
            yield Damage(name, 0, segment.size, f"cannot be opened: {error.strerror}")
            return
        try:
            yield from read_segment(fd, name, segment.end)
        finally:
            os.close(fd)

    def _flush(self) -> Flushed:
        """Make durable what was appended so far; called in the thread of the group commit."""
        store = self._store
        with self._lock:
            upto, active = store.next_offset - 1, store.active
            sealed, store.to_close = store.to_close, []
            is_folder_changed, store.is_folder_changed = store.is_folder_changed, False
        failpoints.failpoint("in_group_commit")
        try:
            for segment in [*sealed, active] if active else sealed:
                segment.sync()
            if is_folder_changed:
                self._folder.sync()
        except OSError as error:
            return self._not_flushed(error)
        finally:
            self._housekeeping.submit(sealed, ())
        self.synced_count += 1
        return Flushed(upto)

    def _not_flushed(self, error: OSError) -> Flushed:
        """Give up the segment: the system tells of a failed write once, later calls pretend."""
        store = self._store
        with self._lock:
            store.seal()
            self._housekeeping.submit(store.to_close, ())
            store.to_close = []
            store.is_folder_changed = True
            upto = store.next_offset - 1
        return Flushed(upto, self._note("make records durable", error))

    def _sync_alone(self, offset: int, payload: bytes) -> None:
        store = self._store
        assert store.active is not None
        failpoints.failpoint("in_group_commit")
        try:
            store.active.sync()
            if store.is_folder_changed:
                self._folder.sync()
                store.is_folder_changed = False
        except OSError:
            store.take_back(offset, payload)
            raise
        self.synced_count += 1

    def _tidy(self) -> None:
        """Hand over what is to be deleted, and closed; with `batch` that is synced first."""
        store = self._store
        self._housekeeping.submit(() if self._fsync == "batch" else store.to_close, store.to_delete)
        store.to_delete = []
        if self._fsync != "batch":
            store.to_close = []

    def _trimmed(self, segment: Sealed, error: OSError | None) -> None:
        with self._lock:
            if error is None:
                self._store.deleted(segment)
            else:
                self._store.not_deleted(segment)
                self._note("delete a segment", error)

    def _note(self, what: str, error: OSError) -> str:
        if error.errno in _DISK_FULL:
            return "the disk of the journal is full; free space at journal.path"
        self.problem = f"the journal could not {what}: {error.strerror}"
        return f"{self.problem}; look after the disk, and send again"
