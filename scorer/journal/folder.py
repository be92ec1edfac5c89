"""The folder of a journal: one process at a time, its files and their names."""

import errno
import fcntl
import os
import re
from contextlib import suppress
from pathlib import Path

from scorer.errors import ConfigError
from scorer.journal.format import OFFSET_LIMIT

_LOCK = "lock"
_NEW = "new.tmp"
_SUFFIX = ".seg"
_NAME = re.compile(r"(\d{20})\.seg", re.ASCII)

# Spans hold what users said.
_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


class Folder:
    """A locked folder of segment files; `key` is its place in the configuration.

    Raises:
        ConfigError: Another process uses the folder, or it cannot be made or written.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        try:
            path.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, _FILE_MODE)
        except OSError as error:
            raise ConfigError(
                f"{key}: cannot use {path}: {error.strerror}; name a folder that may be written"
            ) from error
        try:
            self._take_lock(key)
            with suppress(FileNotFoundError):
                (path / _NEW).unlink()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let another process have it."""
        os.close(self._lock)
        os.close(self._fd)

    def sync(self) -> None:
        """Make durable which files there are; raises OSError."""
        os.fsync(self._fd)

    def listing(self) -> tuple[list[int], list[str]]:
        """Return the first offsets of the segments in order, and names that only look so."""
        names = sorted(path.name for path in self.path.iterdir() if path.suffix == _SUFFIX)
        offsets = {name: _offset(name) for name in names}
        return (
            [offset for offset in offsets.values() if offset is not None],
            [name for name, offset in offsets.items() if offset is None],
        )

    def open(self, first: int, flags: int) -> int:
        """Open a segment; raises OSError."""
        return os.open(self.path / name_of(first), flags)

    def open_new(self) -> int:
        """Open a file that is no segment until it is published; raises OSError."""
        return os.open(self.path / _NEW, os.O_RDWR | os.O_CREAT | os.O_TRUNC, _FILE_MODE)

    def publish(self, first: int) -> None:
        """Make the new file a segment: it has a header, or it is none; raises OSError."""
        (self.path / _NEW).rename(self.path / name_of(first))

    def discard_new(self) -> None:
        """Take back a new file that was not published."""
        with suppress(OSError):
            (self.path / _NEW).unlink()

    def remove(self, first: int) -> None:
        """Delete a segment, if it is there; raises OSError."""
        with suppress(FileNotFoundError):
            (self.path / name_of(first)).unlink()

    def _take_lock(self, key: str) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise ConfigError(f"{key}: cannot lock {self.path}: {error.strerror}") from error
            raise ConfigError(
                f"{key}: {self.path} is used by another process; stop it, or name another folder"
            ) from error


def name_of(first: int) -> str:
    """Return the file name of the segment that begins at an offset."""
    return f"{first:020d}{_SUFFIX}"


def _offset(name: str) -> int | None:
    match = _NAME.fullmatch(name)
    offset = int(match[1]) if match else OFFSET_LIMIT
    return offset if offset < OFFSET_LIMIT else None
