"""The scores file: one JSON object a line with the fields of `Score`, in close order."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from scorer.config import Config
from scorer.errors import ConfigError, RetryableError
from scorer.model.score import ScoredTrace
from scorer.model.score_json import encode_score


class ScoresFile:
    """Appends scores to a file; `key` names the setting that the path came from.

    Each write reaches the operating system before it returns, all of it or nothing, so that
    a write can be repeated after an error.

    Raises:
        ConfigError: the file cannot be opened.
    """

    def __init__(self, path: str | Path, *, key: str = "--scores", overwrite: bool = False) -> None:
        self._path = Path(path)
        try:
            # Unbuffered: what a failed write left in a buffer would come out later.
            self._file = self._path.open("wb" if overwrite else "ab", buffering=0)
            if _ends_inside_a_line(self._path):
                self._file.write(b"\n")
        except OSError as error:
            raise ConfigError(
                f"{key}: cannot write {self._path}: {error.strerror}; "
                "name a file in an existing folder that may be written"
            ) from error

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Append the scores of traces.

        Raises:
            RetryableError: the disk is full or fails; nothing of this write stays in the file.
        """
        lines = [encode_score(score) + b"\n" for trace in traces for score in trace.scores]
        if lines:
            self._append(b"".join(lines))

    async def close(self) -> None:
        """Close the file; safe to call twice."""
        self._file.close()

    def _append(self, data: bytes) -> None:
        start = self._file.tell() if self._file.seekable() else None
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            if start is not None:
                with suppress(OSError):
                    self._file.truncate(start)
                    self._file.seek(start)
            raise RetryableError(
                f"cannot write scores to {self._path}: {error.strerror}; free the disk"
            ) from error


class JsonlSink(ScoresFile):
    """The scores file of a running service, at `sinks.jsonl.path`."""

    def __init__(self, config: Config) -> None:
        path = config.sinks.jsonl.path
        if path is None:
            raise ConfigError("sinks.jsonl.path is not set; give the file to append scores to")
        super().__init__(path, key="sinks.jsonl.path")


def _ends_inside_a_line(path: Path) -> bool:
    """Whether a crash left half a line that the next score must not be glued to."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
