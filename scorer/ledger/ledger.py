"""The ledger of closed traces."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from scorer.ledger.closing import Closing
from scorer.ledger.closings import BEGIN, FORGOTTEN_A_STEP, Closings, Page, Place
from scorer.ledger.database import Database, shrink
from scorer.ledger.state import State


class Ledger:
    """Notes closings in the file `path`, which is made when it is not there.

    `capacity` is how many rows are kept beyond those that are needed; see `forget`. `durable` is
    told in the package's docstring. `state` is what others keep in the same file.

    A trace, that is a tenant and a trace id, belongs to one log. Its revisions are noted in
    order, and none again that is scored. Methods may be called without waiting for the one
    before; those that write do what was asked as a whole or not at all. One that is cancelled
    may be done all the same.

    Raises:
        ConfigError: The file cannot be opened, is damaged, is another's, was made by a newer
            release, or another process uses it.
    """

    def __init__(self, path: Path, *, capacity: int, durable: bool) -> None:
        self._database = Database(path, durable=durable)
        try:
            self._closings = self._database.read_now(lambda c: Closings(c, capacity))
        except BaseException:
            self._database.close_now()
            raise
        self.state = State(self._database)

    async def closing(self, rows: Sequence[Closing]) -> None:
        """Note that traces have closed, before anybody sees their scores.

        It replaces what is noted of the same trace, but for a later revision.

        Raises:
            RetryableError: The disk is full or fails, or the ledger is closed.
        """
        noted = tuple(rows)
        await self._database.write(lambda _: self._closings.note(noted))

    async def scored(self, keys: Sequence[tuple[str, bytes, int]]) -> None:
        """Note (tenant, trace id, revision) as scored, when the sinks have accepted the scores.

        What is not the newest revision, or not known, is passed over.

        Raises:
            RetryableError: The disk is full or fails, or the ledger is closed.
        """
        noted = tuple(keys)
        await self._database.write(lambda _: self._closings.note_scored(noted))

    def load(self) -> Iterator[Closing]:
        """Return the newest closing of each trace: for the start, it waits for the disk.

        They come log by log, each in order of `closed_at`, then in the order they were noted.

        Raises:
            ConfigError: The file cannot be read, or is damaged.
            RetryableError: The ledger is closed.
        """
        revised = self._database.read_now(lambda _: self._closings.revised())

        def page(after: Place) -> Page:
            return self._database.read_now(lambda _: self._closings.page(after, revised))

        end: Place | None = BEGIN
        while end is not None:
            closings, end = page(end)
            yield from closings

    async def forget(self, source: str, partition: int, below: int) -> None:
        """Delete the oldest rows of a log that are beyond the capacity and not needed.

        Needed are those that are not scored, and those that tell what is read again: `below` is
        the oldest offset that the log retains, and `closed_at` is not below it. Where several
        logs have rows, each may keep its share of the capacity.

        Raises:
            RetryableError: The disk is full or fails, or the ledger is closed.
        """
        log, count = (source, partition), FORGOTTEN_A_STEP
        while count == FORGOTTEN_A_STEP:
            count = await self._database.write(lambda _: self._closings.forget(log, below))
            if count:
                await self._database.write(shrink)

    async def close(self) -> None:
        """Finish what was begun, and let another process have the file; safe to call twice."""
        await self._database.close()
