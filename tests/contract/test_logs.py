"""Every log keeps the promises of `scorer.journal.WritableLog`."""

import asyncio
import contextlib
import time

import pytest

from scorer.errors import RetryableError, TooLargeError
from scorer.journal import Journal, Record
from scorer.testing import MemoryLog

KIB = 1024
MIB = 1024 * KIB


@pytest.fixture(params=["memory", "batch", "always", "off"])
def make(request, tmp_path):
    """Return a function that makes an empty log of a kind."""
    made = []

    def make_it(max_size=200 * MIB):
        if request.param == "memory":
            made.append(MemoryLog(max_size=max_size))
        else:
            path = tmp_path / str(len(made))
            settings = {"max_size": max_size, "segment_size": 4 * KIB}
            made.append(Journal(path, fsync=request.param, **settings))
        return made[-1]

    yield make_it
    for log in made:
        log.close()


@pytest.fixture
def log(make):
    return make()


def offsets(log):
    return [record.offset for record in log.replay()]


def fill(log, count):
    for _ in range(count):
        log.append(b"x" * 1000)


def append_when_there_is_room(log, payload):
    """As a sender does that tries again."""
    for _ in range(1000):
        with contextlib.suppress(RetryableError):
            return log.append(payload)
        time.sleep(0.005)
    raise AssertionError("nothing became free")


def test_offsets_count_from_one(log):
    """The next one is known before."""
    assert log.next_offset == 1
    assert [log.append(b"payload") for _ in range(3)] == [1, 2, 3]
    assert log.next_offset == 4


def test_an_empty_log_replays_nothing(log):
    """Nor is it an error."""
    assert list(log.replay()) == []


def test_a_replay_returns_the_records_in_order(log):
    """Each with the offset that `append` returned, and its payload."""
    payloads = [b"one", b"", b"\0" * 50, bytes(range(256)) * 20, b"last"]
    appended = [Record(log.append(payload), payload) for payload in payloads]
    assert list(log.replay()) == appended


def test_a_replay_can_be_repeated(log):
    """Reading takes nothing away."""
    for _ in range(3):
        log.append(b"payload")
    assert offsets(log) == offsets(log) == [1, 2, 3]


def test_a_replay_begins_at_the_first_record_that_is_not_released(log):
    """Wherever the mark falls."""
    for _ in range(40):
        log.append(b"x" * 500)
    for low in (1, 2, 7, 8, 9, 39, 40):
        log.release(low)
        assert offsets(log) == list(range(low, 41))


def test_offsets_go_on_when_everything_is_released(log):
    """None is used twice."""
    for _ in range(10):
        log.append(b"x" * 500)
    log.release(log.next_offset)
    assert offsets(log) == []
    assert log.append(b"payload") == 11
    assert offsets(log) == [11]


def test_the_release_mark_does_not_go_back(log):
    """What was released stays so."""
    for _ in range(10):
        log.append(b"x" * 500)
    log.release(8)
    log.release(3)
    assert offsets(log) == [8, 9, 10]


def test_records_appended_after_a_replay_has_begun_are_not_in_it(log):
    """It is of what was there."""
    log.append(b"one")
    log.append(b"two")
    replay = log.replay()
    first = next(replay)
    log.append(b"three")
    assert [first, *replay] == [Record(1, b"one"), Record(2, b"two")]
    assert offsets(log) == [1, 2, 3]


def test_a_large_payload_is_kept_whole(log):
    """As large as the largest request."""
    large = bytes(range(256)) * (64 * MIB // 256)
    log.append(b"before")
    log.append(large)
    log.append(b"after")
    assert [len(record.payload) for record in log.replay()] == [6, 64 * MIB, 5]
    assert next(r for r in log.replay() if r.offset == 2).payload == large


async def test_many_may_wait_until_their_records_are_durable(log):
    """In any order, more than once, and while others append."""

    async def send(number):
        offset = log.append(b"%d" % number)
        await log.synced(offset)
        await asyncio.sleep(0)
        await log.synced(log.append(b"more"))
        await log.synced(offset)

    await asyncio.wait_for(asyncio.gather(*(send(number) for number in range(20))), 30)
    assert offsets(log) == list(range(1, 41))


async def test_nobody_waits_for_what_was_not_appended(log):
    """It would be for ever."""
    with pytest.raises(ValueError, match="no record 1 was appended"):
        await log.synced(1)


def test_a_full_log_refuses_until_something_is_released(make):
    """Sending again later helps; the refused record is not there."""
    log = make(max_size=16 * KIB)
    with pytest.raises(RetryableError, match="full"):
        fill(log, 99)
    end = log.next_offset
    assert offsets(log) == list(range(1, end))
    log.release(end)
    assert append_when_there_is_room(log, b"x" * 1000) == end


def test_what_makes_room_is_taken_by_a_full_log(make):
    """Else nothing would ever be released that an old record holds."""
    log = make(max_size=16 * KIB)
    with pytest.raises(RetryableError, match="full"):
        fill(log, 99)
    end = log.next_offset
    assert log.append(b"x" * 1000, makes_room=True) == end
    with pytest.raises(RetryableError, match="full"):
        log.append(b"x" * 1000)
    assert offsets(log) == list(range(1, end + 1))


def test_a_record_larger_than_the_log_is_too_large(make):
    """Sending it again would never help."""
    log = make(max_size=16 * KIB)
    with pytest.raises(TooLargeError):
        log.append(b"x" * 17 * KIB)
    assert log.append(b"x") == 1


def test_a_closed_log_refuses(log):
    """It may be closed twice."""
    log.append(b"payload")
    log.close()
    log.close()
    with pytest.raises(RetryableError, match="closed"):
        log.append(b"payload")
