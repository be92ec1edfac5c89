import asyncio
import errno
import os

import pytest

from scorer.errors import ConfigError, RetryableError
from scorer.journal import Journal, Record
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE
from scorer.telemetry import failpoints

KIB = 1024
PAYLOAD = b"x" * 1000


def raising(code, text):
    def fail(*_):
        raise OSError(code, text)

    return fail


FULL = raising(errno.ENOSPC, "No space left on device")
BROKEN = raising(errno.EIO, "Input/output error")


def replayed(journal):
    return [record.offset for record in journal.replay()]


@pytest.fixture
def syncs(monkeypatch):
    """The calls of fdatasync and fsync, in order, each done."""
    calls = []
    for name in ("fdatasync", "fsync"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda fd, name=name, real=real: (calls.append(name), real(fd))
        )
    return calls


async def test_batch_syncs_once_for_many_and_the_folder_when_it_changed(open_journal, syncs):
    """The name of a new segment must be as durable as what it holds."""
    journal = open_journal(fsync="batch")
    offsets = [journal.append(b"payload") for _ in range(20)]
    assert syncs == []
    await asyncio.gather(*(journal.synced(offset) for offset in offsets))
    assert syncs == ["fdatasync", "fsync"]
    await journal.synced(journal.append(b"payload"))
    assert syncs == ["fdatasync", "fsync", "fdatasync"]
    assert journal.synced_count == 2


async def test_batch_syncs_sealed_segments_too(open_journal, syncs):
    """A record may have been appended before its segment was full."""
    journal = open_journal(fsync="batch")
    for _ in range(8):
        offset = journal.append(PAYLOAD)
    assert journal.segments == 3
    await journal.synced(offset)
    assert syncs == ["fdatasync", "fdatasync", "fdatasync", "fsync"]


async def test_always_syncs_each_record_before_append_returns(open_journal, syncs):
    """Waiting then costs nothing."""
    journal = open_journal(fsync="always")
    offset = journal.append(b"payload")
    assert syncs == ["fdatasync", "fsync"]
    journal.append(b"payload")
    assert syncs == ["fdatasync", "fsync", "fdatasync"]
    await journal.synced(offset)
    assert len(syncs) == journal.synced_count + 1 == 3


async def test_off_never_syncs(open_journal, syncs):
    """Neither records, nor deletions, nor at the end."""
    journal = open_journal(fsync="off")
    for _ in range(9):
        await journal.synced(journal.append(PAYLOAD))
    journal.release(8)
    journal.close()
    assert syncs == []
    assert journal.synced_count == 0


def test_close_makes_durable_what_is_written(open_journal, syncs):
    """The next process may run after a power cut."""
    journal = open_journal(fsync="batch")
    journal.append(b"payload")
    journal.close()
    assert "fdatasync" in syncs


async def test_a_failed_sync_is_told_and_a_new_segment_begun(open_journal, monkeypatch):
    """The system tells of a failed write once; another sync of that file would pretend."""
    journal = open_journal(fsync="batch")
    await journal.synced(journal.append(b"safe"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", BROKEN)
        lost = journal.append(b"lost")
        with pytest.raises(RetryableError, match="not make records durable: Input/output error"):
            await journal.synced(lost)
    assert journal.problem == "the journal could not make records durable: Input/output error"
    with pytest.raises(RetryableError):
        await journal.synced(lost)
    assert journal.segments == 1
    after = journal.append(b"after")
    await journal.synced(after)
    with pytest.raises(RetryableError):
        await journal.synced(after, first=lost)  # a request may be several records
    assert (lost, after, journal.segments) == (2, 3, 2)
    assert replayed(journal) == [1, 2, 3]
    assert journal.damage == []


def test_a_record_that_always_could_not_sync_is_not_there(open_journal, monkeypatch):
    """Its sender was refused; its offset is not used again."""
    journal = open_journal(fsync="always")
    journal.append(b"safe")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", BROKEN)
        with pytest.raises(RetryableError, match="could not append a record"):
            journal.append(b"lost")
    assert journal.append(b"after") == 3
    assert replayed(journal) == [1, 3]
    again = open_journal(fsync="always")
    assert list(again.replay()) == [Record(1, b"safe"), Record(3, b"after")]
    assert again.damage == []


@pytest.mark.parametrize("call", ["pwritev", "posix_fallocate"])
def test_a_full_disk_refuses_and_everything_stays_readable(open_journal, monkeypatch, call):
    """It is no problem of the journal's, and goes away by itself."""
    journal = open_journal()
    for _ in range(3):
        journal.append(PAYLOAD)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, FULL)
        for _ in range(3):
            with pytest.raises(RetryableError, match="disk of the journal is full; free space"):
                journal.append(PAYLOAD)
    assert journal.problem is None
    assert journal.append(PAYLOAD) == 4
    assert replayed(journal) == [1, 2, 3, 4]
    again = open_journal()
    assert replayed(again) == [1, 2, 3, 4]
    assert again.damage == []


def test_a_broken_disk_refuses_and_is_remembered(open_journal, monkeypatch):
    """Somebody has to look after it."""
    journal = open_journal()
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwritev", BROKEN)
        with pytest.raises(RetryableError, match="could not append a record: Input/output error"):
            journal.append(PAYLOAD)
    assert journal.problem == "the journal could not append a record: Input/output error"
    assert journal.append(PAYLOAD) == 1


def test_a_segment_that_cannot_be_deleted_is_remembered(open_journal, monkeypatch, files):
    """The journal goes on, and finds it again at the next start."""
    journal = open_journal()
    for _ in range(9):
        journal.append(PAYLOAD)
    monkeypatch.setattr(journal._folder, "remove", raising(errno.EROFS, "Read-only file system"))
    journal.release(7)
    journal._housekeeping._executor.submit(int).result()
    assert journal.problem == "the journal could not delete a segment: Read-only file system"
    assert journal.segments == len(files()) == 3
    monkeypatch.undo()
    journal.release(7)
    journal.close()
    assert len(files()) == 1


def test_released_segments_are_deleted(open_journal, files):
    """The newest stays."""
    journal = open_journal()
    for _ in range(9):
        journal.append(PAYLOAD)
    assert (journal.segments, journal.oldest_offset) == (3, 1)
    journal.release(6)
    assert (journal.segments, journal.oldest_offset) == (2, 6)
    journal.close()
    assert journal.size_bytes == 2 * HEADER_SIZE + 6 * (RECORD_HEAD_SIZE + len(PAYLOAD))
    assert [int(path.stem) for path in files()] == [4, 7]
    assert replayed(open_journal()) == list(range(4, 10))


def test_a_replay_is_of_what_was_there_when_it_was_asked_for(open_journal):
    """Records that come while it runs are not in it, and released ones no longer."""
    journal = open_journal()
    for _ in range(9):
        journal.append(PAYLOAD)
    replay = journal.replay()
    assert next(replay).offset == 1
    journal.append(PAYLOAD)
    journal.release(8)
    journal._housekeeping._executor.submit(int).result()
    assert [record.offset for record in replay] == [8, 9]
    assert journal.damage == []


def test_a_segment_that_vanished_is_damage(open_journal, files):
    """Nobody released it."""
    journal = open_journal()
    for _ in range(9):
        journal.append(PAYLOAD)
    files()[1].unlink()
    assert replayed(journal) == [1, 2, 3, 7, 8, 9]
    (damage,) = journal.damage
    assert (damage.file, damage.bytes_lost > 3000) == (f"{4:020d}.seg", True)


def test_a_journal_counts_what_it_does(open_journal):
    """Bytes in use, not bytes preallocated."""
    journal = open_journal()
    sizes = [journal.size_bytes]
    for _ in range(2):
        journal.append(PAYLOAD)
        sizes.append(journal.size_bytes)
    assert sizes == [0, 1100, 2120]
    assert journal.appended_records == 2
    again = open_journal()
    assert (again.size_bytes, again.appended_records) == (2120, 0)


def test_it_passes_its_failpoints(open_journal, monkeypatch):
    """A record is written, a flush is about to begin."""
    passed = []
    monkeypatch.setattr(failpoints, "failpoint", passed.append)
    open_journal(fsync="always").append(b"payload")
    journal = open_journal(fsync="batch")
    offset = journal.append(b"payload")
    asyncio.run(journal.synced(offset))
    assert passed == ["in_group_commit", "after_append", "after_append", "in_group_commit"]


async def test_closed_it_refuses(open_journal):
    """What was durable stays so; to release is too late, and harmless."""
    journal = open_journal(fsync="batch")
    offset = journal.append(b"payload")
    journal.close()
    journal.close()
    await journal.synced(offset)
    journal.release(5)
    with pytest.raises(RetryableError, match="closed"):
        journal.append(b"payload")


async def test_nobody_waits_for_a_record_that_was_not_appended(open_journal):
    """It would be for ever."""
    with pytest.raises(ValueError, match="no record 1 was appended"):
        await open_journal(fsync="batch").synced(1)


def test_two_journals_cannot_share_a_folder(open_journal, tmp_path):
    """The key of the configuration is in the error."""
    open_journal()
    with pytest.raises(ConfigError, match=r"^journal\.path: .* is used by another process"):
        Journal(tmp_path / "journal", fsync="off", max_size=KIB)


def test_a_folder_that_cannot_be_listed_is_an_error_of_configuration(tmp_path, monkeypatch):
    """And it is not left locked."""
    with monkeypatch.context() as patch:
        patch.setattr("scorer.journal.folder.Folder.listing", BROKEN)
        with pytest.raises(ConfigError, match=r"cannot use .*: Input/output error"):
            Journal(tmp_path, fsync="off", max_size=KIB)
    Journal(tmp_path, fsync="off", max_size=KIB).close()


def test_what_is_released_leaves_nothing_behind_at_the_end(open_journal, tmp_path):
    """A closed journal holds what may still be needed, and the offsets go on."""
    journal = open_journal()
    journal.append(b"said by a user")
    journal.append(b"said by an agent")
    journal.release(2)
    journal.close()
    assert any(b"said by" in path.read_bytes() for path in tmp_path.rglob("*.seg"))
    journal = open_journal()
    journal.release(3)
    journal.close()
    assert not any(b"said by" in path.read_bytes() for path in tmp_path.rglob("*.seg"))
    assert open_journal().append(b"more") == 3
