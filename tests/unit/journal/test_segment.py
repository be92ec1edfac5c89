import errno
import os

import pytest

from scorer.journal.folder import Folder
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE
from scorer.journal.log import Record
from scorer.journal.reading import read_segment
from scorer.journal.segment import BrokenSegmentError, create_segment

CAPACITY = 8192


@pytest.fixture
def folder(tmp_path):
    folder = Folder(tmp_path, "journal.path")
    yield folder
    folder.close()


@pytest.fixture
def segment(folder):
    segment = create_segment(folder, 5, 5, CAPACITY)
    yield segment
    segment.close()


def items(folder, end=2**62):
    fd = folder.open(5, os.O_RDONLY)
    try:
        return list(read_segment(fd, "segment", end))
    finally:
        os.close(fd)


def size(folder):
    return (folder.path / f"{5:020d}.seg").stat().st_size


def test_a_segment_is_preallocated_and_cut_when_it_is_closed(folder):
    """A write finds its blocks there; what is not needed is given back."""
    segment = create_segment(folder, 5, 5, CAPACITY)
    assert size(folder) == CAPACITY
    segment.append(5, b"payload")
    segment.sync()
    segment.close()
    assert size(folder) == HEADER_SIZE + RECORD_HEAD_SIZE + 7


def test_records_follow_each_other(folder, segment):
    """`position` and `end` go with them."""
    segment.append(5, b"one")
    segment.append(6, b"")
    assert (segment.first, segment.end) == (5, 7)
    assert segment.position == HEADER_SIZE + 2 * RECORD_HEAD_SIZE + 3
    assert items(folder) == [Record(5, b"one"), Record(6, b"")]


def test_a_payload_fits_up_to_the_last_byte(segment):
    """The head of its record counts."""
    room = CAPACITY - HEADER_SIZE - RECORD_HEAD_SIZE
    assert segment.has_room(room)
    assert not segment.has_room(room + 1)


def test_the_record_appended_last_can_be_taken_back(folder, segment):
    """It is not read any more."""
    segment.append(5, b"one")
    segment.append(6, b"two")
    segment.take_back_last(6, b"two")
    assert items(folder) == [Record(5, b"one")]
    assert segment.end == 6


def test_what_the_system_takes_in_parts_is_written_whole(folder, segment, monkeypatch):
    """A short write is no error."""
    pwritev, pwrite = os.pwritev, os.pwrite
    monkeypatch.setattr(os, "pwritev", lambda fd, parts, at: pwritev(fd, [parts[0][:9]], at))
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: pwrite(fd, data[:7], at))
    segment.append(5, bytes(range(200)))
    assert items(folder) == [Record(5, bytes(range(200)))]


def half_write(error):
    """Return a pwritev that writes half, and a pwrite that fails."""
    pwritev = os.pwritev

    def half(fd, parts, at):
        return pwritev(fd, [parts[0], parts[1][: len(parts[1]) // 2]], at)

    def fail(*_):
        raise error

    return half, fail


def test_a_record_that_could_not_be_written_whole_is_taken_back(folder, segment, monkeypatch):
    """The next one goes where it would have stood."""
    segment.append(5, b"one")
    with monkeypatch.context() as patch:
        half, fail = half_write(OSError(errno.ENOSPC, "No space left on device"))
        patch.setattr(os, "pwritev", half)
        patch.setattr(os, "pwrite", fail)
        with pytest.raises(OSError, match="No space left"):
            segment.append(6, b"x" * 100)
    assert items(folder) == [Record(5, b"one")]
    segment.append(6, b"two")
    assert items(folder) == [Record(5, b"one"), Record(6, b"two")]


def test_a_segment_is_broken_when_a_record_cannot_be_taken_back(segment, monkeypatch):
    """Nobody knows what stands at its end."""
    half, fail = half_write(OSError(errno.EIO, "Input/output error"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwritev", half)
        patch.setattr(os, "pwrite", fail)
        patch.setattr(os, "ftruncate", fail)
        with pytest.raises(BrokenSegmentError, match="Input/output error"):
            segment.append(5, b"x" * 100)


@pytest.mark.parametrize("code", [errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS])
def test_without_preallocation_it_works_too(folder, monkeypatch, code):
    """Not every file system has it."""

    def refuse(*_):
        raise OSError(code, "no")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    segment = create_segment(folder, 5, 5, CAPACITY)
    assert size(folder) == HEADER_SIZE
    segment.append(5, b"one")
    assert items(folder) == [Record(5, b"one")]
    segment.close()


def test_a_segment_that_could_not_be_made_leaves_nothing(folder, monkeypatch):
    """A full disk is not filled further."""

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(OSError, match="No space left"):
        create_segment(folder, 5, 5, CAPACITY)
    assert [path.name for path in folder.path.iterdir()] == ["lock"]
    create_segment(folder, 5, 5, CAPACITY, preallocate=False).close()
