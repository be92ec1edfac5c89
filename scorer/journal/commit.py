"""Group commit: many wait, one flush serves them all.

There is no timer. A flush begins when somebody waits and none is running; it covers what was
appended before it began, and whoever comes later is covered by the next. Under load the groups
grow by themselves, and a lone request waits for its own flush only.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from scorer.errors import RetryableError


class Flushed(NamedTuple):
    """What a flush did: all offsets up to `upto` are durable, or those not yet settled failed."""

    upto: int
    error: str = ""


class _Failed(NamedTuple):
    """Offsets that could not be made durable."""

    first: int
    last: int
    error: str


class GroupCommit:
    """Lets coroutines of one event loop wait until their offset was flushed.

    `flush` runs in a thread of its own, one call at a time. Offsets up to `settled` are known to
    be durable.
    """

    def __init__(self, flush: Callable[[], Flushed], settled: int) -> None:
        self._flush = flush
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="journal-sync")
        # Written by that thread alone, in the order of the flushes.
        self._settled = settled
        self._failed: list[_Failed] = []
        # Of the event loop's thread alone.
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_running = False
        self._is_closed = False

    async def wait(self, offset: int, first: int | None = None) -> None:
        """Return when the offset, and those from `first` on, are durable.

        Raises:
            RetryableError: A flush that covered one of them failed.
        """
        first = offset if first is None else first
        if offset > self._settled:
            await self._enqueue(offset)
        for failed in self._failed:
            if failed.first <= offset and first <= failed.last:
                raise RetryableError(failed.error)

    def close(self) -> None:
        """Flush a last time, and end; those who wait are answered."""
        self._is_closed = True
        self._executor.submit(self._flush_and_note).result()
        self._executor.shutdown()
        self._answer(None)

    def _enqueue(self, offset: int) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            # What an earlier loop left behind ended with it.
            self._loop, self._is_running, self._waiting = loop, False, []
        future = loop.create_future()
        self._waiting.append((offset, future))
        if not self._is_running:
            self._start(loop)
        return future

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_running = True
        # Not at once: those who append in this turn of the loop share the flush.
        loop.call_soon(self._submit, loop)

    def _submit(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._is_closed:
            running = loop.run_in_executor(self._executor, self._flush_and_note)
            running.add_done_callback(self._done)

    def _flush_and_note(self) -> None:
        flushed = self._flush()
        if flushed.error and flushed.upto > self._settled:
            self._note_failed(self._settled + 1, flushed)
        self._settled = max(self._settled, flushed.upto)

    def _note_failed(self, first: int, flushed: Flushed) -> None:
        # A disk that keeps failing makes one entry, not one for each flush.
        if self._failed and self._failed[-1].last == first - 1:
            first = self._failed.pop().first
        self._failed.append(_Failed(first, flushed.upto, flushed.error))

    def _done(self, flushed: asyncio.Future[None]) -> None:
        self._is_running = False
        self._answer(flushed.exception())
        if self._waiting and self._loop is not None:
            self._start(self._loop)

    def _answer(self, fault: BaseException | None) -> None:
        """Wake those whose offset is settled; a fault, which nobody foresaw, wakes all."""
        waiting, self._waiting = self._waiting, []
        for offset, future in waiting:
            if future.done():
                continue
            if fault is not None:
                future.set_exception(fault)
            elif offset <= self._settled:
                future.set_result(None)
            else:
                self._waiting.append((offset, future))
