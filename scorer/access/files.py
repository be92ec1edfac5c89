"""Secrets in files: read whole, within bounds, and again when they change."""

import logging
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

from scorer.errors import ConfigError

MAX_BYTES: Final = 4 * 2**20
"""Most that a file may hold; some thousand certificates, or tokens."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO

_log = logging.getLogger(__name__)

T = TypeVar("T")


def read_file(path: str, key: str) -> bytes:
    """Return what a file holds; `key` is its place in the configuration.

    Raises:
        ConfigError: It is no regular file, cannot be read, or has more than `MAX_BYTES`.
    """
    try:
        # Opening a pipe would wait for its writer, and the whole service with it.
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise ConfigError(f"{key}: {path} is not a regular file; name one")
        with Path(path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"{key}: cannot read {path!r}: {why}; name a file that is there"
        ) from error
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{key}: {path} has more than {MAX_BYTES} bytes; is it the right file?")
    return content


def warn_if_others_can_read(path: str, key: str) -> None:
    """Log a line when more than the owner of a secret file has rights on it."""
    if os.name != "posix":
        return
    try:
        mode = stat.S_IMODE(Path(path).stat().st_mode)
    except OSError:  # taken away just now
        return
    if mode & _OTHERS:
        _log.warning(
            "%s: others than its owner may use %s (mode %03o); chmod 600 it", key, path, mode
        )


class Reread(Generic[T]):
    """What was made of files, made anew when one of them changes; a bad change keeps the old.

    `make` reads the files and raises ConfigError; `what` begins the lines in the log.
    """

    def __init__(self, paths: Sequence[str], make: Callable[[], T], what: str) -> None:
        """Make it for the first time; raises ConfigError."""
        self._paths = tuple(paths)
        self._make = make
        self._what = what
        self._complaint: str | None = None
        # Looked at before reading: a change while we read is then seen the next time.
        self._seen = self._look()
        self.newest: T = make()

    def reload(self) -> None:
        """Look at the files, and read them when one has changed; never raises ConfigError."""
        seen = self._look()
        if seen == self._seen:
            return
        try:
            self.newest = self._make()
        except ConfigError as error:
            # Tried again the next time, for not every reason shows in the look of a file.
            self._complain(str(error))
        else:
            self._seen, self._complaint = seen, None
            _log.info("%s: read again", self._what)

    def _complain(self, text: str) -> None:
        if text != self._complaint:
            _log.error("%s: what was read before stays in force: %s", self._what, text)
        self._complaint = text

    def _look(self) -> tuple[tuple[int, ...] | None, ...]:
        return tuple(map(_stamp, self._paths))


def _stamp(path: str) -> tuple[int, ...] | None:
    """Return what differs when a file was written or replaced; None = it is not there."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    # A copy that keeps the time of the original still has a new change time.
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)
