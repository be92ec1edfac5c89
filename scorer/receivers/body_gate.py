"""Bounds the memory and the time that request bodies take until they are taken.

Theory of operation. Nobody can tell how much gRPC holds of messages that are not complete, and
a sender may open any number of them, so the truth is asked of the system: the resident memory
of this process. While it is over the limit, bodies are read one at a time: the reader that
came first goes on, every other is told to come again, and what it had sent is freed. The
first always goes on, so requests get through even where the memory is held by something else.
"""

import asyncio
import math
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from scorer.errors import RetryableError, SpanscoreError
from scorer.receivers.refusal import DEADLINE_EXCEEDED, RefusedError
from scorer.receivers.resident import resident_bytes

_SWEEP_S = 0.05


class BodyGate:
    """The requests of one receiver whose bodies are being read and taken."""

    def __init__(
        self,
        *,
        memory_limit: int,
        read_timeout_s: float,
        resident: Callable[[], int] = resident_bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._memory_limit = memory_limit
        self._read_timeout_s = read_timeout_s
        self._resident = resident
        self._clock = clock
        self._readers: dict[Reading, float] = {}  # the first comes first
        self._is_tight = False

    def reading(self) -> "Reading":
        """Return a context in which one body is read and taken.

        Entering raises RetryableError while memory is short and another body is being read.
        Inside, a reader that is stopped raises RetryableError (memory) or RefusedError (408,
        `read_timeout` is over) in place of what it waited for.
        """
        return Reading(self)

    async def watch(self) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            self.sweep()

    def sweep(self) -> None:
        """Stop the readers that are too slow, and all but the first while memory is short."""
        if not self._readers:
            self._is_tight = False
            return
        self._is_tight = self._resident() > self._memory_limit
        now = self._clock()
        for place, (reader, since) in enumerate(list(self._readers.items())):
            if now - since >= self._read_timeout_s:
                reader.stop(_too_slow(self._read_timeout_s))
            elif place and self._is_tight:
                reader.stop(_short_of_memory())

    def arrived(self, reader: "Reading") -> None:
        """Note that a body is whole, so that its sender is not to blame for any delay."""
        self._readers[reader] = math.inf

    def grew(self, reader: "Reading") -> None:
        """Raise RetryableError when memory is short and others came before this reader."""
        self._is_tight = self._resident() > self._memory_limit
        if self._is_tight and next(iter(self._readers), reader) is not reader:
            raise _short_of_memory()

    def enter(self, reader: "Reading") -> None:
        """Let a reader in; raises RetryableError."""
        if self._is_tight and self._readers:
            raise _short_of_memory()
        self._readers[reader] = self._clock()

    def leave(self, reader: "Reading") -> None:
        """Note that a reader is done."""
        self._readers.pop(reader, None)


class Reading:
    """One body that is being read by the task that entered."""

    __slots__ = ("_gate", "_stopped", "_task")

    def __init__(self, gate: BodyGate) -> None:
        self._gate = gate
        self._task: asyncio.Task[object] | None = None
        self._stopped: SpanscoreError | None = None

    def __enter__(self) -> Self:
        self._gate.enter(self)
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
            raise self._stopped from None

    def arrived(self) -> None:
        """Say that the body is whole; `read_timeout` is over for it."""
        self._gate.arrived(self)

    def grew(self) -> None:
        """Say that the body has grown by more than its sender sent; raises RetryableError."""
        self._gate.grew(self)

    def stop(self, reason: SpanscoreError) -> None:
        """Wake the reader with an error."""
        self._gate.leave(self)
        if self._task is not None:
            self._stopped = reason
            self._task.cancel()


def _short_of_memory() -> RetryableError:
    return RetryableError("too much is being received at once; send it again", retry_after_s=2)


def _too_slow(timeout_s: float) -> RefusedError:
    return RefusedError(
        f"the body did not arrive within {timeout_s:g} s",
        http_status=408,
        grpc_code=DEADLINE_EXCEEDED,
    )
