"""What an in-memory log, the journal and a Kafka partition have in common."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol


class Record(NamedTuple):
    """One record of a log; offsets count from 1 and none is ever used twice."""

    offset: int
    payload: bytes


class Log(Protocol):
    """Records in an order that stays; what is no longer needed is released from the front."""

    def replay(self) -> Iterator[Record]:
        """Return all retained records in order of offset, from the first that was not released.

        Records that are appended after the call are not among them.
        """
        ...

    def release(self, low: int) -> None:
        """Note that no record with an offset below `low` will ever be needed again.

        It may take effect in steps, and what was released may be replayed after a restart.
        """
        ...

    @property
    def next_offset(self) -> int:
        """The offset that comes next: above that of every record."""
        ...


class WritableLog(Log, Protocol):
    """A log that this process writes."""

    def append(self, payload: bytes, *, makes_room: bool = False) -> int:
        """Write a record and return its offset; it now survives the end of this process.

        One that `makes_room`, or belongs to such a one, is written though the log is full.

        Raises:
            RetryableError: The log is full or closed, or the disk is full or fails; nothing
                of the record stays.
            TooLargeError: The record alone is over the size limit of the log.
        """
        ...

    async def synced(self, offset: int, first: int | None = None) -> None:
        """Return when the record, and those from `first` on, are as durable as the log promises.

        Raises:
            RetryableError: One of them is not, and will not be.
        """
        ...

    def close(self) -> None:
        """Make durable what is written, and refuse more; safe to call twice."""
        ...
