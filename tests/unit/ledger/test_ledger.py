import asyncio
import threading

import pytest

from scorer.errors import ConfigError, RetryableError
from scorer.ledger import Ledger


def key(closing):
    return closing.tenant, closing.trace_id, closing.revision


def scored(closing):
    return type(closing)(
        **{name: getattr(closing, name) for name in closing.__struct_fields__} | {"is_scored": True}
    )


def numbers(ledger):
    """Return the closings as {number of the trace: is it scored}."""
    return {int.from_bytes(c.trace_id, "big"): c.is_scored for c in ledger.load()}


async def test_a_new_ledger_is_empty(open_ledger):
    """Its file is made."""
    assert list((await open_ledger()).load()) == []


async def test_a_closing_is_there_after_a_restart_as_it_was_noted(open_ledger, closing):
    """Every field, also the largest offset and texts that are not ASCII."""
    closings = [
        closing(1),
        closing(2, tenant="mandant-ü", reason="end_marker", digest=bytes(16), readings=b"\xff"),
        closing(3, closed_at=2**62 - 1, first_offset=2**62 - 2, span_count=50_000),
        closing(4, trace_id=bytes(range(0, 160, 10)), source="otlp_spans", partition=17),
    ]
    ledger = await open_ledger()
    await ledger.closing(closings)
    assert list(ledger.load()) == closings
    assert list((await open_ledger()).load()) == closings


async def test_what_is_scored_is_known_as_scored_after_a_restart(open_ledger, closing):
    """And what is only closing as that."""
    ledger = await open_ledger()
    await ledger.closing([closing(number) for number in range(1, 5)])
    await ledger.scored([key(closing(2)), key(closing(4))])
    assert numbers(await open_ledger()) == {1: False, 2: True, 3: False, 4: True}


async def test_what_was_closing_at_a_restart_can_be_scored_after_it(open_ledger, closing):
    """It is looked for by the same key."""
    await (await open_ledger()).closing([closing(1), closing(2)])
    ledger = await open_ledger()
    await ledger.scored([key(closing(1))])
    assert numbers(await open_ledger()) == {1: True, 2: False}


async def test_a_closing_may_be_noted_with_its_scores_at_once(open_ledger, closing):
    """A trace without scores needs no second transaction."""
    ledger = await open_ledger()
    await ledger.closing([closing(1, is_scored=True)])
    assert numbers(await open_ledger()) == {1: True}


async def test_closings_come_log_by_log_in_order_of_their_cut(open_ledger, closing):
    """Those of one cut in the order in which they were noted; over several pages."""
    ledger = await open_ledger()
    many = [closing(number, closed_at=number // 3) for number in range(1, 2500)]
    await ledger.closing([closing(9001, closed_at=2000), closing(9002, closed_at=1000)])
    await ledger.closing([closing(9003, partition=1, closed_at=1)])
    await ledger.closing(many)
    expected = [*range(1, 2500), 9002, 9001, 9003]
    assert list(numbers(ledger)) == expected
    assert list(numbers(await open_ledger())) == expected


async def test_the_same_trace_id_of_two_tenants_is_two_traces(open_ledger, closing):
    """Each has its own row and revision."""
    ledger = await open_ledger()
    mine, yours = closing(1, tenant="mine"), closing(1, tenant="yours", revision=2)
    await ledger.closing([mine, yours])
    await ledger.scored([key(mine)])
    assert list((await open_ledger()).load()) == [scored(mine), yours]


async def test_a_revision_takes_the_place_of_a_scored_one(open_ledger, closing):
    """Only the newest is loaded; each is noted as scored by itself."""
    ledger = await open_ledger()
    first, second = closing(1), closing(1, revision=2, closed_at=7, reason="idle")
    await ledger.closing([first, closing(2)])
    await ledger.scored([key(first)])
    await ledger.closing([second])
    assert list(ledger.load()) == [closing(2), second]
    ledger = await open_ledger()
    assert list(ledger.load()) == [closing(2), second]
    await ledger.scored([key(second)])
    assert list((await open_ledger()).load()) == [closing(2), scored(second)]


async def test_a_revision_takes_the_place_of_one_that_is_not_scored(open_ledger, closing):
    """Scores of the earlier one that come out afterwards do not make it scored."""
    ledger = await open_ledger()
    first, second = closing(1), closing(1, revision=2, closed_at=7)
    await ledger.closing([first])
    await ledger.closing([second])
    await ledger.scored([key(first)])
    assert list(ledger.load()) == [second]
    assert list((await open_ledger()).load()) == [second]


async def test_an_earlier_revision_does_not_replace_a_later_one(open_ledger, closing):
    """Neither one that is noted, nor one of the same call."""
    ledger = await open_ledger()
    await ledger.closing([closing(1, revision=3), closing(1, revision=2)])
    await ledger.closing([closing(1, revision=1)])
    assert list((await open_ledger()).load()) == [closing(1, revision=3)]


async def test_a_closing_that_is_noted_again_replaces_itself(open_ledger, closing):
    """After a crash the trace closes once more; the newest word counts."""
    await (await open_ledger()).closing([closing(1), closing(2)])
    ledger = await open_ledger()
    again = closing(1, span_count=4, digest=b"d" * 16)
    await ledger.closing([again, again])
    assert list(ledger.load()) == [again, closing(2)]
    await ledger.scored([key(again)])
    assert list((await open_ledger()).load()) == [scored(again), closing(2)]


async def test_what_is_not_known_is_not_scored(open_ledger, closing):
    """Nor is it an error: a sink may have been slower than the retention."""
    ledger = await open_ledger()
    await ledger.closing([closing(1)])
    await ledger.scored([("", bytes(16), 1), ("other", closing(1).trace_id, 1)])
    await ledger.scored([("", closing(1).trace_id, 2)])
    await ledger.scored([])
    assert numbers(ledger) == {1: False}


async def test_nothing_to_note_is_no_error(open_ledger):
    """An empty batch changes nothing."""
    ledger = await open_ledger()
    await ledger.closing([])
    assert numbers(ledger) == {}


async def test_what_was_given_may_be_changed_at_once(open_ledger, closing):
    """A call works on what it was given when it was made."""
    ledger = await open_ledger()
    rows, keys = [closing(1)], [key(closing(1))]
    noted = asyncio.gather(ledger.closing(rows), ledger.scored(keys))
    await asyncio.sleep(0)
    rows.clear()
    keys.clear()
    await noted
    assert numbers(ledger) == {1: True}


async def test_calls_are_done_in_their_order_and_the_loop_goes_on_meanwhile(open_ledger, closing):
    """Nobody has to wait for the one before; the disk holds up its own thread only."""
    ledger = await open_ledger()
    disk = threading.Event()
    waiting = [asyncio.ensure_future(ledger._database.write(lambda _: disk.wait()))]
    waiting += [
        asyncio.ensure_future(call)
        for number in range(1, 20)
        for call in (
            ledger.closing([closing(number)]),
            ledger.scored([key(closing(number))]),
            ledger.closing([closing(number, revision=2)]),
        )
    ]
    for _ in range(10):
        await asyncio.sleep(0)
    assert not any(call.done() for call in waiting)
    disk.set()
    await asyncio.gather(*waiting)
    assert numbers(ledger) == dict.fromkeys(range(1, 20), False)
    assert {c.revision for c in ledger.load()} == {2}


async def test_what_was_asked_before_the_end_is_done(open_ledger, closing):
    """Closing waits for it."""
    ledger = await open_ledger()
    waiting = [asyncio.ensure_future(ledger.closing([closing(n)])) for n in range(1, 30)]
    await asyncio.sleep(0)
    await ledger.close()
    await asyncio.gather(*waiting)
    assert list(numbers(await open_ledger())) == list(range(1, 30))


async def test_a_closed_ledger_refuses(open_ledger, closing):
    """It may be closed twice."""
    ledger = await open_ledger()
    await ledger.close()
    await ledger.close()
    for call in (
        ledger.closing([closing(1)]),
        ledger.scored([]),
        ledger.forget("journal", 0, 9),
        ledger.state.get("n", b"k"),
    ):
        with pytest.raises(RetryableError, match="the ledger is closed"):
            await call
    with pytest.raises(RetryableError, match="the ledger is closed"):
        next(ledger.load())


async def test_a_closing_that_cannot_be_written_is_not_there(open_ledger, closing, failing_disk):
    """None of the batch; the ledger says so and can be used again."""
    ledger = await open_ledger()
    await ledger.closing([closing(1)])
    many = [closing(number) for number in range(2, 600)]
    with failing_disk():
        with pytest.raises(RetryableError, match="the ledger cannot be written: disk I/O error"):
            await ledger.closing(many)
        with pytest.raises(RetryableError, match="the ledger cannot be written"):
            await ledger.closing(many)
        assert numbers(ledger) == {1: False}
    await ledger.scored([key(closing(2))])
    await ledger.closing(many)
    await ledger.scored([key(closing(3))])
    assert numbers(ledger) == {n: n == 3 for n in range(1, 600)}
    assert numbers(await open_ledger()) == {n: n == 3 for n in range(1, 600)}


async def test_a_full_disk_refuses_and_goes_on_when_there_is_room(open_ledger, closing, full_disk):
    """The reason is told."""
    ledger = await open_ledger()
    await ledger.closing([closing(1)])
    with full_disk(ledger):
        with pytest.raises(RetryableError, match=r"written: database or disk is full; .*ledger"):
            await ledger.closing([closing(number) for number in range(2, 600)])
        await ledger.scored([key(closing(1))])
    assert numbers(await open_ledger()) == {1: True}


async def test_scores_that_cannot_be_noted_can_be_noted_again(open_ledger, closing, failing_disk):
    """Until then the trace is not scored."""
    ledger = await open_ledger()
    await ledger.closing([closing(1)])
    with failing_disk(), pytest.raises(RetryableError, match="the ledger cannot be written"):
        await ledger.scored([key(closing(1))])
    assert numbers(ledger) == {1: False}
    await ledger.scored([key(closing(1))])
    assert numbers(await open_ledger()) == {1: True}


@pytest.mark.parametrize("column", ["reason", "log"])
async def test_a_row_that_nobody_noted_is_an_error_of_the_start(open_ledger, closing, column):
    """It names the file, and what to do."""
    ledger = await open_ledger()
    await ledger.closing([closing(1)])
    ledger._database.read_now(lambda c: c.execute(f"UPDATE closing SET {column} = 77"))
    ledger = await open_ledger()
    with pytest.raises(ConfigError, match=r"ledger.db is damaged \(.*\b77\b.*\); move it away"):
        list(ledger.load())


async def test_a_file_whose_rows_cannot_be_read_is_left_closed(open_ledger, path):
    """Somebody else can have it."""
    ledger = await open_ledger()
    ledger._database.read_now(lambda c: c.execute("DROP TABLE closing"))
    with pytest.raises(ConfigError, match="no such table"):
        await open_ledger()
    with pytest.raises(ConfigError, match="no such table"):
        Ledger(path, capacity=1, durable=False)
