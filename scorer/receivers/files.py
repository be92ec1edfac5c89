"""Stored spans as a source: files, folders and streams.

The requests of all files are merged by the time that is in them, so that rotated files and
the trace and log files of one folder are read as if they had arrived together. A file is
open only while its times overlap with what is being read.

A file that was named must be readable. What cannot be read of a folder is left out and
reported, and so is a source that yields nothing; it is an error when no source yields anything.
"""

import heapq
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.errors import PermanentError
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace
from scorer.otlp.split import split_logs, split_traces
from scorer.otlp.stored import StoredProblem, StoredRequest, read_requests
from scorer.receivers.sources import SourceFile, find_files, label
from scorer.scoring.readings.join import Readings

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
    OTLP. `bytes_read` of `bytes_total` says how far the reading is (0 of 0 for streams).
    """

    def __init__(self, sources: Sequence[str]) -> None:
        """Find the files, without opening any.

        Raises:
            ConfigError: A source does not exist, or is a stream that is named twice.
        """
        found = list(find_files(sources))
        self.files = tuple(item for item in found if isinstance(item, SourceFile))
        self.problems = [item for item in found if isinstance(item, StoredProblem)]
        self.skipped: list[str] = []
        self.bytes_total = sum(file.size for file in self.files)
        self._sources = tuple(dict.fromkeys(sources))
        self._fruitful: set[SourceFile] = set()
        self._bytes_done = 0
        self._active: dict[int, _Stream] = {}

    @property
    def files_read(self) -> int:
        """Files that held OTLP."""
        return len(self._fruitful)

    @property
    def bytes_read(self) -> int:
        """Bytes of files that were read."""
        return self._bytes_done + sum(_position(stream.file) for stream in self._active.values())

    def requests(self) -> Generator[StoredRequest, None, None]:
        """Yield the requests.

        Raises:
            PermanentError: A named file cannot be read, or nothing can be read at all.
        """
        try:
            waiting = sorted((self._first_time(i), i) for i in range(len(self.files)))
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
                    self._fruitful.add(self.files[index])
                    yield item
                self._advance(index, heads)
            self._report_barren_sources()
        finally:
            for stream in self._active.values():
                stream.file.close()

    def _first_time(self, index: int) -> int:
        """Return the time of a file's first item; 0 for what must be opened first."""
        source = self.files[index]
        if source.is_stream:
            return 0
        try:
            file = source.open()
        except OSError:
            return 0
        with file:
            return _time(self._next(index, read_requests(file, source.label)))

    def _open(self, index: int, heads: list[tuple[int, int]]) -> None:
        source = self.files[index]
        try:
            file = source.open()
        except OSError as error:
            why = error.strerror or str(error)
            if source.is_named:
                raise PermanentError(f"{source.label}: {why}") from error
            self.problems.append(StoredProblem(source.path, 0, why))
            return
        self._hold(index, file, read_requests(file, source.label), heads)

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
        source = self.files[index]
        try:
            return next(items, None)
        except PermanentError:
            if source.is_named:
                raise
            self.skipped.append(source.path)
            self.problems = [problem for problem in self.problems if problem.name != source.path]
            return None

    def _report_barren_sources(self) -> None:
        """Say which sources gave nothing; raises PermanentError when none gave anything."""
        fruitful = {file.source for file in self._fruitful}
        barren = [s for s in self._sources if s not in fruitful]
        found = [StoredProblem(label(source), 0, self._why_barren(source)) for source in barren]
        if not fruitful:
            raise PermanentError(f"nothing can be read: {'; '.join(map(str, found))}")
        self.problems += found

    def _why_barren(self, source: str) -> str:
        files = [file for file in self.files if file.source == source]
        if any(file.is_named for file in files):
            return "it is empty"
        problem = next((p for p in self.problems if Path(p.name).is_relative_to(source)), None)
        why = (
            f"none of its files holds OTLP ({len(files)} looked at)"
            if files
            else "no file is in it"
        )
        return f"{why}; {problem}" if problem else why


def collect(files: StoredFiles, readings: Readings | None = None) -> list[ClosedTrace]:
    """Return every trace of stored files whole, without any timer, in order of start.

    `readings` gives them what the metrics in the files say of them.

    What could not be read is then in `files.problems` and `files.skipped`.

    Raises:
        PermanentError: A named file cannot be read, or nothing can be read at all.
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
    for offset, request in enumerate(files.requests()):
        position = Position("files", 0, offset)
        if request.signal == "traces":
            spans = split_traces(request.body).spans
            for span in spans:
                starts.setdefault(span.trace_id, span.end_ns)
                starts[span.trace_id] = min(starts[span.trace_id], span.end_ns)
            assembler.push(spans, position, 0.0)
        elif request.signal == "logs":
            assembler.push_logs(split_logs(request.body).records, position, 0.0)
        elif readings is not None:
            readings.take(readings.wanted(request.body), "")
    closed = assembler.drain(0.0, "replay_end")
    if readings is not None:
        closed = readings.attach(closed)
    return sorted(closed, key=lambda trace: starts.get(trace.trace_id, _NO_LIMIT))


def _position(file: BinaryIO) -> int:
    try:
        return file.tell()
    except (OSError, ValueError):
        return 0


def _time(item: Item | None) -> int:
    return item.time_ns if isinstance(item, StoredRequest) else 0
