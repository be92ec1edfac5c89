"""Files that are read again."""

import os
import stat

import pytest

from scorer.access.files import MAX_BYTES, Reread, read_file, warn_if_others_can_read
from scorer.errors import ConfigError


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "secret"
    file.write_text("one")
    return file


class Reader:
    """Makes text of a file; counts how often."""

    def __init__(self, path):
        self.path = path
        self.count = 0

    def __call__(self):
        self.count += 1
        text = read_file(str(self.path), "a.key").decode()
        if "bad" in text:
            raise ConfigError(f"a.key: {text}")
        return text


def test_a_file_is_read_again_when_it_changes_and_only_then(path):
    """What is made of it is made once for each state of the file."""
    reader = Reader(path)
    made = Reread([str(path)], reader, "a.key")
    made.reload()
    assert (made.newest, reader.count) == ("one", 1)
    path.write_text("three")
    made.reload()
    made.reload()
    assert (made.newest, reader.count) == ("three", 2)


def test_a_file_that_takes_the_place_of_another_is_a_change(path, tmp_path):
    """Also with the same size and the same time, as a copy may have it."""
    made = Reread([str(path)], Reader(path), "a.key")
    other = tmp_path / "new"
    other.write_text("two")
    times = path.stat()
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)
    made.reload()
    assert made.newest == "two"


def test_one_of_several_files_is_enough(path, tmp_path):
    """Certificate and key are looked at together."""
    other = tmp_path / "other"
    reader = Reader(path)
    made = Reread([str(path), str(other)], reader, "a.key")
    other.write_text("x")
    made.reload()
    assert (made.newest, reader.count) == ("one", 2)


def test_a_bad_change_keeps_the_old_and_is_told_once(path, lines):
    """The log says why, once for each reason, and that it is well again."""
    made = Reread([str(path)], Reader(path), "a.key")
    path.write_text("bad!")
    made.reload()
    made.reload()
    assert made.newest == "one"
    assert lines() == [("ERROR", "a.key: what was read before stays in force: a.key: bad!")]
    path.write_text("bad too")
    made.reload()
    assert lines() == [("ERROR", "a.key: what was read before stays in force: a.key: bad too")]
    path.write_text("good")
    made.reload()
    made.reload()
    assert made.newest == "good"
    assert lines() == [("INFO", "a.key: read again")]


def test_a_file_that_goes_away_keeps_the_old(path, lines):
    """A moment without the file does not lock everybody out."""
    made = Reread([str(path)], Reader(path), "a.key")
    path.unlink()
    made.reload()
    made.reload()
    assert made.newest == "one"
    ((level, text),) = lines()
    assert level == "ERROR"
    assert "cannot read" in text


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "nul", "large"])
def test_what_cannot_be_read_is_one_line_with_the_key(kind, tmp_path):
    """A pipe is not opened: that would wait for its writer."""
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(MAX_BYTES + 1)
    elif kind == "nul":
        path = tmp_path / "a\0b"
    with pytest.raises(ConfigError, match=r"^a\.key: ") as caught:
        read_file(str(path), "a.key")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("mode", "warned"), [(0o600, 0), (0o400, 0), (0o640, 1), (0o604, 1)])
def test_a_secret_that_others_can_read_is_a_warning(mode, warned, path, lines):
    """A line, not an error: some platforms mount secrets so."""
    path.chmod(mode)
    warn_if_others_can_read(str(path), "a.key")
    found = lines()
    assert len(found) == warned
    if found:
        assert f"mode {stat.S_IMODE(mode):03o}" in found[0][1]


def test_a_secret_that_is_gone_is_no_error_of_the_warning(path):
    """The next look tells that it is gone."""
    path.unlink()
    warn_if_others_can_read(str(path), "a.key")
