"""What is sent next, and what becomes of each answer. No clock, no sockets: time is an argument.

Theory of operation. Parcels wait in one line per signal. `next` makes a request of those in
front, or takes one that is to be sent again. It is under way until one of the four ends:

- taken: its parcels are done.
- put back: it was never answered (we stop); it is the first in line again.
- not now: the target gets a rest (`Pace`), the request is held until then. The next request is
  another one if there is any, so that one which upsets the target cannot stop all others. If the
  target takes others while it fails again, the fault may be its own: then only this request waits.
  After `_PATIENCE` tries it is cut in two, for smaller ones are taken more easily, in time too. A
  single parcel is tried for ever, except when the target says no more than "exhausted", which OTLP
  calls final: that is believed after `_STRIKES` tries between which the target took others, and
  never while it takes nothing at all.
- never: it is cut in two until the parcel at fault is alone, which is lost. When the refusal is
  not about the data (unknown signal, no access) all its parcels are lost at once.
"""

from asyncio import Future
from collections import deque
from heapq import heappop, heappush
from typing import Protocol, get_args

from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.otlp.signal import Signal
from scorer.sinks.otlp.batch import Batch, Entry
from scorer.sinks.otlp.pace import Backoff, Pace
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.target import OverloadedError, RefusedError, Sent

_PATIENCE = 4
_STRIKES = 10
_NEVER = float("inf")


class Tally(Protocol):
    """Who is told what became of items."""

    def taken(self, batch: Batch, sent: Sent) -> None:
        """They have arrived."""
        ...

    def lost(self, signal: Signal, items: int, reason: str, error: Exception) -> None:
        """They will never arrive."""
        ...

    def retried(self, error: Exception) -> None:
        """A request will be sent again."""
        ...


class Plan:
    """The queue of one target."""

    def __init__(
        self,
        tally: Tally,
        backoff: Backoff,
        *,
        concurrency: int,
        max_request_size: int,
        max_elapsed_s: float | None = None,
    ) -> None:
        self._tally = tally
        self._backoff = backoff
        self._pace = Pace(backoff, concurrency)
        self._max_request_size = max_request_size
        self._max_elapsed_s = _NEVER if max_elapsed_s is None else max_elapsed_s
        self._lines: dict[Signal, deque[Entry]] = {signal: deque() for signal in get_args(Signal)}
        self._held: list[Batch] = []
        self._last_failed: Batch | None = None
        self._under_way = 0
        self._count = 0
        self._taken = 0
        self.queued_bytes = 0

    @property
    def is_empty(self) -> bool:
        """Whether every parcel is done."""
        return not (self._under_way or self._held or any(self._lines.values()))

    def add(self, parcel: Parcel, done: "Future[None]", now: float) -> None:
        """Take a parcel; `done` is set at its end."""
        self._count += 1
        self._lines[parcel.signal].append(Entry(self._count, parcel, done, now))
        self.queued_bytes += len(parcel.body)

    def next(self, now: float) -> Batch | None:
        """Return what is to be sent now, None = nothing; it is under way until it has an end."""
        if self._under_way >= self._pace.slots or now < self._pace.resume_at:
            return None
        batch = self._choose(now)
        if batch is not None:
            batch.round = self._pace.round
            self._under_way += 1
        return batch

    def due(self) -> float:
        """Return when to ask `next` again unless something ends before; inf = no need."""
        if self._under_way >= self._pace.slots:
            return _NEVER
        if any(self._lines.values()):
            return self._pace.resume_at
        return max(self._held[0].due, self._pace.resume_at) if self._held else _NEVER

    def taken(self, batch: Batch, sent: Sent) -> None:
        """End a batch that the target took."""
        self._under_way -= 1
        self._taken += 1
        self._answered()
        self._tally.taken(batch, sent)
        for entry in batch.entries:
            self._settle(entry)

    def put_back(self, batch: Batch) -> None:
        """End the sending of a batch without an answer."""
        self._under_way -= 1
        heappush(self._held, batch)

    def not_now(self, batch: Batch, error: RetryableError, now: float) -> None:
        """Hold a batch that the target may take later."""
        self._under_way -= 1
        self._tally.retried(error)
        is_own_fault = batch.tries > 0 and self._taken > batch.taken_before
        batch.tries += 1
        batch.taken_before = self._taken
        if is_own_fault:
            batch.strikes += 1
            self._pace.asked(now, error.retry_after_s)
            batch.due = now + max(error.retry_after_s, self._backoff.delay_s(batch.tries))
        else:
            self._pace.failed(now, batch.round, error.retry_after_s)
            batch.due = 0.0
        self._expire(batch, error, now)
        if len(batch.entries) > 1 and batch.tries >= _PATIENCE:
            self._cut(batch, tries=1)
        elif batch.strikes >= _STRIKES and isinstance(error, OverloadedError):
            self._lose(batch.entries, "overloaded", error)
        elif batch.entries:
            self._last_failed = batch
            heappush(self._held, batch)

    def never(self, batch: Batch, error: PermanentError) -> None:
        """End a batch that the target refuses for good."""
        self._under_way -= 1
        self._answered()
        if len(batch.entries) > 1 and getattr(error, "is_about_data", True):
            self._cut(batch, tries=0)
        else:
            self._lose(batch.entries, _reason(error), error)

    def _answered(self) -> None:
        self._pace.answered()
        self._last_failed = None

    def _choose(self, now: float) -> Batch | None:
        """Prefer what was held to what is new, and anything to what has failed just now."""
        first = heappop(self._held) if self._held and self._held[0].due <= now else None
        if first is None or first is not self._last_failed:
            return first or self._merge()
        second = heappop(self._held) if self._held and self._held[0].due <= now else None
        second = second or self._merge()
        if second is None:
            return first
        heappush(self._held, first)
        return second

    def _merge(self) -> Batch | None:
        """Make a batch of the parcels in front of the signal that has waited longest."""
        lines = [line for line in self._lines.values() if line]
        if not lines:
            return None
        line = min(lines, key=lambda line: line[0].number)
        entries = [line.popleft()]
        size = len(entries[0].parcel.body)
        while line and (size := size + len(line[0].parcel.body)) <= self._max_request_size:
            entries.append(line.popleft())
        return Batch(entries)

    def _cut(self, batch: Batch, *, tries: int) -> None:
        middle = len(batch.entries) // 2
        for entries in (batch.entries[:middle], batch.entries[middle:]):
            part = Batch(entries)
            part.due, part.tries, part.taken_before = batch.due, tries, batch.taken_before
            heappush(self._held, part)

    def _expire(self, batch: Batch, error: RetryableError, now: float) -> None:
        """Give up what waits for too long: in the batch that failed, and in the lines."""
        since = now - self._max_elapsed_s
        old = [entry for entry in batch.entries if entry.since <= since]
        batch.entries = [entry for entry in batch.entries if entry.since > since]
        for line in self._lines.values():
            while line and line[0].since <= since:
                old.append(line.popleft())
        self._lose(old, "expired", error)

    def _lose(self, entries: list[Entry], reason: str, error: Exception) -> None:
        for entry in entries:
            self._tally.lost(entry.parcel.signal, entry.parcel.items, reason, error)
            self._settle(entry)

    def _settle(self, entry: Entry) -> None:
        self.queued_bytes -= len(entry.parcel.body)
        if not entry.done.done():
            entry.done.set_result(None)


def _reason(error: PermanentError) -> str:
    if isinstance(error, RefusedError):
        return error.reason
    return "too_large" if isinstance(error, TooLargeError) else "refused"
