"""The journal under kill -9, power cuts and on a full disk.

Run as a program, this file is the process that is killed: it appends, waits, and prints the
offset of each record that is durable.
"""

import asyncio
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scorer.errors import RetryableError
from scorer.journal import Journal
from scorer.telemetry import failpoints

KIB = 1024
FSYNCS = ["batch", "always", "off"]
SETTINGS = {"max_size": 4096 * KIB, "segment_size": 32 * KIB}
SENDERS = 8
# What a sender keeps back when it releases.
KEPT = 40


def payload_of(offset):
    """Return what the record at an offset must hold."""
    noise = random.Random(offset)
    return noise.randbytes(noise.choice([0, 1, 20, 300, 3000, 9000, 40_000]))


async def send_for_ever(journal):
    """Append, wait, print; and release what is old."""

    def release(low):
        if low > 0:
            os.write(1, b"released %d\n" % low)
            journal.release(low)

    async def sender():
        while True:
            try:
                offset = journal.append(payload_of(journal.next_offset))
            except RetryableError:
                await asyncio.sleep(0.001)
                continue
            await journal.synced(offset)
            os.write(1, b"acknowledged %d\n" % offset)
            await asyncio.sleep(0)
            if offset % 10 == 0:
                release(offset - KEPT)

    # A journal that an earlier process left full would let nobody append, and so release.
    release(journal.next_offset - KEPT)
    await asyncio.gather(*(sender() for _ in range(SENDERS)))


def main(folder, fsync):
    failpoints.install(os.environ)
    journal = Journal(Path(folder), fsync=fsync, **SETTINGS)
    for record in journal.replay():
        assert record.payload == payload_of(record.offset)
    asyncio.run(send_for_ever(journal))


class Crashes:
    """Runs the process on one folder, again and again, and checks what it leaves."""

    def __init__(self, folder, fsync):
        self.folder = folder
        self.fsync = fsync
        self.acknowledged = set()
        self.released = 1
        self.next_offset = 1

    def run(self, *, lines, failpoint=""):
        """Let it run until it has printed some lines, or until the failpoint; return its code."""
        command = [sys.executable, __file__, str(self.folder), self.fsync]
        environment = {**os.environ, failpoints.VARIABLE: failpoint}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            try:
                for number, line in enumerate(process.stdout, start=1):
                    self._note(line)
                    if number == lines:
                        process.kill()
            except BaseException:  # the time-out of the test: it must not wait for the process
                process.kill()
                raise
        self._check()
        return process.returncode

    def _note(self, line):
        if line.endswith(b"\n"):
            word, number = line.split()
            if word == b"acknowledged":
                self.acknowledged.add(int(number))
            else:
                self.released = max(self.released, int(number))

    def _check(self):
        journal = Journal(self.folder, fsync=self.fsync, **SETTINGS)
        try:
            records = list(journal.replay())
            offsets = [record.offset for record in records]
            assert offsets == sorted(set(offsets))
            assert all(record.payload == payload_of(record.offset) for record in records)
            needed = {offset for offset in self.acknowledged if offset >= self.released}
            assert needed <= set(offsets)
            assert journal.next_offset > max([0, *self.acknowledged, *offsets])
            assert journal.next_offset >= self.next_offset
            assert all("not written to its end" in damage.what for damage in journal.damage)
            self.next_offset = journal.next_offset
        finally:
            journal.close()


@pytest.mark.parametrize("fsync", FSYNCS)
def test_kill_9_at_random_loses_nothing_that_was_acknowledged(tmp_path, fsync):
    """Every record that was acknowledged and not released is there, whole and in order."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    crashes = Crashes(tmp_path, fsync)
    for _ in range(4):
        code = crashes.run(lines=chance.randrange(1, 300))
        assert code == -signal.SIGKILL


@pytest.mark.parametrize(
    ("name", "fsync"),
    [
        ("after_append", "batch"),
        ("after_append", "off"),
        ("in_group_commit", "batch"),
        ("in_group_commit", "always"),
        ("before_trim", "batch"),
        ("before_trim", "off"),
        ("during_trim", "batch"),
    ],
)
def test_kill_9_at_a_failpoint_loses_nothing_that_was_acknowledged(tmp_path, name, fsync):
    """Also when the process is killed there again after its restart."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    crashes = Crashes(tmp_path, fsync)
    for most in (1, 30):
        # Several segments go at once only when a release is far behind; then it has no count.
        count = 1 if name == "during_trim" else chance.randint(1, most)
        code = crashes.run(lines=3000, failpoint=f"{name}:{count}")
        assert code == -signal.SIGKILL


class Disk:
    """What a power cut leaves: contents as of the last sync of a file, names as of the folder's."""

    def __init__(self, folder, monkeypatch):
        self._folder = folder
        self._contents = {}
        self._names = {}
        self._held = {}
        self._lock = threading.Lock()
        for name in ("fdatasync", "fsync"):
            monkeypatch.setattr(os, name, self._sync)

    def _sync(self, fd):
        with self._lock:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                files = {path.name: path.stat() for path in self._folder.glob("*.seg")}
                self._names = {name: file.st_ino for name, file in files.items()}
                return
            file = os.fstat(fd)
            # Held open, its number is not given to another file.
            if file.st_ino not in self._held:
                self._held[file.st_ino] = os.dup(fd)
            self._contents[file.st_ino] = os.pread(fd, file.st_size, 0)

    def image(self, folder):
        """Write what is left to a folder."""
        folder.mkdir()
        with self._lock:
            for name, inode in self._names.items():
                (folder / name).write_bytes(self._contents.get(inode, b""))

    def close(self):
        for fd in self._held.values():
            os.close(fd)


@pytest.mark.parametrize("fsync", ["batch", "always"])
async def test_a_power_cut_loses_nothing_that_was_synced(tmp_path, monkeypatch, fsync):
    """Records, new segments and their names are durable when `synced` returns."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    journal = Journal(tmp_path / "journal", fsync=fsync, **SETTINGS)
    with monkeypatch.context() as patch:
        disk = Disk(tmp_path / "journal", patch)
        synced, low = set(), 1
        for cut in range(25):
            offsets = [
                journal.append(payload_of(journal.next_offset)) for _ in range(chance.randint(1, 9))
            ]
            await asyncio.gather(*(journal.synced(offset) for offset in offsets))
            synced.update(offsets)
            disk.image(tmp_path / str(cut))
            needed = {offset for offset in synced if offset >= low}
            low = max(low, offsets[-1] - chance.randint(0, 40))
            journal.release(low)
            assert needed <= set(recovered(tmp_path / str(cut)))
        disk.close()
    journal.close()


def recovered(folder):
    """Return the offsets in a folder."""
    journal = Journal(folder, fsync="off", **SETTINGS)
    try:
        records = list(journal.replay())
    finally:
        journal.close()
    assert all(record.payload == payload_of(record.offset) for record in records)
    assert journal.next_offset > max([0, *(record.offset for record in records)])
    return [record.offset for record in records]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MiB."""
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)]
    if shutil.which("mount") is None or subprocess.run(command, check=False).returncode != 0:
        pytest.skip("this needs the right to mount a file system")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.parametrize("fsync", FSYNCS)
async def test_a_full_disk_refuses_and_goes_on_when_there_is_room(small_disk, fsync):
    """Everything that was taken is there, before and after; no offset is used twice."""
    folder = small_disk / "journal"
    journal = Journal(folder, fsync=fsync, max_size=64 * 1024 * KIB, segment_size=100 * KIB)
    taken = []
    for size in [30_000] * 60 + [1000] * 60:
        try:
            taken.append(journal.append(bytes([size % 251]) * size))
            await journal.synced(taken[-1])
        except RetryableError as error:
            assert "disk of the journal is full" in str(error)  # noqa: PT017 - some are taken
    assert 20 < len(taken) < 120
    assert [record.offset for record in journal.replay()] == taken
    low = taken[len(taken) // 2]
    journal.release(low)
    journal._housekeeping._executor.submit(int).result()
    taken.append(journal.append(b"x" * 30_000))
    await journal.synced(taken[-1])
    journal.close()
    again = Journal(folder, fsync=fsync, max_size=64 * 1024 * KIB, segment_size=100 * KIB)
    offsets = [record.offset for record in again.replay()]
    assert offsets == taken[-len(offsets) :]
    assert set(offsets) >= {offset for offset in taken if offset >= low}
    assert again.damage == []
    again.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
