"""The courier of one target: its queue, its sending, its stop."""

import asyncio
import contextlib
import logging

import pytest
from otlp_fakes import ScriptedTarget, Timers, settled

from scorer.config import OtlpRetryConfig, OtlpTargetConfig, Size
from scorer.errors import PermanentError, RetryableError
from scorer.sinks.otlp.courier import TargetCourier
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.tally import TargetTally
from scorer.sinks.otlp.target import Sent
from scorer.telemetry import Telemetry


class Bench:
    """A courier with everything that it touches."""

    def __init__(self, **settings):
        config = OtlpTargetConfig(endpoint="tempo:4317", mode="forward", **settings)
        self.target, self.timers, self.telemetry = ScriptedTarget(), Timers(), Telemetry()
        self.courier = TargetCourier(
            config,
            self.target,
            TargetTally("tempo:4317", self.telemetry, self.timers.clock),
            clock=self.timers.clock,
            call_later=self.timers.call_later,
            uniform=lambda low, high: high,
        )

    def submit(self, letters, signal="traces"):
        return [self.courier.submit(Parcel(signal, x.encode(), 1)) for x in letters]

    @contextlib.asynccontextmanager
    async def running(self):
        task = asyncio.create_task(self.courier.run())
        await settled()
        yield
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    def count(self, name, **labels):
        return self.telemetry.value(f"spanscore_otlp_{name}", target="tempo:4317", **labels)


def down(signal, body):
    raise RetryableError("down", retry_after_s=0)


def refuse(letter):
    def answer(signal, body):
        if letter.encode() in body:
            raise PermanentError("bad")

    return answer


async def test_what_is_submitted_arrives_and_is_done():
    """And is counted by signal."""
    bench = Bench()
    async with bench.running():
        futures = [*bench.submit("ab"), *bench.submit("c", "logs")]
        await asyncio.gather(*futures)
    assert bench.target.taken == [("traces", b"ab"), ("logs", b"c")]
    assert bench.count("sent_items_total", signal="traces") == 2
    assert bench.count("sent_items_total", signal="logs") == 1
    assert bench.count("queue_bytes") == 0


async def test_several_requests_are_under_way_at_a_time():
    """As many as are configured; what comes meanwhile shares the next one."""
    bench = Bench(concurrency=2)
    bench.target.gate.clear()
    async with bench.running():
        for letter in "abcd":
            bench.submit(letter)
            await settled()
        assert (bench.target.tries, bench.count("queue_bytes")) == (2, 4)
        bench.target.gate.set()
        await settled()
    assert [body for _, body in bench.target.taken] == [b"a", b"b", b"cd"]


async def test_a_target_that_is_down_gets_it_later():
    """Tried again after waits that grow; each is counted."""
    bench = Bench()
    bench.target.answer = down
    async with bench.running():
        (future,) = bench.submit("a")
        await settled()
        waits = []
        for _ in range(3):
            waits.append(bench.timers.fire())
            await settled()
        assert (waits, future.done(), bench.count("retries_total")) == ([1, 2, 4], False, 4)
        bench.target.answer = refuse("x")
        bench.timers.fire()
        await future
    assert bench.target.arrived == "a"


async def test_a_full_queue_has_no_room():
    """Who waits for room goes on when something was taken; nothing in it is dropped."""
    bench = Bench(queue_size=Size(3), concurrency=1)
    bench.target.gate.clear()
    async with bench.running():
        bench.submit("ab")
        await bench.courier.room()
        bench.submit("c")
        waiting = asyncio.create_task(bench.courier.room())
        await settled()
        assert not waiting.done()
        bench.target.gate.set()
        await waiting
    assert bench.target.arrived == "abc"


async def test_a_lost_parcel_is_counted_with_its_reason_and_done():
    """Its future does not fail; the others of its request arrive."""
    bench = Bench()
    bench.target.answer = refuse("b")
    async with bench.running():
        await asyncio.gather(*bench.submit("abcd"))
    assert sorted(bench.target.arrived) == list("acd")
    assert bench.count("lost_items_total", signal="traces", reason="refused") == 1
    assert bench.count("sent_items_total") == 3


@pytest.mark.parametrize(("said", "rejected"), [(1, 1), (9, 2)])
async def test_rejected_items_are_counted_and_not_sent_again(said, rejected, caplog):
    """A target that rejects more than there is has rejected all of it."""
    bench = Bench()
    bench.target.answer = lambda signal, body: Sent(said, "too old")
    async with bench.running():
        await asyncio.gather(*bench.submit("ab"))
    assert bench.target.tries == 1
    assert bench.count("rejected_items_total") == rejected
    assert bench.count("sent_items_total") == 2 - rejected
    assert "too old" in caplog.text


async def test_a_fault_of_ours_does_not_end_the_sending(caplog):
    """It is logged without what a span holds, and the request stays."""
    bench = Bench()

    def broken(signal, body):
        raise ValueError("a prompt")

    bench.target.answer = broken
    async with bench.running():
        (future,) = bench.submit("a")
        await settled()
        bench.target.answer = refuse("x")
        bench.timers.fire()
        await future
    assert "ValueError at" in caplog.text
    assert "a prompt" not in caplog.text


async def test_a_long_outage_is_a_few_lines_in_the_log(caplog):
    """Its beginning, a reminder a minute, and its end."""
    caplog.set_level(logging.INFO)
    bench = Bench()
    bench.target.answer = down
    async with bench.running():
        (future,) = bench.submit("a")
        await settled()
        start = bench.timers.clock.now
        while bench.timers.clock.now < start + 170:
            bench.timers.fire()
            await settled()
        bench.target.answer = refuse("x")
        bench.timers.fire()
        await future
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 5  # it was down for three minutes
    assert "does not take requests, they are sent again: down" in lines[0]
    assert lines[-1] == "tempo:4317: takes requests again"


async def test_what_is_under_way_when_it_is_cancelled_stays_queued():
    """A run that comes after it sends it again."""
    bench = Bench()
    bench.target.gate.clear()
    async with bench.running():
        (future,) = bench.submit("a")
        await settled()
        assert bench.target.tries == 1
    assert (future.done(), bench.courier.queued_bytes) == (False, 1)
    bench.target.gate.set()
    async with bench.running():
        await future
    assert bench.target.arrived == "a"


async def test_a_broken_courier_ends_with_its_error(monkeypatch):
    """It does not go on as if all were well."""
    bench = Bench()
    monkeypatch.setattr(TargetTally, "taken", lambda *_: 1 / 0)
    bench.submit("a")
    with pytest.raises(ZeroDivisionError):
        await bench.courier.run()


@pytest.mark.parametrize("is_running", [True, False])
async def test_closing_delivers_what_is_queued(is_running):
    """Whether it was running or not."""
    bench = Bench()
    async with contextlib.AsyncExitStack() as stack:
        if is_running:
            await stack.enter_async_context(bench.running())
        futures = bench.submit("abc")
        await bench.courier.close(60)
        assert all(future.done() for future in futures)
    assert (bench.target.arrived, bench.target.is_closed) == ("abc", True)


async def test_closing_ends_when_its_time_is_over():
    """What was not delivered stays pending, so whoever kept it knows."""
    bench = Bench()
    bench.target.answer = down
    async with bench.running():
        futures = bench.submit("ab")
        await settled()
        await bench.courier.close(0)
    assert not any(future.done() for future in futures)
    assert bench.target.is_closed


async def test_nothing_is_sent_after_the_close():
    """Not even by a run that is still to be cancelled."""
    bench = Bench()
    bench.target.gate.clear()
    async with bench.running():
        bench.submit("a")
        await settled()
        await bench.courier.close(0)
        bench.submit("b")
        await settled()
        assert (bench.target.tries, bench.courier.queued_bytes) == (1, 2)


async def test_closing_twice_is_safe():
    """Shutdown may come twice."""
    bench = Bench()
    await bench.courier.close(1)
    await bench.courier.close(1)


async def test_retries_follow_the_configuration():
    """First wait, longest wait, and when to give up."""
    retry = {"initial_interval": 2, "max_interval": 3, "max_elapsed_time": 6}
    bench = Bench(retry=OtlpRetryConfig(**retry))
    bench.target.answer = down
    async with bench.running():
        (future,) = bench.submit("a")
        await settled()
        assert bench.timers.fire() == 2
        await settled()
        assert bench.timers.fire() == 3
        await settled()
        assert bench.timers.fire() == 3
        await future
    assert bench.count("lost_items_total", reason="expired") == 1
