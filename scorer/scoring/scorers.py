"""Who runs the engine: this process, or a pool of processes.

Both take a batch of closed traces and return their scored forms in the same order, and
never raise for what a metric does.

The pool isolates by looking. A worker notes which trace and which metric it is at, so when it
hangs or dies, the culprit is known: its trace is scored apart, once more as it is (somebody
may have killed the worker) and then without that metric, whose score is `failed`; the rest
of the batch goes on. A trace at which workers fail outside of any metric is quarantined. A
metric that keeps doing it is barred everywhere for a while.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import msgspec

from scorer.api import ScoredTrace
from scorer.config import Config, to_plain
from scorer.errors import SpanscoreError
from scorer.model.trace import ClosedTrace
from scorer.registry import LoadedMetric
from scorer.scoring import worker
from scorer.scoring.backlog import Backlog, work
from scorer.scoring.breaker import Breaker
from scorer.scoring.engine import Engine, build_engine, quarantined
from scorer.scoring.process import TaskFailedError, WorkerProcess
from scorer.scoring.worker import Task
from scorer.telemetry import Telemetry

_LOG = logging.getLogger("spanscore.scoring")

_MAX_WORKERS = 8


class Scorer(Protocol):
    """Scores batches of closed traces."""

    concurrency: int

    @property
    def metrics(self) -> Sequence[LoadedMetric]:
        """The metrics that run."""
        ...

    async def start(self) -> None:
        """Get ready; returns when the first batch can be scored without delay.

        Raises:
            SpanscoreError: It cannot be made ready.
        """
        ...

    async def score(self, traces: Sequence[ClosedTrace]) -> list[ScoredTrace]:
        """Return one scored trace for each closed one, in the same order."""
        ...

    async def stop(self) -> None:
        """Release everything; what still runs is given up."""
        ...


class InProcessScorer:
    """Scores in this process, a trace at a time, giving way to other work in between."""

    concurrency = 1

    def __init__(self, engine: Engine, backlog: Backlog) -> None:
        self._engine = engine
        self.metrics: Sequence[LoadedMetric] = engine.metrics
        self._backlog = backlog

    async def start(self) -> None:
        """Nothing to prepare."""

    async def score(self, traces: Sequence[ClosedTrace]) -> list[ScoredTrace]:
        """Score one trace after the other."""
        scored = []
        started = time.monotonic()
        for trace in traces:
            scored.append(self._engine.score(trace))
            await asyncio.sleep(0)
        self._backlog.scored(_work(traces), time.monotonic() - started)
        return scored

    async def stop(self) -> None:
        """Nothing to release."""


class PoolScorer:
    """Scores in `workers` spawned processes."""

    def __init__(
        self,
        config: Config,
        workers: int,
        metrics: Sequence[LoadedMetric],
        on_restart: Callable[[], None],
        backlog: Backlog,
    ) -> None:
        # Two batches a worker keep it busy while a result is taken in.
        self.concurrency = 2 * workers
        self._backlog = backlog
        backlog.scorers = workers
        self.metrics = metrics
        self._names = tuple(loaded.spec.name for loaded in metrics)
        self._on_restart = on_restart
        self._breaker = Breaker(cool_down=600.0, window=600.0)
        limits = [loaded.timeout_s for loaded in metrics]
        silence = float(config.scoring.task_timeout)
        plain = to_plain(config)
        self._workers = [WorkerProcess(plain, limits, silence) for _ in range(workers)]
        self._idle: asyncio.Queue[WorkerProcess] = asyncio.Queue()
        for process in self._workers:
            self._idle.put_nowait(process)
        # A thread a worker waits on its pipe, so that the event loop never does.
        self._threads = ThreadPoolExecutor(workers, "worker", initializer=_block_signals)

    async def start(self) -> None:
        """Start the processes and wait until they take tasks.

        Raises:
            SpanscoreError: None of them starts.
        """
        loop = asyncio.get_running_loop()
        processes = [self._idle.get_nowait() for _ in range(self._idle.qsize())]
        starts = [loop.run_in_executor(self._threads, process.start) for process in processes]
        results = await asyncio.gather(*starts, return_exceptions=True)
        for process in processes:
            self._idle.put_nowait(process)
        failures = [str(result) for result in results if isinstance(result, TaskFailedError)]
        if len(failures) == len(processes):
            raise SpanscoreError(
                f"no scoring worker starts ({failures[0]}); what it printed stands above, and "
                "scoring.workers: 0 scores without workers"
            )

    async def score(self, traces: Sequence[ClosedTrace]) -> list[ScoredTrace]:
        """Score a batch; the trace at which a worker fails is scored apart from the others."""
        batch = list(traces)
        try:
            return await self._run(batch, self._barred())
        except TaskFailedError as error:
            at = min(error.place.trace, len(batch) - 1) if error.place else 0
            before, culprit, after = batch[:at], batch[at], batch[at + 1 :]
            scored = await self.score(before) if before else []
            if len(batch) == 1 or str(error) == "timeout":
                scored.append(await self._score_alone(culprit, error))
            else:
                scored += await self.score([culprit])
            return scored + (await self.score(after) if after else [])

    async def stop(self) -> None:
        """End the processes."""
        for process in self._workers:
            process.stop()
        await asyncio.to_thread(self._threads.shutdown)
        for process in self._workers:  # one that was just being started
            process.kill()

    async def _score_alone(self, trace: ClosedTrace, error: TaskFailedError) -> ScoredTrace:
        """Score a trace at which a worker failed, without the metrics that are to blame."""
        barred = self._barred()
        for _ in range(len(self._names) + 1):
            culprit = error.place.metric if error.place else None
            if culprit is None:
                return quarantined(trace, str(error))
            name = self._names[culprit]
            _LOG.error("metric %s on trace %s: %s", name, trace.trace_id.hex(), error)
            self._breaker.strike(name, time.monotonic())
            barred[name] = str(error)
            try:
                return (await self._run([trace], barred))[0]
            except TaskFailedError as again:
                error = again
        return quarantined(trace, str(error))

    def _barred(self) -> dict[str, str]:
        return dict.fromkeys(self._breaker.open_names(time.monotonic()), "suspended")

    async def _run(
        self, traces: Sequence[ClosedTrace], barred: dict[str, str]
    ) -> list[ScoredTrace]:
        """Score traces in a worker; raises TaskFailedError with the reason code."""
        process = await self._idle.get()
        # Not before: what waits for a worker need not be there a second time.
        data = worker.encode_task(Task(tuple(traces), barred))
        loop = asyncio.get_running_loop()
        started = time.monotonic()
        try:
            scored = worker.decode_result(
                await loop.run_in_executor(self._threads, process.call, data)
            )
        except TaskFailedError:
            self._on_restart()
            raise
        except msgspec.MsgspecError as error:  # two processes write to one pipe: a metric forked
            self._on_restart()
            process.kill()
            raise TaskFailedError("worker_died") from error
        finally:
            self._backlog.scored(_work(traces), time.monotonic() - started)
            self._idle.put_nowait(process)
        return scored


def _block_signals() -> None:
    """Let a process that this thread starts come to life without being hit by a signal."""
    signal.pthread_sigmask(signal.SIG_BLOCK, worker.SIGNALS)


def _work(traces: Sequence[ClosedTrace]) -> float:
    return sum(work(len(trace.spans), trace.size) for trace in traces)


def build_scorer(config: Config, telemetry: Telemetry, backlog: Backlog | None = None) -> Scorer:
    """Return what runs the metrics: this process for 0 workers, else a pool.

    It tells `backlog` how long spans take.
    """
    backlog = backlog or Backlog(float(config.scoring.max_backlog))
    engine = build_engine(config)
    wanted = config.scoring.workers
    workers = _auto_workers() if wanted == "auto" else wanted
    if workers == 0:
        return InProcessScorer(engine, backlog)
    return PoolScorer(
        config,
        workers,
        engine.metrics,
        lambda: telemetry.add("spanscore_worker_restarts_total"),
        backlog,
    )


def _auto_workers() -> int:
    """Return one worker a core, less the one that receives and assembles."""
    return max(1, min(_MAX_WORKERS, (os.cpu_count() or 2) - 1))
