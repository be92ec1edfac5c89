"""Stored spans as a source: files, folders and standard input.

The requests of all files are merged by the time that is in them, so that rotated files and
the trace and log files of one folder are read as if they had arrived together. A file is
open only while its times overlap with what is being read.
"""

import heapq
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scorer.assembly.assembler import Assembler, AssemblerSettings
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.errors import ConfigError, PermanentError
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace
from scorer.otlp.split import split_logs, split_traces
from scorer.otlp.stored import StoredProblem, StoredRequest, read_requests

_FOREVER = 1e18
_NO_LIMIT = 2**62

Item = StoredRequest | StoredProblem


class _Stream(NamedTuple):
    """One open file and the item that was read from it last."""

    file: BinaryIO
    items: Iterator[Item]
    head: Item


class StoredFiles:
    """The requests of stored files, in order of time.

    `problems` collects what could not be read, `skipped` the files of folders that hold no
    OTLP. `bytes_read` of `bytes_total` says how far the reading is (0 of 0 for stdin).
    """

    def __init__(self, sources: Sequence[str]) -> None:
        """Find the files; raises ConfigError for a source that does not exist."""
        self._paths = tuple(path for source in sources for path in _expand(source))
        self.problems: list[StoredProblem] = []
        self.skipped: list[str] = []
        self.bytes_total = sum(_size(path) for path, _ in self._paths)
        self._opened = 0
        self._bytes_done = 0
        self._active: dict[int, _Stream] = {}

    @property
    def files_read(self) -> int:
        """Files that hold OTLP."""
        return self._opened - len(self.skipped)

    @property
    def bytes_read(self) -> int:
        """Bytes of files that were read."""
        return self._bytes_done + sum(_position(stream.file) for stream in self._active.values())

    def requests(self) -> Generator[StoredRequest, None, None]:
        """Yield the requests; raises PermanentError for a named file without any OTLP."""
        try:
            waiting = sorted((self._first_time(i), i) for i in range(len(self._paths)))
            waiting.reverse()
            heads: list[tuple[int, int]] = []
            while waiting or heads:
                while waiting and (not heads or waiting[-1][0] <= heads[0][0]):
                    self._open(waiting.pop()[1], heads)
                if not heads:
                    continue
                _, index = heapq.heappop(heads)
                item = self._active[index].head
                if isinstance(item, StoredProblem):
                    self.problems.append(item)
                else:
                    yield item
                self._advance(index, heads)
        finally:
            for stream in self._active.values():
                stream.file.close()

    def _first_time(self, index: int) -> int:
        """Return the time of a file's first item; 0 for what must be opened first."""
        path, _ = self._paths[index]
        if path == "-":
            return 0
        with Path(path).open("rb") as file:
            return _time(self._next(index, read_requests(file, path)))

    def _open(self, index: int, heads: list[tuple[int, int]]) -> None:
        path, _ = self._paths[index]
        file = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115 - it stays open
        items = read_requests(file, "standard input" if path == "-" else path)
        self._opened += 1
        self._hold(index, file, items, heads)

    def _advance(self, index: int, heads: list[tuple[int, int]]) -> None:
        stream = self._active.pop(index)
        self._hold(index, stream.file, stream.items, heads)

    def _hold(
        self, index: int, file: BinaryIO, items: Iterator[Item], heads: list[tuple[int, int]]
    ) -> None:
        """Keep a file with its next item, or finish it."""
        try:
            head = self._next(index, items)
        except PermanentError:
            file.close()
            raise
        if head is None:
            self._bytes_done += _position(file)
            file.close()
            return
        self._active[index] = _Stream(file, items, head)
        heapq.heappush(heads, (_time(head), index))

    def _next(self, index: int, items: Iterator[Item]) -> Item | None:
        """Return the next item; a file of a folder that holds no OTLP just ends."""
        path, is_named = self._paths[index]
        try:
            return next(items, None)
        except PermanentError:
            if is_named:
                raise
            if path not in self.skipped:
                self.skipped.append(path)
            self.problems = [problem for problem in self.problems if problem.name != path]
            return None


def collect(sources: Sequence[str]) -> list[ClosedTrace]:
    """Return every trace of the sources whole, without any timer, in order of start.

    Raises:
        ConfigError: a source does not exist.
        PermanentError: a named file holds no OTLP.
    """
    timers = Timers(_FOREVER, _FOREVER, _FOREVER)
    settings = AssemblerSettings(
        timers=timers,
        max_spans_per_trace=_NO_LIMIT,
        max_bytes_per_trace=_NO_LIMIT,
        max_tombstones=1,
    )
    assembler = Assembler(settings, MemoryBudget(_NO_LIMIT))
    starts: dict[bytes, int] = {}
    for offset, request in enumerate(StoredFiles(sources).requests()):
        position = Position("files", 0, offset)
        if request.signal == "traces":
            spans = split_traces(request.body).spans
            for span in spans:
                starts.setdefault(span.trace_id, span.end_ns)
                starts[span.trace_id] = min(starts[span.trace_id], span.end_ns)
            assembler.push(spans, position, 0.0)
        elif request.signal == "logs":
            assembler.push_logs(split_logs(request.body).records, position, 0.0)
    closed = assembler.drain(0.0, "replay_end")
    return sorted(closed, key=lambda trace: starts.get(trace.trace_id, _NO_LIMIT))


def _expand(source: str) -> Iterator[tuple[str, bool]]:
    """Yield (path, was it named) of the files of a source."""
    path = Path(source)
    if source == "-" or path.is_file():
        yield source, True
    elif path.is_dir():
        for child in sorted(path.rglob("*")):
            if child.is_file() and not child.name.startswith("."):
                yield str(child), False
    else:
        raise ConfigError(f"{source}: no such file or folder")


def _size(path: str) -> int:
    return 0 if path == "-" else Path(path).stat().st_size


def _position(file: BinaryIO) -> int:
    try:
        return file.tell()
    except (OSError, ValueError):
        return 0


def _time(item: Item | None) -> int:
    return item.time_ns if isinstance(item, StoredRequest) else 0
