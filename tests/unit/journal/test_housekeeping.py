import pytest

from scorer.journal.folder import Folder, name_of
from scorer.journal.housekeeping import Housekeeping
from scorer.journal.recovery import Sealed
from scorer.telemetry import failpoints


@pytest.fixture
def folder(tmp_path):
    folder = Folder(tmp_path, "journal.path")
    for first in (1, 2, 3):
        (tmp_path / name_of(first)).touch()
    yield folder
    folder.close()


class Closable:
    def __init__(self):
        self.is_closed = False

    def close(self):
        self.is_closed = True


OLD = [Sealed(1, 2, 9), Sealed(2, 3, 9)]


def fail(*_):
    raise OSError(30, "Read-only file system")


def work(folder, *jobs, durable=False):
    """Have jobs done; return what was reported: the first offset and the reason."""
    reports = []
    housekeeping = Housekeeping(
        folder,
        lambda segment, error: reports.append((segment.first, error and error.strerror)),
        durable=durable,
    )
    for to_close, to_delete in jobs:
        housekeeping.submit(to_close, to_delete)
    housekeeping.close()
    return reports


def test_segments_are_closed_and_deleted_and_reported(folder):
    """It is done when housekeeping is closed."""
    segment = Closable()
    assert work(folder, ([segment], OLD), durable=True) == [(1, None), (2, None)]
    assert segment.is_closed
    assert folder.listing()[0] == [3]


@pytest.mark.parametrize("durable", [True, False])
def test_the_folder_is_synced_before_and_after_when_deletions_must_last(
    folder, monkeypatch, durable
):
    """The newer file carries the offsets: it must be there before an older one goes."""
    events = []
    monkeypatch.setattr(folder, "sync", lambda: events.append("sync"))
    monkeypatch.setattr(folder, "remove", events.append)
    work(folder, ([], OLD), durable=durable)
    assert events == (["sync", 1, 2, "sync"] if durable else [1, 2])


def test_it_passes_its_failpoints(folder, monkeypatch):
    """Before the first deletion, and after it when there are more."""
    passed = []
    monkeypatch.setattr(failpoints, "failpoint", passed.append)
    work(folder, ([], OLD), ([], [Sealed(3, 4, 9)]))
    assert passed == ["before_trim", "during_trim", "before_trim"]


def test_nothing_is_deleted_after_what_could_not_be(folder, monkeypatch):
    """A gap would look like a loss; the reason is told for each."""
    monkeypatch.setattr(folder, "remove", fail)
    assert work(folder, ([], OLD)) == [(1, "Read-only file system"), (2, "Read-only file system")]
    assert folder.listing()[0] == [1, 2, 3]


def test_a_folder_that_cannot_be_synced_keeps_its_files(folder, monkeypatch):
    """Nothing says that the newer file is there."""
    monkeypatch.setattr(folder, "sync", fail)
    assert [first for first, error in work(folder, ([], OLD), durable=True) if error] == [1, 2]
    assert folder.listing()[0] == [1, 2, 3]


def test_nothing_to_do_starts_no_thread(folder):
    """An append that frees nothing costs nothing here."""
    housekeeping = Housekeeping(folder, pytest.fail, durable=False)
    housekeeping.submit([], [])
    assert not housekeeping._executor._threads
    housekeeping.close()
