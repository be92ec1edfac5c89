"""Finds the files behind the sources that a command line names.

A source is a file, a folder, or a stream: standard input, a FIFO, or what a shell makes of
`<(command)`. A stream can be read once, so it must not be opened before it is read. Names that
start with a dot are left out of folders.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scorer.errors import ConfigError
from scorer.otlp.stored import StoredProblem

STDIN = "-"


class SourceFile(NamedTuple):
    """A file to read. `source` is what was named; `size` is 0 for a stream."""

    source: str
    path: str
    is_stream: bool = False
    size: int = 0

    @property
    def is_named(self) -> bool:
        """Whether the file itself was named, not a folder around it."""
        return self.path == self.source

    @property
    def label(self) -> str:
        """How messages call it."""
        return label(self.path)

    def open(self) -> BinaryIO:
        """Open it; raises OSError."""
        return standard_input() if self.path == STDIN else Path(self.path).open("rb")


def standard_input() -> BinaryIO:
    """Return standard input as bytes; raises OSError when the process has none."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def label(source: str) -> str:
    """Return how messages call a source."""
    return "standard input" if source == STDIN else source


def find_files(sources: Sequence[str]) -> Iterator[SourceFile | StoredProblem]:
    """Yield the files of the sources, and what in folders cannot be looked at.

    Raises:
        ConfigError: A source does not exist, or is a stream that is named twice.
    """
    streams = set()
    for source in sources:
        for found in _find(source):
            if isinstance(found, SourceFile) and found.is_stream:
                identity = file_identity(source)
                if identity in streams:
                    raise ConfigError(
                        f"{label(source)} is named twice, but can be read only once; name it once"
                    )
                streams.add(identity)
            yield found


def file_identity(path: str) -> tuple[int, int] | str:
    """Return what two names of one file have in common."""
    try:
        status = os.fstat(standard_input().fileno()) if path == STDIN else Path(path).stat()
    except (OSError, ValueError):  # io.UnsupportedOperation is both: stdin was replaced
        return path
    return status.st_dev, status.st_ino


def _find(source: str) -> Iterator[SourceFile | StoredProblem]:
    if source == STDIN:
        yield SourceFile(source, source, is_stream=True)
        return
    try:
        status = Path(source).stat()
    except OSError as error:
        why = "no such file or folder" if isinstance(error, FileNotFoundError) else error.strerror
        raise ConfigError(f"{source}: {why}") from error
    if stat.S_ISDIR(status.st_mode):
        yield from _walk(source)
    else:
        yield SourceFile(source, source, not stat.S_ISREG(status.st_mode), status.st_size)


def _walk(folder: str) -> Iterator[SourceFile | StoredProblem]:
    """Yield the files of a folder, sorted by path."""
    refused: list[StoredProblem] = []

    def refuse(error: OSError) -> None:
        refused.append(StoredProblem(str(error.filename), 0, str(error.strerror)))

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield _in_folder(folder, Path(parent) / name)
    yield from refused


def _in_folder(folder: str, path: Path) -> SourceFile | StoredProblem:
    try:
        status = path.stat()
    except OSError as error:
        return StoredProblem(str(path), 0, str(error.strerror))
    if not stat.S_ISREG(status.st_mode):
        return StoredProblem(str(path), 0, "it is no regular file; name it to have it read")
    return SourceFile(folder, str(path), size=status.st_size)
