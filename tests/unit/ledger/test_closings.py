import pytest

from scorer.errors import RetryableError
from scorer.ledger.closings import FORGOTTEN_A_STEP

KIB = 1024
MIB = 1024 * KIB


@pytest.fixture
def note(closing):
    """Return a coroutine function that notes the closings of numbered traces, and scores them."""

    async def note_them(ledger, numbers, **changes):
        closings = [closing(number, **changes) for number in numbers]
        await ledger.closing(closings)
        await ledger.scored([(c.tenant, c.trace_id, c.revision) for c in closings])

    return note_them


def numbers(ledger):
    return [int.from_bytes(c.trace_id, "big") for c in ledger.load()]


async def test_the_oldest_beyond_the_capacity_are_forgotten(open_ledger, note):
    """As many as are too many."""
    ledger = await open_ledger(capacity=5)
    await note(ledger, range(1, 13))
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == list(range(8, 13))
    assert numbers(await open_ledger()) == list(range(8, 13))


async def test_what_is_within_the_capacity_stays(open_ledger, note):
    """However far the log was released: late spans must be known as late."""
    ledger = await open_ledger(capacity=12)
    await note(ledger, range(1, 13))
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == list(range(1, 13))


async def test_what_the_log_may_read_again_stays(open_ledger, note):
    """A cut at the oldest retained offset is needed, one below is not."""
    ledger = await open_ledger(capacity=2)
    await note(ledger, range(1, 13))
    await ledger.forget("journal", 0, 4)
    assert numbers(ledger) == list(range(4, 13))


async def test_what_is_not_scored_stays(open_ledger, note, closing):
    """However old it is; it goes in its turn once it is scored."""
    ledger = await open_ledger(capacity=2)
    await ledger.closing([closing(1), closing(2)])
    await note(ledger, range(3, 9))
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [1, 2]
    await note(ledger, [9])
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [1, 2]
    await ledger.scored([("", closing(1).trace_id, 1)])
    await note(ledger, [10])
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [2, 10]


async def test_an_earlier_revision_goes_before_the_later_one(open_ledger, note):
    """It never comes back."""
    ledger = await open_ledger(capacity=1)
    await note(ledger, [1])
    await note(ledger, [1], revision=2, closed_at=5)
    await ledger.forget("journal", 0, 100)
    assert [(c.revision, c.closed_at) for c in ledger.load()] == [(2, 5)]
    await note(ledger, [9])
    await ledger.forget("journal", 0, 100)
    assert numbers(await open_ledger()) == [9]


async def test_rows_are_counted_right_when_they_replace_others(open_ledger, note, closing):
    """Else too many would be forgotten, or too few."""
    ledger = await open_ledger(capacity=3)
    for _ in range(5):
        await ledger.closing([closing(1), closing(2)])
    await ledger.closing([closing(2, revision=2)])
    await ledger.scored([("", closing(1).trace_id, 1), ("", closing(2).trace_id, 2)])
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [1, 2]
    await note(ledger, [3, 4])
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [2, 3, 4]


async def test_rows_of_before_a_restart_count(open_ledger, note):
    """So do the logs that they are of."""
    await note(await open_ledger(), range(1, 7))
    ledger = await open_ledger(capacity=4)
    await note(ledger, [7])
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [4, 5, 6, 7]


async def test_only_what_is_not_scored_is_kept_in_memory(open_ledger, note, closing):
    """The table may be large."""
    ledger = await open_ledger()
    await note(ledger, range(1, 7))
    await ledger.closing([closing(7)])
    await ledger.closing([closing(8), closing(7, is_scored=True)])
    assert set(ledger._closings._unscored) == {("", closing(8).trace_id)}
    ledger = await open_ledger()
    assert set(ledger._closings._unscored) == {("", closing(8).trace_id)}


async def test_only_the_log_that_is_named_forgets(open_ledger, note):
    """Offsets of another one say nothing about it."""
    ledger = await open_ledger(capacity=4)
    await note(ledger, range(1, 5))
    await note(ledger, range(11, 15), partition=1)
    await note(ledger, range(21, 25), source="kafka")
    await ledger.forget("journal", 1, 100)
    await ledger.forget("nowhere", 0, 100)
    assert numbers(ledger) == [1, 2, 3, 4, 14, *range(21, 25)]


async def test_each_log_may_keep_its_share_of_the_capacity(open_ledger, note):
    """One that never forgets does not push out the others."""
    ledger = await open_ledger(capacity=4)
    await note(ledger, range(1, 21))
    await note(ledger, range(31, 36), partition=1)
    await ledger.forget("journal", 1, 100)
    assert numbers(ledger) == [*range(1, 21), 34, 35]
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == [19, 20, 34, 35]


async def test_a_log_without_rows_has_nothing_to_forget(open_ledger, note):
    """Nor a share of the capacity."""
    ledger = await open_ledger(capacity=0)
    await note(ledger, range(1, 4))
    await ledger.forget("journal", 0, 100)
    assert numbers(ledger) == []
    await ledger.forget("journal", 0, 100)
    ledger = await open_ledger(capacity=0)
    await ledger.forget("journal", 0, 100)
    await note(ledger, range(4, 6))
    await ledger.forget("journal", 0, 5)
    assert numbers(ledger) == [5]


async def test_many_are_forgotten_in_steps(open_ledger, note):
    """All of them, whether the last step is full or not."""
    for count in (2 * FORGOTTEN_A_STEP, 2 * FORGOTTEN_A_STEP + 1):
        ledger = await open_ledger(capacity=1)
        await note(ledger, range(1, count + 2))
        await ledger.forget("journal", 0, count + 5)
        assert numbers(ledger) == [count + 1]


async def test_what_cannot_be_forgotten_now_is_forgotten_later(open_ledger, note, failing_disk):
    """Nothing of a step is done, and the count of rows is right after the failure."""
    ledger = await open_ledger(capacity=10)
    await note(ledger, range(1, 500))
    for more in (0, 40_000):
        with failing_disk(more), pytest.raises(RetryableError, match="cannot be written"):
            await ledger.forget("journal", 0, 1000)
    assert len(numbers(ledger)) == 499
    await ledger.forget("journal", 0, 1000)
    assert numbers(ledger) == list(range(490, 500))


async def test_files_stay_small_under_a_steady_flow(open_ledger, note, path):
    """Neither the file nor the write-ahead log grows with what goes through."""
    log = path.with_name("ledger.db-wal")
    ledger = await open_ledger(capacity=1000)
    sizes, log_sizes = [], []
    for first in range(1, 24_001, 400):
        await note(ledger, range(first, first + 400))
        await ledger.forget("journal", 0, first)
        sizes.append(ledger._database.read_now(lambda c: c.execute("PRAGMA page_count").fetchone()))
        log_sizes.append(log.stat().st_size)
    assert max(sizes) == max(sizes[:10])
    assert path.stat().st_size < 512 * KIB
    # 24,000 rows, each written at least twice, are more than that.
    assert max(log_sizes) < 4.5 * MIB


async def test_a_file_that_had_to_grow_shrinks_again(open_ledger, note, path):
    """Rows that a pinned log held back give their pages back to the disk."""
    log = path.with_name("ledger.db-wal")
    ledger = await open_ledger(capacity=100)
    for first in range(1, 32_001, 4000):
        await note(ledger, range(first, first + 4000))
        await ledger.forget("journal", 0, 1)
    await (await open_ledger(capacity=100)).close()
    grown = path.stat().st_size
    ledger = await open_ledger(capacity=100)
    await ledger.forget("journal", 0, 100_000)
    assert log.stat().st_size < 5 * MIB
    await ledger.close()
    assert grown > 2 * MIB
    assert path.stat().st_size < 1.1 * MIB
