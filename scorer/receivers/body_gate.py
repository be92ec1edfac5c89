"""Bounds the memory and the time that request bodies take until they are taken.

Theory of operation. Nobody can tell how much gRPC holds of messages that are not complete, and a
sender may open any number of them, so the truth is asked of the system: the resident memory of
this process. Before a body is read, its reader waits for a turn, of which there are few; a sender
that turns out to be slow (memory hardly grows meanwhile, so it is not large bodies that take long)
gives it back, so that others need not wait for it. But no more are read at a time than would fit
if each were as large as it may be, for a slow one may get fast: where others wait, the slowest
but the first is told to come again. While memory is short there is one turn, and of those that
read already only the first goes on: every other is told to come again, and what it had sent is
freed. The first always goes on, so requests get through even where the memory is held by something
else.
"""

import asyncio
import math
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Self

from scorer.errors import RetryableError, SpanscoreError
from scorer.receivers.refusal import DEADLINE_EXCEEDED, RefusedError
from scorer.receivers.resident import give_back, resident_bytes

_SWEEP_S = 0.01
_GIVE_BACK_S = 0.2
_TURNS = 2
_MOST_WAITING = 32
_GROWS_FAST = 4 * 2**20  # bytes from one sweep to the next
_LEAST_SIZE = 64 * 1024  # what a reader takes in any case
_SLOW_S = 0.25  # so long a body may take while others wait and there is no room for theirs


class BodyGate:
    """The requests of one receiver whose bodies are being read and taken."""

    def __init__(  # noqa: PLR0913 - its limits, and the three that tests replace
        self,
        *,
        memory_limit: int,
        size_limit: int,
        read_timeout_s: float,
        resident: Callable[[], int] = resident_bytes,
        give_back: Callable[[], None] = give_back,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._memory_limit = memory_limit
        self._size_limit = size_limit
        self._read_timeout_s = read_timeout_s
        self._resident = resident
        self._give_back = give_back
        self._clock = clock
        # Since when; the first comes first.
        self._waiting: dict[Reading, float] = {}
        self._readers: dict[Reading, float] = {}
        self._held = 0  # bytes that those who read may have at most
        self._in_turn: set[Reading] = set()
        self._is_tight = False
        self._gave_back = -_GIVE_BACK_S
        self._used = resident()

    def reading(self, size: int | None = None) -> "Reading":
        """Return a context in which one body is read and taken; it begins with a `turn`.

        `size` is how many bytes it will have at most, where that is less than the limit.

        Inside, a reader that is stopped raises RetryableError (memory) or RefusedError (408,
        `read_timeout` is over) in place of what it waited for.
        """
        least = min(_LEAST_SIZE, self._size_limit)
        most = self._size_limit if size is None else size
        return Reading(self, max(least, min(most, self._size_limit)))

    async def watch(self) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            self.sweep()

    def sweep(self) -> None:
        """Stop the readers that are too slow, and all but the first while memory is short."""
        if not self._readers and not self._waiting:
            self._is_tight = False
            self._used = self._resident()
            return
        now, before = self._clock(), self._used
        self._look()
        are_slow = not self._is_tight and self._used - before < _GROWS_FAST
        # Each that waits may hold a window full of its message.
        most = _MOST_WAITING if self._is_tight else len(self._waiting)
        for place, (reader, since) in enumerate(list(self._waiting.items())):
            if place >= most or now - since >= self._read_timeout_s:
                reader.stop(_short_of_memory)
        for place, (reader, since) in enumerate(list(self._readers.items())):
            if now - since >= self._read_timeout_s:
                reader.stop(partial(_too_slow, self._read_timeout_s))
            elif place and self._is_tight:
                reader.stop(_short_of_memory)
            elif are_slow and now - since >= _SWEEP_S:
                self._in_turn.discard(reader)
        self._make_room(now)
        self._let_in()

    def _make_room(self, now: float) -> None:
        """Stop the slowest reader but the first where another waits for its room."""
        if self._is_tight or not self._waiting or self._has_room():
            return
        for reader, since in islice(self._readers.items(), 1, None):
            if now - since >= _SLOW_S:
                reader.stop(_short_of_memory)
                return

    def _has_room(self) -> bool:
        """Whether the first that waits would fit too, were all as large as they may be."""
        wanted = self._held + next(iter(self._waiting)).size
        return not self._readers or wanted <= self._memory_limit - self._used

    async def turn(self, reader: "Reading") -> None:
        """Wait until few enough others have only just begun to read."""
        self._waiting[reader] = self._clock()
        self._let_in()
        if reader in self._waiting:
            await reader.called()

    def arrived(self, reader: "Reading") -> None:
        """Note that a body is whole, so that its sender is not to blame for any delay.

        Raises RetryableError when memory was short at the last look, and others came before.
        """
        self._readers[reader] = math.inf
        self._require_memory(reader)

    def grew(self, reader: "Reading") -> None:
        """Raise RetryableError when memory is short and others came before this reader."""
        self._look()
        self._require_memory(reader)

    def _require_memory(self, reader: "Reading") -> None:
        if self._is_tight and next(iter(self._readers), reader) is not reader:
            raise _short_of_memory()

    def leave(self, reader: "Reading") -> None:
        """Note that a reader is done."""
        self._waiting.pop(reader, None)
        if self._readers.pop(reader, None) is not None:
            self._held -= reader.size
        self._in_turn.discard(reader)
        self._let_in()

    def _let_in(self) -> None:
        """Give turns to those that wait, as far as there are any."""
        while self._waiting and self._is_free():
            reader = next(iter(self._waiting))
            del self._waiting[reader]
            self._readers[reader] = self._clock()
            self._held += reader.size
            self._in_turn.add(reader)
            reader.call()

    def _is_free(self) -> bool:
        if self._is_tight:
            return not self._readers
        return len(self._in_turn) < _TURNS and self._has_room()

    def _look(self) -> None:
        """See whether memory is short: what is only kept for later use is given back first."""
        self._used = self._resident()
        if self._used > self._memory_limit and self._clock() - self._gave_back >= _GIVE_BACK_S:
            self._gave_back = self._clock()
            self._give_back()
            self._used = self._resident()
        self._is_tight = self._used > self._memory_limit


class Reading:
    """One body that is being read by the task that entered."""

    __slots__ = ("_called", "_gate", "_stopped", "_task", "size")

    def __init__(self, gate: BodyGate, size: int) -> None:
        self._gate = gate
        self.size = size
        self._task: asyncio.Task[object] | None = None
        self._stopped: Callable[[], SpanscoreError] | None = None
        self._called: asyncio.Future[None] | None = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._gate.leave(self)
        if self._stopped is not None and isinstance(error, asyncio.CancelledError) and self._task:
            self._task.uncancel()
            # Made here: an error that is kept anywhere would hold, by its traceback, the body.
            raise self._stopped() from None

    async def turn(self) -> None:
        """Wait until this body may be read."""
        await self._gate.turn(self)

    def arrived(self) -> None:
        """Say that the body is whole; `read_timeout` is over for it. Raises RetryableError."""
        self._gate.arrived(self)

    def grew(self) -> None:
        """Say that the body has grown by more than its sender sent; raises RetryableError."""
        self._gate.grew(self)

    def stop(self, reason: Callable[[], SpanscoreError]) -> None:
        """Wake the reader with an error."""
        self._stopped = reason
        self._gate.leave(self)
        if self._task is not None:
            self._task.cancel()

    async def called(self) -> None:
        """Wait for the call."""
        self._called = asyncio.get_running_loop().create_future()
        await self._called

    def call(self) -> None:
        """Let it read."""
        if self._called is not None and not self._called.done():
            self._called.set_result(None)


def _short_of_memory() -> RetryableError:
    return RetryableError("too much is being received at once; send it again", retry_after_s=2)


def _too_slow(timeout_s: float) -> RefusedError:
    return RefusedError(
        f"the body did not arrive within {timeout_s:g} s",
        http_status=408,
        grpc_code=DEADLINE_EXCEEDED,
    )
