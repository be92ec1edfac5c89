"""The journal with torn writes, flipped bits and files that others have changed."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from scorer.journal import Journal
from scorer.journal.format import HEADER_SIZE, RECORD_HEAD_SIZE

KIB = 1024


class Original:
    """A journal of several segments; the payload and the place of each record by its offset."""

    def __init__(self, folder):
        self.folder = folder
        self.payloads, self.places = {}, {}
        journal = Journal(folder, fsync="off", max_size=4096 * KIB, segment_size=2 * KIB)
        for number in range(30):
            payload = random.Random(number).randbytes([0, 3, 100, 400, 900][number % 5])
            if number % 7 == 3:
                # It holds records, which are none, whatever happens to their surroundings.
                payload = max(folder.glob("*.seg")).read_bytes()[: 2 * KIB].rstrip(b"\0")
            self._note(journal.append(payload), payload, journal._store.active)
        # As a kill leaves it: the last segment has its zeros.
        last = max(folder.glob("*.seg"))
        data = last.read_bytes()
        journal.close()
        last.write_bytes(data)

    def _note(self, offset, payload, segment):
        begin = segment.position - RECORD_HEAD_SIZE - len(payload)
        self.payloads[offset] = payload
        self.places[offset] = (f"{segment.first:020d}.seg", begin, segment.position)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return Original(tmp_path_factory.mktemp("journal"))


def reopened(folder):
    """Open as at a start; return the records, the damage and the offset of a new record."""
    journal = Journal(folder, fsync="off", max_size=4096 * KIB, segment_size=2 * KIB)
    try:
        records = list(journal.replay())
        return records, journal.damage, journal.append(b"new")
    finally:
        journal.close()


# Numbers that a test takes modulo what there is to choose from.
any_number = st.integers(0, 2**20)
flips = st.tuples(any_number, any_number, st.integers(0, 7))
harms = st.tuples(
    st.sampled_from(["cut", "noise", "zeros", "gone", "other"]),
    any_number,
    any_number,
    st.binary(max_size=200),
)


def flip(folder, number, at, bit):
    """Flip a bit; return the name of the file and the byte."""
    files = sorted(folder.glob("*.seg"))
    file = files[number % len(files)]
    content = bytearray(file.read_bytes())
    at %= len(content)
    content[at] ^= 1 << bit
    file.write_bytes(content)
    return file.name, at


def touched_by(flipped, places):
    """Return the offsets of the records that flips may have made unreadable."""
    touched = {
        offset
        for offset, (file, begin, end) in places.items()
        for name, at in flipped
        if name == file and begin <= at < end
    }
    for file in {name for name, _ in flipped}:
        copies = {
            at < HEADER_SIZE // 2 for name, at in flipped if name == file and at < HEADER_SIZE
        }
        if len(copies) == 2:
            touched |= {offset for offset, place in places.items() if place[0] == file}
    return touched


@given(flips=st.lists(flips, min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_whatever_bits_are_flipped_the_rest_is_read(original, flips):
    """Replay never raises, invents nothing, returns each untouched record and tells the damage."""
    payloads = original.payloads
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "journal"
        shutil.copytree(original.folder, folder)
        flipped = {flip(folder, *chosen) for chosen in flips}
        records, damage, added = reopened(folder)
        again, _, _ = reopened(folder)
    found = {record.offset: record.payload for record in records}
    event(f"{len(payloads) - len(found)} records lost")
    assert [record.offset for record in records] == sorted(found)
    assert found.items() <= payloads.items()
    assert payloads.keys() - touched_by(flipped, original.places) <= found.keys()
    assert damage or len(found) == len(payloads)
    assert added > max(payloads)
    assert [record.offset for record in again] == [*found, added]


def harm(folder, kind, number, at, noise):
    """Do something to a file that no journal does."""
    files = sorted(folder.glob("*.seg"))
    if not files:
        return
    file = files[number % len(files)]
    content = file.read_bytes()
    at %= len(content) + 1
    changed = {
        "cut": content[:at],
        "noise": content[:at] + noise + content[at + len(noise) :],
        "zeros": content[:at] + bytes(500) + content[at + 500 :],
        "other": files[at % len(files)].read_bytes(),
    }
    if kind == "gone":
        file.unlink()
    else:
        file.write_bytes(changed[kind])


@given(harms=st.lists(harms, min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_whatever_becomes_of_its_files_a_journal_starts(original, harms):
    """They may be cut, overwritten, deleted or exchanged; nothing is invented."""
    payloads = original.payloads
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "journal"
        shutil.copytree(original.folder, folder)
        for chosen in harms:
            harm(folder, *chosen)
        records, _, added = reopened(folder)
        again, _, more = reopened(folder)
    found = {record.offset: record.payload for record in records}
    assert found.items() <= payloads.items()
    assert [record.offset for record in again] == [*found, added]
    assert more > added


def test_a_tail_torn_at_any_byte_costs_the_last_record_alone(tmp_path):
    """Whether the file ends there or goes on with zeros; the next record follows."""
    source = tmp_path / "source"
    journal = Journal(source, fsync="off", max_size=4096 * KIB)
    for payload in (b"one", b"two", b"a payload that is torn"):
        journal.append(payload)
    journal.close()
    (segment,) = source.glob("*.seg")
    whole = segment.read_bytes()
    begin = len(whole) - RECORD_HEAD_SIZE - len(b"a payload that is torn")
    for end in range(begin, len(whole)):
        for zeros in (0, 500):
            folder = tmp_path / f"{end}-{zeros}"
            shutil.copytree(source, folder)
            (folder / segment.name).write_bytes(whole[:end] + bytes(zeros))
            records, damage, added = reopened(folder)
            assert [record.payload for record in records] == [b"one", b"two"]
            assert added == (3 if end == begin else 4)
            assert len(damage) == (end > begin)
            again, damage, _ = reopened(folder)
            assert [record.payload for record in again] == [b"one", b"two", b"new"]
            assert damage == []
