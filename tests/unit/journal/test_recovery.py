import os

import pytest

from scorer.journal.folder import name_of
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE
from scorer.journal.reading import Damage

PAYLOAD = b"x" * 980  # four of them fill a segment


def replayed(journal):
    return [record.offset for record in journal.replay()]


@pytest.fixture
def journal(open_journal):
    """A journal of three segments: offsets 1 to 4, 5 to 8, 9 to 10."""
    journal = open_journal()
    for _ in range(10):
        journal.append(PAYLOAD)
    journal.close()
    return journal


def reopen(open_journal):
    """Open and replay; check that a new record gets a new offset and is there the next time."""
    journal = open_journal()
    found = replayed(journal)
    added = journal.append(b"new")
    assert added > max([10, *found])
    again = open_journal()
    assert replayed(again) == [*found, added]
    assert again.append(b"newer") > added
    return found, journal.damage


def test_a_sound_folder_is_read_whole(journal, open_journal):
    """Offsets go on where they were."""
    again = open_journal()
    assert again.next_offset == 11
    assert replayed(again) == list(range(1, 11))
    assert again.damage == []


def test_an_empty_folder_begins_at_one(open_journal):
    """Nothing is written before there is a record."""
    journal = open_journal()
    assert (journal.next_offset, journal.oldest_offset, journal.segments) == (1, 1, 0)
    assert replayed(journal) == []


def test_a_torn_record_at_the_end_is_cut_off_and_told_once(journal, open_journal, files):
    """A kill in the middle of a write is nothing to worry about for ever."""
    last = files()[-1]
    os.truncate(last, last.stat().st_size - 1)
    found, damage = reopen(open_journal)
    assert found == list(range(1, 10))
    (torn,) = damage
    assert (torn.file, torn.what) == (last.name, "record 10 was not written to its end; cut off")
    assert open_journal().damage == []
    assert last.stat().st_size == HEADER_SIZE + RECORD_HEAD_SIZE + 980


def test_rubbish_at_the_end_is_left_for_a_look(journal, open_journal, files):
    """It may have been records: their offsets are not used again."""
    with files()[-1].open("ab") as file:
        file.write(b"rubbish" * 100 + bytes(5000))
    size = files()[-1].stat().st_size - 5000
    again = open_journal()
    assert again.next_offset == 11 + 700 // RECORD_HEAD_SIZE
    assert files()[-1].stat().st_size == size
    found, damage = reopen(open_journal)
    assert found == list(range(1, 11))
    assert [item.bytes_lost for item in damage] == [700]


def test_a_damaged_record_in_the_middle_is_told_by_the_replay(journal, open_journal, files):
    """File, place and length; a second replay tells nothing new."""
    place = HEADER_SIZE + RECORD_HEAD_SIZE + 980
    with files()[0].open("r+b") as file:
        file.seek(place + 500)
        file.write(b"y")
    again = open_journal()
    assert again.damage == []
    for _ in range(2):
        assert replayed(again) == [1, *range(3, 11)]
    lost = RECORD_HEAD_SIZE + 980
    assert again.damage == [Damage(name_of(1), place, lost, "record 2 is not readable")]


def test_a_missing_segment_is_told(journal, open_journal, files):
    """The one before ends too early."""
    files()[1].unlink()
    found, damage = reopen(open_journal)
    assert found == [1, 2, 3, 4, 9, 10]
    assert [(item.file, item.what) for item in damage] == [
        (name_of(1), "records 5 to 8 are missing")
    ]


@pytest.mark.parametrize("content", [b"", bytes(9999)])
@pytest.mark.parametrize("index", [1, 2])
def test_a_blank_segment_is_told_and_goes_away(journal, open_journal, files, content, index):
    """A power cut leaves one of a segment that was just begun; the newest carries the offsets."""
    path = files()[index]
    path.write_bytes(content)
    found, damage = reopen(open_journal)
    assert found == [offset for offset in range(1, 11) if (offset - 1) // 4 != index]
    assert Damage(path.name, 0, 0, "it was begun and never written") in damage
    assert path not in files()


def test_a_blank_segment_stays_while_it_is_the_newest(journal, open_journal, files):
    """Its name alone says which offsets were in use."""
    for path in files()[:-1]:
        path.unlink()
    files()[0].write_bytes(b"")
    next_offset = open_journal().next_offset
    assert next_offset > 9
    assert open_journal().next_offset == next_offset


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_foreign_file_is_told_and_left_as_it_is(journal, open_journal, files, index):
    """The journal starts without it, and releases it never."""
    path = files()[index]
    path.write_bytes(b"SPANJRNL\2\0\0\0 of a later release")
    found, damage = reopen(open_journal)
    assert found == [offset for offset in range(1, 11) if (offset - 1) // 4 != index]
    what = "format version 2, this release reads 1; left as it is"
    assert Damage(path.name, 0, path.stat().st_size, what) in damage
    journal = open_journal()
    journal.release(journal.next_offset)
    journal.close()
    assert path in files()


def test_a_segment_under_a_wrong_name_is_not_read(journal, open_journal, files):
    """Its offsets would be out of order."""
    files()[0].rename(files()[0].with_name(name_of(7)))
    found, damage = reopen(open_journal)
    assert found == [5, 6, 7, 8, 9, 10]
    assert "its header is that of 00000000000000000001.seg" in {item.what for item in damage}


def test_a_folder_with_the_name_of_a_segment_hinders_nobody(journal, open_journal, files):
    """Nor does a name that is not quite one."""
    files()[-1].with_name(name_of(11)).mkdir()
    files()[-1].with_name("12.seg").touch()
    found, damage = reopen(open_journal)
    assert found == list(range(1, 11))
    assert {(item.file, item.what) for item in damage} == {
        (name_of(11), "cannot be opened: Is a directory; left as it is"),
        ("12.seg", "not the name of a segment; left alone"),
    }


def test_a_segment_that_the_disk_does_not_give_is_told(journal, open_journal, files, monkeypatch):
    """Whatever the disk says, the journal starts."""

    def failing(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", failing)
        broken = open_journal()
        assert replayed(broken) == []
        assert broken.next_offset > 10
        assert len(broken.damage) == 3
    assert replayed(open_journal()) == list(range(1, 11))


def test_nothing_is_cut_off_that_the_disk_does_not_give(journal, open_journal, files, monkeypatch):
    """It may give it the next time; until then its offsets are not used again."""
    size = files()[-1].stat().st_size
    pread = os.pread

    def failing(fd, length, at):
        if at + length > size - 100 and os.fstat(fd).st_size == size:
            raise OSError(5, "Input/output error")
        return pread(fd, length, at)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", failing)
        assert open_journal().next_offset > 11
    assert files()[-1].stat().st_size == size
    assert replayed(open_journal()) == list(range(1, 11))


def test_a_damaged_header_copy_is_told_and_the_segment_read(journal, open_journal, files):
    """The other copy serves."""
    with files()[0].open("r+b") as file:
        file.write(b"\0")
    found, damage = reopen(open_journal)
    assert found == list(range(1, 11))
    assert damage == [Damage(name_of(1), 0, 0, "one of the two headers is damaged")]


def test_an_empty_segment_gives_its_name_to_the_next(journal, open_journal, files):
    """A crash right after it was begun leaves nothing behind."""
    again = open_journal()
    again.append(PAYLOAD)
    again.close()
    os.truncate(files()[-1], HEADER_SIZE)
    third = open_journal()
    assert third.segments == 3
    assert third.append(PAYLOAD) == 11
    assert third.segments == 4
    third.release(11)
    assert replayed(third) == [11]
    third.close()
    assert [path.name for path in files()] == [name_of(11)]


def test_offsets_that_others_remember_are_not_used_again(journal, open_journal):
    """A power cut may take records that were not yet durable, and the ledger knows them."""
    again = open_journal(first_offset=15)
    assert again.next_offset == 15
    (gone,) = again.damage
    assert gone.what == "records 11 to 14 were known elsewhere, and are not here"
    assert again.append(PAYLOAD) == 15
    third = open_journal(first_offset=3)
    assert replayed(third) == [*range(1, 11), 15]
    assert third.next_offset == 16
    assert third.damage == []
