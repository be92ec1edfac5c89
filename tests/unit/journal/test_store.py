import errno
import os

import pytest

from scorer.errors import RetryableError, TooLargeError
from scorer.journal.folder import Folder
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE
from scorer.journal.recovery import recover
from scorer.journal.store import Store

KIB = 1024
PAYLOAD = b"x" * 1000
RECORD = RECORD_HEAD_SIZE + len(PAYLOAD)


@pytest.fixture
def make(tmp_path):
    """Return a function that makes a store in the folder of the test."""
    opened = []

    def make_it(*, max_size=1024 * KIB, segment_size=4 * KIB):
        while opened:
            close(opened[0])
        folder = Folder(tmp_path, "journal.path")
        opened.append(Store(folder, recover(folder), max_size, segment_size))
        return opened[-1]

    def close(store):
        tidy(store)
        store.seal()
        tidy(store)
        store._folder.close()
        opened.remove(store)

    yield make_it
    while opened:
        close(opened[0])


def tidy(store):
    """Do what housekeeping does."""
    for segment in store.to_close:
        segment.close()
    for segment in store.to_delete:
        store._folder.remove(segment.first)
        store.deleted(segment)
    store.to_close, store.to_delete = [], []


def fill(store, count):
    return [store.append(PAYLOAD) for _ in range(count)]


def refuse(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_segments_roll_when_a_record_does_not_fit(make):
    """Each holds what fits into its size; the sizes add up to the bytes in use."""
    store = make()
    assert fill(store, 9) == list(range(1, 10))
    assert [(s.first, s.end) for s in store.segments()] == [(1, 4), (4, 7), (7, 10)]
    assert store.size == 3 * HEADER_SIZE + 9 * RECORD
    assert store.is_folder_changed


def test_a_record_larger_than_a_segment_gets_one_of_its_own_size(make):
    """Also when the active segment is still empty."""
    store = make()
    store.append(b"y" * 50_000)
    assert store.active.capacity == HEADER_SIZE + RECORD_HEAD_SIZE + 50_000
    fill(store, 1)
    store.append(b"z" * 9_000)
    assert [(s.first, s.end) for s in store.segments()] == [(1, 2), (2, 3), (3, 4)]
    store.release(4)
    assert (store.active.first, store.active.end) == (4, 4)
    store.append(b"z" * 9_000)
    tidy(store)
    assert [(s.first, s.end) for s in store.segments()] == [(4, 5)]
    store.release(5)
    assert [s.first for s in store.to_delete] == [4]


def test_release_gives_up_whole_segments_below_the_mark(make):
    """A segment with one record that is needed stays."""
    store = make()
    fill(store, 9)
    store.release(6)
    assert [s.first for s in store.to_delete] == [1]
    assert store.oldest_offset == 6
    store.release(7)
    assert [s.first for s in store.to_delete] == [1, 4]
    assert [s.first for s in store.segments()] == [7]


def test_what_is_released_takes_up_room_until_it_is_deleted(make):
    """The cap is one of the disk; what cannot be deleted is tried again."""
    store = make()
    fill(store, 9)
    store.release(7)
    assert store.size == 3 * HEADER_SIZE + 9 * RECORD
    first, second = store.to_delete
    store.to_delete = []
    store.deleted(first)
    assert store.size == 2 * HEADER_SIZE + 6 * RECORD
    store.not_deleted(second)
    assert (store.size, store.oldest_offset) == (2 * HEADER_SIZE + 6 * RECORD, 7)
    store.release(7)
    assert store.to_delete == [second]


def test_the_mark_never_goes_back_nor_beyond_the_end(make):
    """Whatever the caller says."""
    store = make()
    fill(store, 2)
    store.release(99)
    assert store.low == 3
    store.release(1)
    assert store.low == 3
    assert fill(store, 1) == [3]
    assert store.oldest_offset == 3


def test_an_active_segment_that_is_released_is_renewed_when_over_half_full(make):
    """Before that it costs less to go on."""
    store = make()
    fill(store, 1)
    store.release(2)
    assert (store.active.first, store.to_delete) == (1, [])
    fill(store, 2)
    store.release(4)
    assert store.active.first == 4
    assert [s.first for s in store.to_delete] == [1]


def test_offsets_survive_when_everything_is_released(make):
    """The newest file carries them on."""
    store = make()
    fill(store, 3)
    store.release(4)
    for _ in range(2):
        store = make()
        assert (store.next_offset, store.size) == (4, 0)
    assert fill(store, 1) == [4]


def test_what_an_earlier_life_left_is_released_too(make):
    """A new segment takes over the offsets, so that the old can go."""
    fill(make(), 5)
    store = make()
    store.release(6)
    assert [s.first for s in store.to_delete] == [1, 4]
    assert store.active.first == 6


def test_the_size_is_capped_and_refuses_until_something_is_released(make):
    """It is no fault of the request."""
    store = make(max_size=16 * KIB)
    with pytest.raises(RetryableError, match=r"journal is full \(journal.max_size: 16384 bytes\)"):
        fill(store, 99)
    assert store.next_offset == 16
    assert store.size + RECORD > 16 * KIB - HEADER_SIZE
    store.release(4)
    tidy(store)
    assert fill(store, 3) == [16, 17, 18]


def test_a_full_journal_of_which_all_is_released_is_free_at_the_next_try(make):
    """Even when the active segment holds all of it, or an earlier life left it."""
    store = make(max_size=2 * RECORD + 3 * HEADER_SIZE, segment_size=64 * KIB)
    for _ in range(3):
        assert len(fill(store, 2)) == 2
        store.low = store.next_offset
        refused_once(store)
    fill(store, 2)
    store = make(max_size=2 * RECORD + 3 * HEADER_SIZE)
    store.low = store.next_offset
    refused_once(store)
    assert fill(store, 2) == [9, 10]


def refused_once(store):
    with pytest.raises(RetryableError):
        fill(store, 1)
    tidy(store)


def test_a_small_journal_has_small_segments(make):
    """Parts become free before all of it is full."""
    store = make(max_size=8 * KIB, segment_size=64 * KIB)
    fill(store, 2)
    assert store.active.capacity == 2 * KIB


def test_a_record_that_can_never_fit_is_too_large(make):
    """To send it again would not help."""
    with pytest.raises(TooLargeError, match="larger than the journal"):
        make(max_size=8 * KIB).append(b"x" * 8 * KIB)


def test_a_segment_that_cannot_be_begun_refuses_the_record_alone(make, monkeypatch):
    """The journal goes on when the disk has room again; no offset is lost."""
    store = make()
    fill(store, 3)
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", refuse)
        with pytest.raises(OSError, match="No space left"):
            fill(store, 1)
    assert fill(store, 1) == [4]


def test_a_full_disk_does_not_hinder_what_frees_it(make, monkeypatch):
    """A new segment is begun without preallocation, so that the old ones can go."""
    store = make()
    fill(store, 3)
    monkeypatch.setattr(os, "posix_fallocate", refuse)
    store.release(4)
    assert [s.first for s in store.to_delete] == [1]
    assert fill(store, 1) == [4]


def test_the_newest_file_stays_while_no_newer_one_can_be_begun(make, monkeypatch):
    """Else a crash would forget which offsets were used."""
    fill(make(), 3)
    store = make()
    monkeypatch.setattr(os, "pwritev", refuse)
    store.release(4)
    assert (store.active, store.to_delete) == (None, [])


def test_an_offset_that_may_have_been_written_is_not_used_again(make, monkeypatch):
    """A broken segment is ended; the gap is no damage."""
    store = make()
    fill(store, 1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwritev", refuse)
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(OSError, match="No space left"):
            fill(store, 1)
    assert store.active is None
    assert fill(store, 1) == [3]
    assert [(s.first, s.end) for s in store.segments()] == [(1, 2), (3, 4)]
    assert [(s.first, s.end) for s in make().segments()] == [(1, 2), (3, 4)]


def test_a_record_that_was_taken_back_is_gone_and_its_offset_used(make):
    """Its segment is ended too."""
    store = make()
    fill(store, 2)
    store.take_back(2, PAYLOAD)
    assert fill(store, 1) == [3]
    assert [(s.first, s.end) for s in store.segments()] == [(1, 2), (3, 4)]
