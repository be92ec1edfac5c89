import os
import subprocess
import sys

import pytest

from scorer.errors import ConfigError
from scorer.journal.folder import Folder, name_of

LOCK_IT = """
import sys
from pathlib import Path
from scorer.journal.folder import Folder
folder = Folder(Path(sys.argv[1]), "journal.path")
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    folder = Folder(tmp_path / "a" / "journal", "journal.path")
    yield folder
    folder.close()


def test_a_folder_is_made_for_its_owner_alone(folder):
    """What users said is nobody else's business."""
    assert folder.path.stat().st_mode & 0o777 == 0o700
    os.close(folder.open_new())
    assert (folder.path / "new.tmp").stat().st_mode & 0o777 == 0o600


def test_a_second_process_is_refused_and_told_which_folder(tmp_path):
    """Two writers would destroy each other's records; the lock ends with its process."""
    path = tmp_path / "journal"
    command = [sys.executable, "-c", LOCK_IT, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(ConfigError, match=f"^journal.path: {path} is used by another process"):
            Folder(path, "journal.path")
        other.kill()
    Folder(path, "journal.path").close()


def test_a_folder_that_cannot_be_made_is_an_error_of_configuration(tmp_path):
    """It names the key, the path and the reason."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"^x\.path: cannot use .*/file/journal: Not a directory"):
        Folder(tmp_path / "file" / "journal", "x.path")


def test_a_folder_that_cannot_be_locked_is_an_error_of_configuration(tmp_path, monkeypatch):
    """Some file systems have no locks."""

    def no_locks(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(ConfigError, match=r"cannot lock .*: No locks available"):
        Folder(tmp_path, "journal.path")


def test_segments_are_listed_by_their_first_offset(folder):
    """Names that only look like one are listed apart, others not at all."""
    for name in (name_of(20), name_of(3), "3.seg", "9" * 20 + ".seg", "note.txt", "lost+found"):
        (folder.path / name).touch()
    assert folder.listing() == ([3, 20], ["3.seg", "9" * 20 + ".seg"])


def test_a_new_file_is_a_segment_once_it_is_published(folder):
    """A crash before leaves nothing that looks like one."""
    os.close(folder.open_new())
    assert folder.listing() == ([], [])
    folder.publish(7)
    assert folder.listing() == ([7], [])
    folder.sync()
    folder.remove(7)
    folder.remove(7)
    assert folder.listing() == ([], [])


def test_what_was_begun_and_not_published_goes_away_at_the_next_start(tmp_path):
    """It may be as large as a segment."""
    folder = Folder(tmp_path, "journal.path")
    os.close(folder.open_new())
    folder.close()
    Folder(tmp_path, "journal.path").close()
    assert not (tmp_path / "new.tmp").exists()
