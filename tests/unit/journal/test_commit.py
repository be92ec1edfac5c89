import asyncio
import threading

import pytest

from scorer.errors import RetryableError
from scorer.journal.commit import Flushed, GroupCommit


class Disk:
    """A flush that covers what was appended when it began, and ends when it is let."""

    def __init__(self):
        self.appended = 0
        self.began = threading.Semaphore(0)
        self.let_end = threading.Semaphore(0)
        self.flushes = []
        self.error = ""
        self.raises = None

    def flush(self):
        upto, error, raises = self.appended, self.error, self.raises
        self.began.release()
        assert self.let_end.acquire(timeout=10)
        if raises:
            raise raises
        self.flushes.append(upto)
        return Flushed(upto, error)


@pytest.fixture
def disk():
    return Disk()


@pytest.fixture
def commit(disk):
    commit = GroupCommit(disk.flush, settled=0)
    yield commit
    disk.raises = None
    for _ in range(10):
        disk.let_end.release()
    if not commit._is_closed:
        commit.close()


async def begun(disk):
    assert await asyncio.to_thread(disk.began.acquire, timeout=10)


async def turn():
    """Let the tasks run that were just made."""
    await asyncio.sleep(0)


async def test_all_who_wait_in_one_turn_share_a_flush(disk, commit):
    """The flush begins after all of them have appended, not with the first."""

    async def send():
        # Time enough for the thread, had it been told to flush.
        assert not disk.began.acquire(timeout=0.01)
        disk.appended += 1
        await commit.wait(disk.appended)

    tasks = [asyncio.create_task(send()) for _ in range(9)]
    await turn()
    await begun(disk)
    disk.let_end.release()
    await asyncio.gather(*tasks)
    assert disk.flushes == [9]


async def test_who_comes_during_a_flush_is_served_by_the_next(disk, commit):
    """Its record may have missed the one that runs; all of them share the next."""
    disk.appended = 1
    first = asyncio.create_task(commit.wait(1))
    await begun(disk)
    disk.appended = 5
    later = [asyncio.create_task(commit.wait(offset)) for offset in range(2, 6)]
    await turn()
    disk.let_end.release()
    await first
    assert not any(task.done() for task in later)
    disk.let_end.release()
    await asyncio.gather(*later)
    assert disk.flushes == [1, 5]


async def test_what_is_settled_is_not_waited_for(disk, commit):
    """A flush is made for those who need one."""
    disk.appended = 3
    disk.let_end.release()
    await commit.wait(3)
    await commit.wait(1)
    assert disk.flushes == [3]


async def test_a_failed_flush_fails_what_it_covered_and_nothing_else(disk, commit):
    """Also for those who ask later; offsets before and after it are durable."""
    disk.appended = 2
    disk.let_end.release()
    await commit.wait(2)
    disk.appended, disk.error = 4, "the disk is gone"
    disk.let_end.release()
    with pytest.raises(RetryableError, match="the disk is gone"):
        await commit.wait(3)
    disk.appended, disk.error = 6, ""
    disk.let_end.release()
    await commit.wait(5)
    with pytest.raises(RetryableError):
        await commit.wait(4)
    await commit.wait(2)
    await commit.wait(6)


async def test_a_disk_that_keeps_failing_takes_no_memory(disk, commit):
    """Neighbouring failures are one."""
    disk.error = "no"
    for offset in range(1, 8):
        disk.appended = offset
        disk.let_end.release()
        with pytest.raises(RetryableError):
            await commit.wait(offset)
    assert [(failed.first, failed.last) for failed in commit._failed] == [(1, 7)]


async def test_who_goes_away_does_not_disturb_the_others(disk, commit):
    """A sender may hang up while it waits."""
    disk.appended = 2
    gone, stays = (asyncio.create_task(commit.wait(offset)) for offset in (1, 2))
    await begun(disk)
    gone.cancel()
    await turn()
    disk.let_end.release()
    await stays
    assert gone.cancelled()


async def test_a_fault_of_the_flush_is_told_to_all_who_wait(disk, commit):
    """Nobody waits for ever."""
    disk.appended, disk.raises = 1, ZeroDivisionError("fault")
    disk.let_end.release()
    with pytest.raises(ZeroDivisionError):
        await commit.wait(1)
    disk.raises = None
    disk.let_end.release()
    await commit.wait(1)


async def test_close_flushes_and_answers_those_who_wait(disk, commit):
    """Also those whose flush has not begun."""
    disk.appended = 1
    first = asyncio.create_task(commit.wait(1))
    await begun(disk)
    disk.appended = 2
    second = asyncio.create_task(commit.wait(2))
    await turn()
    disk.let_end.release()
    disk.let_end.release()
    commit.close()
    await asyncio.gather(first, second)
    assert disk.flushes == [1, 2]


async def test_a_failure_before_the_close_is_not_forgotten(disk, commit):
    """The flush of the close succeeds, and what failed before it stays failed."""
    disk.appended, disk.error = 1, "no"
    first = asyncio.create_task(commit.wait(1))
    await begun(disk)
    disk.appended, disk.error = 2, ""
    second = asyncio.create_task(commit.wait(2))
    await turn()
    disk.let_end.release()
    disk.let_end.release()
    commit.close()
    with pytest.raises(RetryableError):
        await first
    await second


def test_it_serves_one_event_loop_after_another(disk, commit):
    """What was left waiting in a loop that ended hinders nobody."""

    async def leave():
        disk.appended = 1
        task = asyncio.create_task(commit.wait(1))
        await begun(disk)
        task.cancel()

    asyncio.run(leave())
    disk.appended = 2
    disk.let_end.release()
    disk.let_end.release()
    asyncio.run(asyncio.wait_for(commit.wait(2), 10))
    assert disk.flushes[-1] == 2
