"""From closed traces to the sinks, in close order.

Traces are scored in batches, several batches at a time, and leave in the order in which
they were closed whatever the number of workers. A trace counts as open until its verdict is
counted, and stays charged to the memory budget until the sinks have it: when scoring or a
sink is slow, the budget fills and the receivers refuse, so nothing piles up unseen.

A trace that is to be passed on as well stays charged, and in the log, until that is done. That
holds up neither the sinks nor other batches: a target may never take one trace. Only a batch with
a later revision of a trace waits for the one before, or a crash would lose that.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence

from scorer.api import ScoredTrace, Sink
from scorer.assembly.budget import MemoryBudget
from scorer.errors import RetryableError, SpanscoreError
from scorer.model.trace import ClosedTrace
from scorer.scoring.accounts import Accounts
from scorer.scoring.backlog import work
from scorer.scoring.books import Books
from scorer.scoring.engine import quarantined
from scorer.scoring.forwarding import Done, Forwarder, NoForwarder
from scorer.scoring.scorers import Scorer
from scorer.telemetry import FaultLog, Telemetry, failpoints

_LOG = logging.getLogger("spanscore.pipeline")

_BATCH_TRACES = 32
_BATCH_BYTES = 2**20
_RETRY_DELAYS = (0.05, 0.2, 1.0)
_BOOKS_RETRY_S = 1.0

_Slots = asyncio.Queue[tuple[list[ClosedTrace], asyncio.Task[list[ScoredTrace]]]]
_Key = tuple[str, bytes]


class Pipeline:
    """The queue of closed traces, their scoring, and their way out."""

    def __init__(  # noqa: PLR0913 - it stands between these seven
        self,
        scorer: Scorer,
        sinks: Sequence[Sink],
        budget: MemoryBudget,
        telemetry: Telemetry,
        *,
        clock: Callable[[], float],
        books: Books,
        accounts: Accounts | None = None,
        forwarder: Forwarder | None = None,
        attach: Callable[[Sequence[ClosedTrace]], Sequence[ClosedTrace]] = lambda traces: traces,
    ) -> None:
        """`attach` gives closed traces what is known of them beside their spans."""
        self._scorer = scorer
        self._sinks = tuple(sinks)
        self._budget = budget
        self._telemetry = telemetry
        self._clock = clock
        self._books = books
        self._accounts = accounts
        self._forwarder = forwarder or NoForwarder()
        self._attach = attach
        self._faults = FaultLog(_LOG)
        self._waiting: deque[ClosedTrace] = deque()
        self._pending: deque[ClosedTrace] = deque()
        self._leaving: dict[_Key, asyncio.Task[None]] = {}
        self._settles = asyncio.Lock()
        self._arrived = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.pending_spans = 0
        self.pending_work = 0.0
        self.unforwarded_traces = 0
        """Traces that have a verdict, and wait until they are passed on and noted as scored."""
        self._failing: set[int] = set()
        self.sink_error: SpanscoreError | None = None
        """Why a sink lost scores, the last time that one did; None = never."""

    @property
    def pending_traces(self) -> int:
        """How many traces are closed but have no verdict yet."""
        return len(self._pending)

    def find(self, trace_id: bytes, tenant: str = "") -> ClosedTrace | None:
        """Return a trace that is closed but has no verdict yet."""
        key = (trace_id, tenant)
        return next((t for t in self._pending if (t.trace_id, t.tenant) == key), None)

    def submit(self, traces: Sequence[ClosedTrace]) -> None:
        """Queue closed traces; they are emitted in this order."""
        if not traces:
            return
        failpoints.failpoint("after_close")
        traces = self._attach(traces)
        self._waiting.extend(traces)
        self._pending.extend(traces)
        self.pending_spans += sum(trace.fresh_spans for trace in traces)
        self.pending_work += sum(work(len(trace.spans), trace.size) for trace in traces)
        self._forwarder.closed(traces)
        self._idle.clear()
        self._arrived.set()

    async def drain(self) -> None:
        """Wait until everything that was submitted is out."""
        await self._idle.wait()

    async def run(self) -> None:
        """Score and emit until cancelled."""
        slots: _Slots = asyncio.Queue(self._scorer.concurrency)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._emit(slots, tasks))
            while True:
                await self._arrived.wait()
                while self._waiting:
                    batch = self._take()
                    await slots.put((batch, tasks.create_task(self._score(batch))))
                self._arrived.clear()

    def _take(self) -> list[ClosedTrace]:
        """Return the next batch; it has one revision of a trace.

        The books hold the newest one only: were two noted at once, a crash before the sinks
        would lose the first.
        """
        batch: list[ClosedTrace] = []
        taken = set[_Key]()
        size = 0
        while self._waiting and len(batch) < _BATCH_TRACES and size < _BATCH_BYTES:
            key = _key(self._waiting[0])
            if key in taken:
                break
            taken.add(key)
            batch.append(self._waiting.popleft())
            size += batch[-1].size
        return batch

    async def _score(self, batch: list[ClosedTrace]) -> list[ScoredTrace]:
        try:
            return await self._scorer.score(batch)
        except Exception as error:  # noqa: BLE001 - the boundary of one batch
            self._faults.report("scoring a batch failed", error)
            return [quarantined(trace, "scoring_failed") for trace in batch]

    async def _emit(self, slots: _Slots, tasks: asyncio.TaskGroup) -> None:
        while True:
            batch, task = await slots.get()
            scored = await task
            await self._insist(self._books.closing, batch)
            scored = await self._booked(scored)
            failpoints.failpoint("after_booking")
            self._count(batch, scored)
            for sink in self._sinks:
                await self._write(sink, scored)
            failpoints.failpoint("after_sink")
            self.unforwarded_traces += len(batch)
            self._leave(batch, self._forwarder.forward(batch, scored), tasks)

    def _leave(self, batch: list[ClosedTrace], accepted: Done, tasks: asyncio.TaskGroup) -> None:
        """Settle a batch when it is accepted, and earlier revisions of its traces are settled."""
        keys = [_key(trace) for trace in batch]
        before = {self._leaving[key] for key in keys if key in self._leaving}
        task = tasks.create_task(self._settle(batch, accepted, before))
        self._leaving.update(dict.fromkeys(keys, task))

    async def _settle(
        self, batch: list[ClosedTrace], accepted: Done, before: Collection[asyncio.Task[None]]
    ) -> None:
        """Release what has been passed on."""
        for done in (accepted, *before):
            await done
        async with self._settles:
            failpoints.failpoint("after_forward")
            await self._insist(self._books.scored, batch)
        self.unforwarded_traces -= len(batch)
        for trace in batch:
            self._budget.release(trace.size, trace.tenant)
            if self._leaving[_key(trace)] is asyncio.current_task():
                del self._leaving[_key(trace)]
        if not self._pending and not self.unforwarded_traces:
            self._idle.set()

    def _count(self, batch: Sequence[ClosedTrace], scored: Sequence[ScoredTrace]) -> None:
        """Count the verdicts: closed = scored + not_agent + quarantined, traces and spans."""
        now, add = self._clock(), self._telemetry.add
        for trace, result in zip(batch, scored, strict=True):
            spans = trace.fresh_spans
            self._pending.popleft()
            self.pending_spans -= spans
            self.pending_work -= work(len(trace.spans), trace.size)
            add("spanscore_closed_traces_total", reason=trace.reason)
            add("spanscore_closed_spans_total", spans)
            if result.completeness.undecodable:
                add("spanscore_undecodable_total", result.completeness.undecodable)
            add(f"spanscore_{result.verdict}_spans_total", spans)
            if result.verdict == "not_agent":
                add("spanscore_not_agent_traces_total")
            elif result.verdict == "quarantined":
                add("spanscore_quarantined_traces_total", reason=result.reason or "unknown")
            self._telemetry.observe("spanscore_scoring_delay_seconds", max(now - trace.closed, 0))

    async def _insist(
        self, note: Callable[[Sequence[ClosedTrace]], Awaitable[None]], batch: list[ClosedTrace]
    ) -> None:
        """Note a batch, as often as it takes: nothing of its kind may overtake it.

        Meanwhile the memory budget fills, and senders are refused.
        """
        while True:
            try:
                await note(batch)
            except RetryableError as error:
                self._faults.report("closed traces wait", error)
                await asyncio.sleep(_BOOKS_RETRY_S)
            else:
                return

    async def _booked(self, scored: list[ScoredTrace]) -> list[ScoredTrace]:
        """Book what the traces add to accounts, as often as it takes, and score that."""
        while self._accounts is not None:
            try:
                return await self._accounts.settle(scored)
            except RetryableError as error:
                self._faults.report("closed traces wait", error)
                await asyncio.sleep(_BOOKS_RETRY_S)
            except Exception as error:  # noqa: BLE001 - the boundary of one batch
                self._faults.report("a batch cannot be booked", error)
                break
        return scored

    async def _write(self, sink: Sink, scored: Sequence[ScoredTrace]) -> None:
        """Write to a sink, several times if it asks for it; then its scores are lost, counted.

        A sink that lost scores gets one try a batch until it works again: it must not hold
        up the others.
        """
        name = type(sink).__name__
        delays = () if id(sink) in self._failing else _RETRY_DELAYS
        for delay in (*delays, None):
            try:
                await sink.write(scored)
            except RetryableError as error:
                self.sink_error = error
                if delay is not None:
                    await asyncio.sleep(delay)
            except Exception as error:  # noqa: BLE001 - the boundary of one sink
                self.sink_error = SpanscoreError(f"{name} failed: {type(error).__name__}")
                self._faults.report(f"{name} failed", error)
                break
            else:
                self._failing.discard(id(sink))
                return
        self._failing.add(id(sink))
        self._telemetry.add("spanscore_sink_errors_total", sink=name)
        if isinstance(self.sink_error, RetryableError):
            self._faults.report(f"{name} lost scores", self.sink_error)


def _key(trace: ClosedTrace) -> _Key:
    return trace.tenant, trace.trace_id
