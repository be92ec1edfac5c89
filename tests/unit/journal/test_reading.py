import os

import pytest

from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE, encode_record_head, new_header
from scorer.journal.log import Record
from scorer.journal.reading import OPEN_END, Damage, SegmentReader, is_blank, read_segment

HEADER = new_header(1, 1)


def record(offset, payload):
    return encode_record_head(HEADER, offset, payload) + payload


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a segment of the given bytes."""

    def read_it(*parts, end=OPEN_END):
        path = tmp_path / "segment"
        path.write_bytes(HEADER.encode() + b"".join(parts))
        fd = os.open(path, os.O_RDONLY)
        try:
            return list(SegmentReader(fd, "segment", HEADER, end).read())
        finally:
            os.close(fd)

    return read_it


def test_records_are_read_in_order_up_to_the_zeros(read):
    """What was preallocated and not written is no damage."""
    items = read(record(1, b"one"), record(2, b""), record(3, b"\0" * 9), b"\0" * 1000)
    assert items == [Record(1, b"one"), Record(2, b""), Record(3, b"\0" * 9)]


def test_damage_is_passed_over_and_told_with_its_place(read):
    """Reading goes on at the next whole record."""
    broken = bytearray(record(2, b"two"))
    broken[-1] ^= 1
    items = read(record(1, b"one"), broken, record(3, b"three"))
    place = HEADER_SIZE + RECORD_HEAD_SIZE + 3
    damage = Damage("segment", place, len(broken), "record 2 is not readable")
    assert items == [Record(1, b"one"), damage, Record(3, b"three")]
    assert str(damage) == f"segment at byte {place}, 23 bytes: record 2 is not readable"


def test_a_record_is_found_across_the_edge_of_what_is_read_at_once(read):
    """The search reads in pieces; a marker may lie on an edge."""
    for filler in range(256 * 1024 - 5, 256 * 1024 + 3):
        *_, last = read(b"x" * filler, record(5, b"five"))
        assert last == Record(5, b"five")


def test_a_whole_record_with_an_offset_that_cannot_be_here_is_none(read):
    """Neither one that was read already, nor one from behind the end."""
    items = read(record(1, b"a"), record(1, b"again"), record(9, b"far"), record(2, b"b"), end=5)
    assert [item for item in items if isinstance(item, Record)] == [
        Record(1, b"a"),
        Record(2, b"b"),
    ]


def test_a_record_of_another_segment_is_none(read):
    """A payload may hold the bytes of a record; it has not this segment's marker."""
    other = new_header(1, 1)
    fake = encode_record_head(other, 1, b"fake") + b"fake"
    broken = bytearray(record(1, fake))
    broken[4] ^= 1
    items = read(broken, record(2, b"two"))
    assert [item for item in items if isinstance(item, Record)] == [Record(2, b"two")]


def test_missing_records_are_told(read):
    """Between two whole records, and before the end that is known."""
    first, gap, third, rest = read(record(1, b"a"), record(3, b"c"), end=7)
    assert (first, third) == (Record(1, b"a"), Record(3, b"c"))
    assert gap.what == "record 2 is missing"
    assert (rest.what, rest.bytes_lost) == ("records 4 to 6 are missing", 0)


def test_reading_stops_at_the_known_end(read):
    """What stands behind was never acknowledged."""
    assert read(record(1, b"a"), b"rubbish", end=2) == [Record(1, b"a")]


def test_bytes_between_two_records_are_damage_although_none_is_missing(read):
    """Something was written there that should not be."""
    _, damage, _ = read(record(1, b"a"), b"rubbish", record(2, b"b"))
    assert (damage.bytes_lost, damage.what) == (7, "bytes that are no record, before record 2")


def test_an_unfinished_record_at_the_end_is_torn(read):
    """It is told as what it is; anything else behind the last record is not."""
    (torn,) = read(record(1, b"payload")[:-2])
    assert torn.what == "record 1 was not written to its end; cut off"
    broken = record(1, b"payload")[:-1] + b"!"
    (torn,) = read(broken)
    assert torn.what == "record 1 was not written to its end; cut off"
    (other,) = read(broken + b"x")
    assert other.what == "nothing is readable from here, where record 1 would be"
    (other,) = read(b"x" * 100)
    assert other.what == "nothing is readable from here, where record 1 would be"


def test_a_length_that_leads_beyond_the_file_reads_nothing(read):
    """It costs no memory either."""
    head = bytearray(record(1, b"a"))
    head[4:8] = b"\xff\xff\xff\xff"
    items = read(head, record(2, b"b"))
    assert items[-1] == Record(2, b"b")


def test_what_the_disk_does_not_give_is_damage(read, monkeypatch):
    """An error of the disk in one place does not hide the records in others."""
    pread = os.pread
    bad = HEADER_SIZE + 1000

    def failing(fd, size, at):
        if at <= bad < at + size:
            raise OSError(5, "Input/output error")
        return pread(fd, size, at)

    monkeypatch.setattr(os, "pread", failing)
    items = read(record(1, b"one"), record(2, b"x" * 5000), record(3, b"three"))
    assert [item.offset for item in items if isinstance(item, Record)] == [1, 3]
    assert items[-1].what == "the disk does not give it: Input/output error"


def test_a_segment_without_header_is_one_damage(tmp_path):
    """Nothing in it can be told from noise."""
    path = tmp_path / "segment"
    path.write_bytes(b"x" * 500)
    fd = os.open(path, os.O_RDONLY)
    (damage,) = read_segment(fd, "segment", 10)
    os.close(fd)
    assert damage == Damage("segment", 0, 500, "it has no readable header of a segment")


@pytest.mark.parametrize(
    ("data", "expected"), [(b"", True), (b"\0" * 300_000, True), (b"\0" * 300_000 + b"1", False)]
)
def test_a_file_of_zeros_is_blank(tmp_path, data, expected):
    """However long it is."""
    path = tmp_path / "file"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    assert is_blank(fd) is expected
    os.close(fd)
