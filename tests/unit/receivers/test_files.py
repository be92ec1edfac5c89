"""Reading sources: what is named must be readable, what lies in a folder may not be."""

import os
import threading
from pathlib import Path

import pytest

from scorer.errors import PermanentError
from scorer.receivers.files import StoredFiles, collect
from scorer.receivers.sources import SourceFile
from scorer.testing import TraceBuilder


def spans(number, **attributes):
    builder = TraceBuilder(number)
    builder.span("chat", **attributes)
    return builder.request()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "spans"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"{number}.pb").write_bytes(spans(number))
    return folder


@pytest.fixture
def unreadable(monkeypatch):
    """Files named `locked*` cannot be opened, as without the right to read them."""
    real = SourceFile.open

    def refuse(self):
        if Path(self.path).name.startswith("locked"):
            raise PermissionError(13, "Permission denied", self.path)
        return real(self)

    monkeypatch.setattr(SourceFile, "open", refuse)


def read(*sources):
    files = StoredFiles(list(map(str, sources)))
    return files, list(files.requests())


def test_an_unreadable_file_of_a_folder_is_told_and_left_out(folder, unreadable):
    """One file must not cost the others."""
    (folder / "locked.pb").write_bytes(spans(3))
    files, requests = read(folder)
    assert len(requests) == files.files_read == 2
    assert list(map(str, files.problems)) == [f"{folder}/locked.pb: Permission denied"]


def test_an_unreadable_named_file_is_an_error(folder, unreadable):
    """It was asked for."""
    (folder / "locked.pb").write_bytes(spans(3))
    with pytest.raises(PermanentError, match=r"locked\.pb: Permission denied"):
        read(folder / "locked.pb", folder)


def test_files_without_spans_are_skipped_in_folders(folder):
    """They are named."""
    (folder / "notes.txt").write_text("hello\n")
    files, _ = read(folder)
    assert files.skipped == [f"{folder}/notes.txt"]
    assert files.problems == []


def test_a_source_that_gives_nothing_is_told(folder, tmp_path):
    """A mistyped folder must not go unnoticed beside a good one."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.jsonl").write_text("\n\n\n")
    files, requests = read(tmp_path / "empty", folder, tmp_path / "empty.jsonl")
    assert len(requests) == 2
    assert list(map(str, files.problems)) == [
        f"{tmp_path}/empty: no file is in it",
        f"{tmp_path}/empty.jsonl: it is empty",
    ]


def test_nothing_at_all_is_an_error(tmp_path, unreadable):
    """A check over nothing must not pass; the error says what was there."""
    folder = tmp_path / "spans"
    folder.mkdir()
    with pytest.raises(PermanentError, match=r"nothing can be read: .*spans: no file is in it"):
        read(folder)
    (folder / "notes.txt").write_text("hello\n")
    (folder / "locked.pb").write_bytes(spans(3))
    with pytest.raises(PermanentError, match=r"none of its files .*2 .*locked\.pb: Permission"):
        read(folder)


def test_a_fifo_is_read_once_from_its_beginning(folder, tmp_path):
    """As the shell's `<(zcat x)` gives it: what a first look took would be gone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(spans(7),))
    writer.start()
    files, requests = read(folder, pipe)
    writer.join()
    assert len(requests) == 3
    assert files.files_read == 3


def test_whole_traces_come_with_what_could_not_be_read(folder):
    """`inspect` must not drop input silently."""
    (folder / "cut.pb").write_bytes(spans(3) + spans(4)[:-5])
    (folder / "notes.txt").write_text("hello\n")
    files = StoredFiles([str(folder)])
    traces = collect(files)
    assert len(traces) == 3
    assert [Path(problem.name).name for problem in files.problems] == ["cut.pb"]
    assert len(files.skipped) == 1
