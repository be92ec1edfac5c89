"""The file of the ledger: opened, checked, and worked on in one thread.

SQLite is in exclusive mode: no other process can open the file meanwhile, there is no shared
memory file, and the write-ahead log works on any file system.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from scorer.errors import ConfigError, RetryableError
from scorer.ledger.schema import (
    ForeignFileError,
    NewerVersionError,
    migrate,
    pragma,
    version_of,
)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

# Trace ids, tenants, and what metrics keep.
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
# Only whoever looks at the file from outside can hold it, and not for long.
_BUSY_TIMEOUT_S: Final = 0.5
_CACHE_KIB: Final = 1024
_WAL_LIMIT: Final = 4 * 2**20
# Free pages are used again before the file grows; beyond that they are given back in steps.
_SPARE_PAGES: Final = 256
_SPARE_PART: Final = 4
_PAGES_A_STEP: Final = 1024
# The second is a table that is not there.
_DAMAGED: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR}


class DamagedError(Exception):
    """The file holds what nobody wrote; the text says what."""


class Database:
    """One connection in one thread; opening it blocks.

    Raises:
        ConfigError: The file cannot be opened, is damaged, is another's, was made by a newer
            release, or another process uses it.
    """

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._path = path
        self._is_closed = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        try:
            self._connection = self._executor.submit(self._open, durable).result()
        except BaseException:
            self._executor.shutdown()
            raise

    async def write(self, work: Work[T]) -> T:
        """Do work that changes something, and leaves nothing behind when it fails.

        Raises:
            RetryableError: The disk is full or fails, or the ledger is closed.
        """
        return await self._run(work, "written")

    async def read(self, work: Work[T]) -> T:
        """Do work that changes nothing.

        Raises:
            RetryableError: The disk fails, or the ledger is closed.
        """
        return await self._run(work, "read")

    def read_now(self, work: Work[T]) -> T:
        """Do work and wait for it: for the start, when there is nothing else to do.

        Raises:
            ConfigError: The file cannot be read, or is damaged.
            RetryableError: The ledger is closed.
        """
        self._refuse_when_closed()
        return self._executor.submit(self._checked, work).result()

    async def close(self) -> None:
        """Finish what was begun, and let another process have the file; safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._executor, self._connection.close)
        finally:
            self._executor.shutdown()

    def close_now(self) -> None:
        """Close, and wait for it; safe to call twice."""
        if not self._is_closed:
            self._is_closed = True
            self._executor.submit(self._connection.close).result()
            self._executor.shutdown()

    async def _run(self, work: Work[T], verb: str) -> T:
        self._refuse_when_closed()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._guarded, work, verb)

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise RetryableError("the ledger is closed: the service is stopping")

    def _guarded(self, work: Work[T], verb: str) -> T:
        try:
            return work(self._connection)
        except sqlite3.DatabaseError as error:
            # The others, such as wrong arguments, are mistakes of ours.
            if type(error) not in {sqlite3.DatabaseError, sqlite3.OperationalError}:
                raise
            raise RetryableError(
                f"the ledger cannot be {verb}: {error}; look after the disk of {self._path}"
            ) from error

    def _checked(self, work: Work[T]) -> T:
        try:
            return work(self._connection)
        except (sqlite3.DatabaseError, DamagedError) as error:
            raise self._unusable(error) from error

    def _open(self, durable: bool) -> sqlite3.Connection:
        try:
            return _connect(self._path, durable)
        except (OSError, sqlite3.Error, ForeignFileError, NewerVersionError, DamagedError) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> ConfigError:
        path, code = self._path, _code(error)
        if isinstance(error, ForeignFileError) or code == sqlite3.SQLITE_NOTADB:
            what = f"{path} is not a ledger; move it away, or name another folder"
        elif isinstance(error, NewerVersionError):
            what = f"the ledger {path} {error}; run the release that made it, or {_MOVE}"
        elif isinstance(error, DamagedError) or code in _DAMAGED:
            what = f"the ledger {path} is damaged ({error!s:.200}); {_MOVE}"
        elif code == sqlite3.SQLITE_BUSY:
            what = f"the ledger {path} is used by another process; stop it, or name another folder"
        else:
            reason = error.strerror if isinstance(error, OSError) else error
            what = f"cannot use the ledger {path}: {reason}; name a folder that may be written"
        return ConfigError(f"state_dir: {what}")


_MOVE = (
    "move it away, with the `-wal` file beside it: "
    "traces that were scored before may then be scored again"
)


def shrink(connection: sqlite3.Connection) -> None:
    """Give some free pages back to the disk, when there are many; raises sqlite3.Error."""
    free, pages = pragma(connection, "freelist_count"), pragma(connection, "page_count")
    if free > max(_SPARE_PAGES, pages // _SPARE_PART):
        # Not `execute`: that gives back one page and stops.
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_A_STEP})")


def _connect(path: Path, durable: bool) -> sqlite3.Connection:
    _make_file(path)
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        version = version_of(connection)
        _check(connection)
        _set_up(connection, durable, is_new=version == 0)
        migrate(connection, version)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_file(path: Path) -> None:
    path.parent.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    # Not opened when it is there: to close it again would drop the locks of this process.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _FILE_MODE))


def _set_up(connection: sqlite3.Connection, durable: bool, *, is_new: bool) -> None:
    if is_new:
        # Before the next, which begins the file.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")


def _check(connection: sqlite3.Connection) -> None:
    """Look at every page, at each start: it is quick, and no clean end keeps a disk from rotting.

    Raises:
        DamagedError: Something is not as it should be.
    """
    (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise DamagedError(" ".join(str(result).split()))


def _code(error: Exception) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    # The low byte is the kind, the rest says more.
    return None if code is None else code & 0xFF
