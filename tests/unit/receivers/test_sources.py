"""Finding files behind sources."""

import os
import sys
from pathlib import Path

import pytest

from scorer.errors import ConfigError
from scorer.otlp.stored import StoredProblem
from scorer.receivers.sources import SourceFile, file_identity, find_files


def paths(*sources):
    return [item.path for item in find_files(list(map(str, sources)))]


@pytest.fixture
def folder(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "sub/c.jsonl", ".hidden", ".git/d.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return tmp_path


def test_a_folder_gives_its_files_without_hidden_ones(folder):
    """Also those of folders inside, in a fixed order."""
    found = [str(Path(path).relative_to(folder)) for path in paths(folder)]
    assert found == ["a.jsonl", "b.jsonl", "sub/c.jsonl"]
    assert all(
        not item.is_named and item.source == str(folder) for item in find_files([str(folder)])
    )


def test_a_named_file_may_be_hidden(folder):
    """It was asked for."""
    (file,) = find_files([str(folder / ".hidden")])
    assert (file.is_named, file.is_stream, file.size) == (True, False, 1)


def test_what_is_not_there_is_wrong_use(tmp_path):
    """The error names it."""
    with pytest.raises(ConfigError, match=r"gone: no such file or folder"):
        paths(tmp_path / "gone")


def test_fifos_and_standard_input_are_streams(tmp_path):
    """They are found without being opened, which would wait for a writer."""
    os.mkfifo(tmp_path / "pipe")
    named, stdin = find_files([str(tmp_path / "pipe"), "-"])
    assert named == SourceFile(str(tmp_path / "pipe"), str(tmp_path / "pipe"), is_stream=True)
    assert (stdin.is_stream, stdin.label) == (True, "standard input")


def test_a_stream_can_be_named_once(tmp_path):
    """The second reader would find nothing; a file can be read twice."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "alias").symlink_to(tmp_path / "pipe")
    for sources in (["-", "-"], [tmp_path / "pipe", tmp_path / "alias"]):
        with pytest.raises(ConfigError, match="named twice"):
            paths(*sources)
    (tmp_path / "file").write_text("x")
    assert len(paths(tmp_path / "file", tmp_path / "file")) == 2


def test_what_cannot_be_looked_at_in_a_folder_is_a_problem(folder):
    """Links to nowhere or in a circle, and what is no regular file."""
    (folder / "x1").symlink_to("x1")
    (folder / "x2").symlink_to("nowhere")
    os.mkfifo(folder / "x3")
    problems = [p for p in find_files([str(folder)]) if isinstance(p, StoredProblem)]
    assert [Path(problem.name).name for problem in problems] == ["x1", "x2", "x3"]
    assert [problem.message for problem in problems][:2] == [
        "Too many levels of symbolic links",
        "No such file or directory",
    ]


def test_a_folder_that_cannot_be_listed_is_a_problem(folder, monkeypatch):
    """The others are read."""
    real = os.scandir

    def scandir(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = list(find_files([str(folder)]))
    assert found[-1] == StoredProblem(str(folder / "sub"), 0, "Permission denied")
    assert len(found) == 3


def test_a_process_without_standard_input_is_a_clear_error(monkeypatch):
    """As after `<&-` in a shell."""
    monkeypatch.setattr(sys, "stdin", None)
    (file,) = find_files(["-"])
    with pytest.raises(OSError, match="closed"):
        file.open()


def test_one_file_has_one_identity(folder):
    """Under any name."""
    (folder / "link").symlink_to("a.jsonl")
    one, same, other = (file_identity(str(folder / n)) for n in ("a.jsonl", "link", "b.jsonl"))
    assert one == same != other
    assert file_identity(str(folder / "gone")) == str(folder / "gone")
