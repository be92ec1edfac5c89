"""What request bodies may take while they come in."""

import asyncio

import pytest

from scorer.errors import RetryableError
from scorer.receivers.body_gate import BodyGate
from scorer.receivers.refusal import RefusedError
from scorer.testing import ManualClock


class Gate(BodyGate):
    """A gate whose memory and time a test sets."""

    def __init__(self):
        self.used, self.time = 0, ManualClock()
        super().__init__(
            memory_limit=100, read_timeout_s=10, resident=lambda: self.used, clock=self.time
        )

    async def read(self, body):
        with self.reading():
            return await body

    def start(self):
        """Start a reader; return the body that it waits for, and the reader."""
        body = asyncio.get_running_loop().create_future()
        return body, asyncio.create_task(self.read(body))


@pytest.fixture
def gate():
    return Gate()


async def test_bodies_are_read_side_by_side(gate):
    """While there is memory nobody waits."""
    first, second = gate.start(), gate.start()
    await asyncio.sleep(0)
    gate.sweep()
    second[0].set_result(b"2")
    first[0].set_result(b"1")
    assert [await first[1], await second[1]] == [b"1", b"2"]


async def test_short_of_memory_all_but_the_first_are_told_to_come_again(gate):
    """What they had sent is freed; the first goes on, so that something gets through."""
    first, second = gate.start(), gate.start()
    await asyncio.sleep(0)
    gate.used = 101
    gate.sweep()
    with pytest.raises(RetryableError, match="send it again"):
        await second[1]
    first[0].set_result(b"1")
    assert await first[1] == b"1"


async def test_short_of_memory_new_ones_are_told_to_come_again(gate):
    """Before a byte of theirs is read, as long as another body is being read."""
    first = gate.start()
    await asyncio.sleep(0)
    gate.used = 101
    gate.sweep()
    with pytest.raises(RetryableError):
        await gate.start()[1]
    first[0].set_result(b"1")
    await first[1]
    third = gate.start()
    third[0].set_result(b"3")
    assert await third[1] == b"3"


async def test_memory_that_is_back_lets_everybody_in(gate):
    """The next sweep sees it."""
    first = gate.start()
    await asyncio.sleep(0)
    gate.used = 101
    gate.sweep()
    gate.used = 99
    gate.sweep()
    second = gate.start()
    second[0].set_result(b"2")
    assert await second[1] == b"2"
    first[1].cancel()


async def test_a_slow_body_is_given_up(gate):
    """After `read_timeout`, with 408."""
    _, reader = gate.start()
    await asyncio.sleep(0)
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
    _, reader = gate.start()
    await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    gate.used = 101
    gate.sweep()
    second = gate.start()
    second[0].set_result(b"2")
    assert await second[1] == b"2"


async def test_a_body_that_has_arrived_has_no_time_limit(gate):
    """What is left to do is ours; the sender is not to blame."""
    whole = asyncio.get_running_loop().create_future()

    async def read():
        with gate.reading() as reading:
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
    gate.used = 101
    with gate.reading() as first:
        first.grew()
        gate.used = 99
        gate.sweep()
        with gate.reading() as second:
            second.grew()
            gate.used = 101
            with pytest.raises(RetryableError):
                second.grew()
            first.grew()
