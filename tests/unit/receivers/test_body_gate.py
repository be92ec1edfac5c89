"""What request bodies may take while they come in."""

import asyncio

import pytest

from scorer.errors import RetryableError
from scorer.receivers import body_gate
from scorer.receivers.body_gate import BodyGate
from scorer.receivers.refusal import RefusedError
from scorer.testing import ManualClock


class Gate(BodyGate):
    """A gate whose memory and time a test sets."""

    def __init__(self):
        self.used, self.time, self.given_back = 0, ManualClock(), 0
        super().__init__(
            memory_limit=100,
            size_limit=20,
            read_timeout_s=10,
            resident=lambda: self.used,
            give_back=self.count_given_back,
            clock=self.time,
        )

    def count_given_back(self):
        self.given_back += 1

    async def read(self, body, size=None):
        with self.reading(size) as reading:
            await reading.turn()
            return await body

    async def start(self, size=None):
        """Start a reader; return the body that it waits for, and the reader."""
        body = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self.read(body, size))
        await asyncio.sleep(0)
        return body, task


@pytest.fixture
def gate():
    return Gate()


async def test_bodies_are_read_side_by_side(gate):
    """While there is memory and nobody is slow, nobody waits."""
    first, second = await gate.start(), await gate.start()
    gate.sweep()
    second[0].set_result(b"2")
    first[0].set_result(b"1")
    assert [await first[1], await second[1]] == [b"1", b"2"]


async def test_few_may_begin_at_a_time(gate):
    """The others wait, and begin in the order in which they came."""
    readers = [await gate.start() for _ in range(20)]
    for body, _ in readers:
        body.set_result(b"x")
    assert [await reader for _, reader in readers] == [b"x"] * 20


async def test_a_slow_sender_gives_its_turn_back(gate):
    """It goes on, and others begin meanwhile."""
    slow = [await gate.start() for _ in range(2)]
    quick = await gate.start()
    quick[0].set_result(b"quick")
    await asyncio.sleep(0)
    assert not quick[1].done()
    gate.time.advance(0.05)
    gate.sweep()
    assert await quick[1] == b"quick"
    for body, _ in slow:
        body.set_result(b"slow")
    assert [await reader for _, reader in slow] == [b"slow"] * 2


async def test_no_more_are_read_than_would_fit(gate):
    """Slow ones may get fast; the slowest but the first goes where another waits for its room."""
    slow = []
    for _ in range(5):
        slow.append(await gate.start())
        gate.time.advance(0.05)
        gate.sweep()
    waits = await gate.start()
    waits[0].set_result(b"quick")
    await asyncio.sleep(0)
    assert not waits[1].done()
    gate.time.advance(0.2)
    gate.sweep()
    assert await waits[1] == b"quick"
    with pytest.raises(RetryableError, match="send it again"):
        await slow.pop(1)[1]
    for body, _ in slow:
        body.set_result(b"slow")
    assert [await reader for _, reader in slow] == [b"slow"] * 4


async def test_small_bodies_take_only_the_room_that_they_need(gate, monkeypatch):
    """Who says that its body is small is not counted as large: many slow ones are no harm."""
    monkeypatch.setattr(body_gate, "_LEAST_SIZE", 1)
    slow = []
    for _ in range(50):
        slow.append(await gate.start(2))
        gate.time.advance(0.05)
        gate.sweep()
    _, last = await gate.start(2)
    gate.time.advance(0.3)
    gate.sweep()
    with pytest.raises(RetryableError, match="send it again"):
        await slow.pop(1)[1]
    last.cancel()
    for body, _ in slow:
        body.set_result(b"slow")
    assert [await reader for _, reader in slow] == [b"slow"] * 49


async def test_short_of_memory_the_first_goes_on_though_it_is_slow(gate):
    """Else nobody who takes longer than a moment would ever get through."""
    body, first = await gate.start()
    gate.used = 101
    gate.sweep()
    _, second = await gate.start()
    for _ in range(20):
        gate.time.advance(0.1)
        gate.sweep()
    await asyncio.sleep(0)
    assert not first.done()
    assert not second.done()
    body.set_result(b"slow")
    assert await first == b"slow"
    second.cancel()


async def test_large_bodies_keep_their_turns(gate):
    """They take long too, but memory grows meanwhile: no more of them may begin."""
    large = [await gate.start() for _ in range(2)]
    waiting = await gate.start()
    waiting[0].set_result(b"x")
    gate._memory_limit = 10**9
    for _ in range(3):
        gate.used += 2**23
        gate.time.advance(0.05)
        gate.sweep()
    await asyncio.sleep(0)
    assert not waiting[1].done()
    large[0][0].set_result(b"large")
    assert await waiting[1] == b"x"
    large[1][1].cancel()


async def test_short_of_memory_all_but_the_first_are_told_to_come_again(gate):
    """What they had sent is freed; the first goes on, so that something gets through."""
    first, second = await gate.start(), await gate.start()
    gate.used = 101
    gate.sweep()
    with pytest.raises(RetryableError, match="send it again"):
        await second[1]
    first[0].set_result(b"1")
    assert await first[1] == b"1"


async def test_short_of_memory_new_ones_wait_for_their_turn(gate):
    """Before a byte of theirs is read, as long as another body is being read."""
    first = await gate.start()
    gate.used = 101
    gate.sweep()
    second = await gate.start()
    second[0].set_result(b"2")
    gate.sweep()
    await asyncio.sleep(0)
    assert not second[1].done()
    first[0].set_result(b"1")
    assert [await first[1], await second[1]] == [b"1", b"2"]


async def test_memory_that_is_back_lets_everybody_in(gate):
    """The next sweep sees it."""
    first = await gate.start()
    gate.used = 101
    gate.sweep()
    second = await gate.start()
    gate.used = 50
    gate.sweep()
    second[0].set_result(b"2")
    assert await second[1] == b"2"
    first[1].cancel()


async def test_freed_memory_is_given_back_before_anybody_is_stopped(gate):
    """The allocator keeps it for later; not at each look, for that takes time."""
    first = await gate.start()
    gate.used = 101
    gate.time.advance(1)
    gate.sweep()
    gate.sweep()
    assert gate.given_back == 1
    gate.time.advance(1)
    gate.sweep()
    assert gate.given_back == 2
    first[0].set_result(b"1")
    assert await first[1] == b"1"


async def test_who_waits_too_long_is_told_to_come_again(gate):
    """It is not its fault, so the answer allows to send it again."""
    gate.used = 101
    await gate.start()
    gate.sweep()
    _, second = await gate.start()
    gate.time.advance(10)
    gate.sweep()
    with pytest.raises(RetryableError, match="send it again"):
        await second


async def test_a_slow_body_is_given_up(gate):
    """After `read_timeout`, with 408."""
    _, reader = await gate.start()
    gate.time.advance(9.9)
    gate.sweep()
    await asyncio.sleep(0)
    assert not reader.done()
    gate.time.advance(0.1)
    gate.sweep()
    with pytest.raises(RefusedError, match="within 10 s") as caught:
        await reader
    assert caught.value.http_status == 408


async def test_a_cancelled_reader_stays_cancelled(gate):
    """Only the gate's own stop becomes an answer; a server that ends is obeyed."""
    _, reader = await gate.start()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    gate.used = 101
    gate.sweep()
    second = await gate.start()
    second[0].set_result(b"2")
    assert await second[1] == b"2"


async def test_a_body_that_has_arrived_has_no_time_limit(gate):
    """What is left to do is ours; the sender is not to blame."""
    whole = asyncio.get_running_loop().create_future()

    async def read():
        with gate.reading() as reading:
            await reading.turn()
            reading.arrived()
            return await whole

    reader = asyncio.create_task(read())
    await asyncio.sleep(0)
    gate.time.advance(1000)
    gate.sweep()
    whole.set_result(b"1")
    assert await reader == b"1"


async def test_a_body_that_grows_is_stopped_when_memory_is_short(gate):
    """A small gzip body inflates between two sweeps; the first one goes on here too."""
    with gate.reading() as first, gate.reading() as second:
        await first.turn()
        await second.turn()
        second.grew()
        gate.used = 101
        with pytest.raises(RetryableError):
            second.grew()
        with pytest.raises(RetryableError):
            second.arrived()
        first.grew()


async def test_short_of_memory_not_everybody_may_wait(gate):
    """Who waits holds a window full of its message; the last to come are told to come again."""
    first = await gate.start()
    gate.used = 101
    gate.sweep()
    waiting = [await gate.start() for _ in range(40)]
    gate.sweep()
    for _ in range(3):
        await asyncio.sleep(0)
    assert [task.done() for _, task in waiting] == [False] * 32 + [True] * 8
    first[1].cancel()
    for body, _ in waiting:
        body.cancel()
    await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)
