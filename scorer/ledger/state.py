"""What stateful parts keep: bytes by namespace and key."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from scorer.ledger.database import Database
from scorer.ledger.transactions import transaction

_PAGE: Final = 200

_GET = "SELECT value FROM state WHERE namespace = ? AND key = ?"
_PUT = """
    INSERT INTO state (namespace, key, value) VALUES (?, ?, ?)
    ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value
"""
_DELETE = "DELETE FROM state WHERE namespace = ? AND key = ?"
_AFTER = """
    SELECT key, value FROM state WHERE namespace = ? AND key > ? ORDER BY key LIMIT ?
"""
_BETWEEN = """
    SELECT key FROM state WHERE namespace = ? AND key >= ? AND key < ? ORDER BY key LIMIT ?
"""
# Any text comes before all bytes, the empty ones included.
_BEGIN = ""


class State:
    """A table of keys and values; each namespace belongs to one part of the service.

    Raises, in all but `items`:
        RetryableError: The disk is full or fails, or the ledger is closed; nothing is changed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, namespace: str, key: bytes) -> bytes | None:
        """Return the value of a key; None = there is none."""

        def work(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute(_GET, (namespace, key)).fetchone()
            return None if row is None else row[0]

        return await self._database.read(work)

    async def get_many(self, namespace: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that have one, as they are at one moment."""
        wanted = tuple(keys)

        def work(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            rows = ((key, connection.execute(_GET, (namespace, key)).fetchone()) for key in wanted)
            return {key: row[0] for key, row in rows if row is not None}

        return await self._database.read(work)

    async def keys(self, namespace: str, first: bytes, before: bytes, limit: int) -> list[bytes]:
        """Return the keys of a range, in order."""
        parameters = (namespace, first, before, limit)
        rows = await self._database.read(lambda c: c.execute(_BETWEEN, parameters).fetchall())
        return [key for (key,) in rows]

    async def change(
        self, namespace: str, values: Mapping[bytes, bytes], deleted: Iterable[bytes]
    ) -> None:
        """Set and delete all of these keys, or none."""
        puts = [(namespace, key, value) for key, value in values.items()]
        deletes = [(namespace, key) for key in deleted]

        def work(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany(_PUT, puts)
                connection.executemany(_DELETE, deletes)

        await self._database.write(work)

    async def put(self, namespace: str, values: Mapping[bytes, bytes]) -> None:
        """Set all of these keys, or none."""
        await self.change(namespace, values, ())

    async def delete(self, namespace: str, keys: Iterable[bytes]) -> None:
        """Delete all of these keys, or none; one that is not there is no error."""
        await self.change(namespace, {}, keys)

    def items(self, namespace: str) -> Iterator[tuple[bytes, bytes]]:
        """Return keys and values in order of key: for the start, it waits for the disk.

        Raises:
            ConfigError: The file cannot be read, or is damaged.
            RetryableError: The ledger is closed.
        """
        after: bytes | str = _BEGIN
        while page := self._page(namespace, after):
            yield from page
            after = page[-1][0]

    def _page(self, namespace: str, after: bytes | str) -> list[tuple[bytes, bytes]]:
        parameters = (namespace, after, _PAGE)
        return self._database.read_now(lambda c: c.execute(_AFTER, parameters).fetchall())
