"""Brings parcels to one target: the shell around `Plan`, with a clock, timers and sockets."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from scorer.config import OtlpTargetConfig
from scorer.errors import PermanentError, RetryableError
from scorer.scoring.tasks import background
from scorer.sinks.otlp.batch import Batch
from scorer.sinks.otlp.pace import Backoff
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.plan import Plan
from scorer.sinks.otlp.tally import TargetTally
from scorer.sinks.otlp.target import OverloadedError, Target


class Courier(Protocol):
    """Who brings parcels to one target."""

    def submit(self, parcel: Parcel) -> "asyncio.Future[None]":
        """Queue a parcel.

        The future is done when the target has accepted it, or has refused it for good (which is
        counted and logged). It never fails; it stays pending when the courier is closed first.
        """
        ...

    async def room(self) -> None:
        """Wait until the queue is below its bound."""
        ...

    async def run(self) -> None:
        """Deliver until cancelled."""
        ...

    async def close(self, within_s: float) -> None:
        """Deliver what is queued, for at most `within_s` seconds, and end."""
        ...


class Timer(Protocol):
    """A call that can be taken back."""

    def cancel(self) -> None:
        """Do not call."""
        ...


CallLater = Callable[[float, Callable[[], None]], Timer]


class TargetCourier:
    """The courier of one target.

    `submit` always takes the parcel: who calls it waits for `room` first, so the queue may
    exceed its bound by what its callers bring at one time.
    """

    def __init__(  # noqa: PLR0913 - time and chance come from outside
        self,
        config: OtlpTargetConfig,
        target: Target,
        tally: TargetTally,
        *,
        clock: Callable[[], float] = time.monotonic,
        call_later: CallLater | None = None,
        uniform: Callable[[float, float], float] | None = None,
    ) -> None:
        retry = config.retry
        self._target = target
        self._tally = tally
        self._clock = clock
        self._call_later = call_later
        self._queue_size = int(config.queue_size)
        self._plan = Plan(
            tally,
            Backoff(float(retry.initial_interval), float(retry.max_interval), uniform),
            concurrency=config.concurrency,
            max_request_size=config.max_request_size,
            max_elapsed_s=retry.max_elapsed_time,
        )
        self._is_closed = False
        self._has_stopped = asyncio.Event()
        self._has_stopped.set()
        self._wake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._changed()

    @property
    def queued_bytes(self) -> int:
        """Bytes that the target has not answered for."""
        return self._plan.queued_bytes

    def submit(self, parcel: Parcel) -> "asyncio.Future[None]":
        """Queue a parcel (see `Courier`)."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._plan.add(parcel, done, self._clock())
        self._changed()
        return done

    async def room(self) -> None:
        """Wait until the queue is below its bound."""
        await self._has_room.wait()

    async def run(self) -> None:
        """Deliver until cancelled or closed; what is under way then is queued again."""
        self._has_stopped.clear()
        sending: dict[asyncio.Task[None], Batch] = {}
        try:
            while not self._is_closed:
                self._wake.clear()
                while (batch := self._plan.next(self._clock())) is not None:
                    task = asyncio.create_task(self._send(batch))
                    task.add_done_callback(lambda _: self._wake.set())
                    sending[task] = batch
                await self._sleep(self._plan.due() - self._clock())
                self._look_at(sending)
        finally:
            await self._take_back(sending)
            self._has_stopped.set()

    async def close(self, within_s: float) -> None:
        """Deliver what is queued, for at most `within_s` seconds, and end; safe to call twice."""
        if self._is_closed:
            return
        async with background() as tasks:
            if self._has_stopped.is_set():
                self._has_stopped.clear()
                tasks.append(asyncio.create_task(self.run()))
            with suppress(TimeoutError):
                async with asyncio.timeout(within_s):
                    await self._is_idle.wait()
            self._is_closed = True
            self._wake.set()
            await self._has_stopped.wait()
        await self._target.close()

    async def _send(self, batch: Batch) -> None:
        try:
            sent = await self._target.send(batch.signal, batch.body)
        except PermanentError as error:
            self._plan.never(batch, error)
        except RetryableError as error:
            self._plan.not_now(batch, error, self._clock())
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the sending
            self._tally.faulted(error)
            fault = OverloadedError(f"unexpected fault: {type(error).__name__}", retry_after_s=0.0)
            self._plan.not_now(batch, fault, self._clock())
        else:
            self._plan.taken(batch, sent)
        self._changed()

    def _look_at(self, sending: dict[asyncio.Task[None], Batch]) -> None:
        """Forget what has ended; raises what a fault of our own has raised."""
        for task in [task for task in sending if task.done()]:
            batch = sending.pop(task)
            if task.cancelled():  # by its client: we cancel only at the end
                self._plan.put_back(batch)
            else:
                task.result()

    async def _take_back(self, sending: Mapping[asyncio.Task[None], Batch]) -> None:
        """Stop what is under way, and queue it again."""
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        for task, batch in sending.items():
            if task.cancelled():
                self._plan.put_back(batch)
        self._changed()

    async def _sleep(self, delay_s: float) -> None:
        """Sleep until something changes, or `delay_s` seconds are over."""
        if delay_s == float("inf"):
            await self._wake.wait()
            return
        call_later = self._call_later or asyncio.get_running_loop().call_later
        timer = call_later(max(delay_s, 0.0), self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()

    def _changed(self) -> None:
        size = self._plan.queued_bytes
        self._tally.queued(size)
        _set(self._has_room, size < self._queue_size)
        _set(self._is_idle, self._plan.is_empty)
        self._wake.set()


def _set(event: asyncio.Event, value: bool) -> None:
    event.set() if value else event.clear()
