"""Replay: stored spans through the same door, engine and sinks as live ones."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from scorer.api import ScoredTrace, Sink
from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import Config
from scorer.errors import PermanentError
from scorer.model.times import rfc3339
from scorer.otlp.stored import StoredRequest
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.files import StoredFiles
from scorer.receivers.ingest import AssemblingIngest
from scorer.receivers.take import takers
from scorer.scoring.accounts import accounts_in_memory
from scorer.scoring.books import NoBooks
from scorer.scoring.pipeline import Pipeline
from scorer.scoring.readings.build import replay_readings
from scorer.scoring.scorers import build_scorer
from scorer.scoring.statistics import MetricSummary
from scorer.scoring.summary import RunSummary
from scorer.scoring.tasks import background
from scorer.telemetry import Telemetry


class ReplayProgress(Struct, frozen=True):
    """How far a replay is."""

    bytes_read: int
    bytes_total: int
    spans: int
    traces: int
    scores: int


class ReplaySummary(Struct, frozen=True, kw_only=True):
    """What a replay read and made. `problems` holds the first texts of `problem_count`.

    `outside_window` counts the traces that `since` and `until` left out.
    """

    files: int
    skipped_files: tuple[str, ...]
    spans: dict[str, int]
    traces: dict[str, int]
    closed_by_reason: dict[str, int]
    log_records: dict[str, int]
    problem_count: int
    problems: tuple[str, ...]
    metrics: tuple[MetricSummary, ...]
    outside_window: int = 0


class _ReplayClock:
    """The largest span end time that was read, in seconds; `arrived`: that of metrics, too.

    Metrics go on when no agent runs, so they drive no timer.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.arrived = 0.0

    def __call__(self) -> float:
        return self.now

    def read(self, request: StoredRequest) -> None:
        """Note the time of a request."""
        seconds = request.time_ns / 1e9
        self.arrived = max(self.arrived, seconds)
        if request.signal != "metrics":
            self.now = max(self.now, seconds)


# Unix nanoseconds: from, to; None = open.
Window = tuple[int | None, int | None]


class InWindow:
    """A sink that passes on the traces that ended inside a window of time; counts the others."""

    def __init__(self, sink: Sink, window: Window) -> None:
        since, until = window
        # RFC 3339 in UTC with nine digits of a second sorts as text.
        self._since = None if since is None else rfc3339(since)
        self._until = None if until is None else rfc3339(until)
        self._sink = sink
        self.left_out = 0

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Pass on what is inside; a trace without a time is outside of every closed window."""
        inside = [trace for trace in traces if self._is_inside(trace.event_time)]
        self.left_out += len(traces) - len(inside)
        await self._sink.write(inside)

    async def close(self) -> None:
        """Close the sink."""
        await self._sink.close()

    def _is_inside(self, time: str | None) -> bool:
        if self._since is not None and (time is None or time < self._since):
            return False
        return self._until is None or (time is not None and time < self._until)


async def replay(  # noqa: PLR0913 - a run has these parameters
    config: Config,
    sources: Sequence[str],
    *,
    sinks: Sequence[Sink] = (),
    progress: Callable[[ReplayProgress], None] | None = None,
    since_ns: int | None = None,
    until_ns: int | None = None,
) -> ReplaySummary:
    """Score stored spans; of the traces, those that ended in [since, until) go to the sinks.

    The same engine as live; the clock is the largest span end time read so far, and every
    timer has `replay.lateness` added. Files that hold nothing readable are reported.

    Raises:
        ConfigError: a source does not exist, or the configuration is wrong.
        PermanentError: a named file holds no OTLP.
        SpanscoreError: a sink failed, or no scoring worker starts.
    """
    run = _Replay(config, sources, sinks, (since_ns, until_ns))
    return await run.run(progress or (lambda _: None))


class _Replay:
    """One run over stored files."""

    def __init__(
        self, config: Config, sources: Sequence[str], sinks: Sequence[Sink], window: Window
    ) -> None:
        self._files = StoredFiles(sources)
        self._telemetry = Telemetry()
        self._budget = MemoryBudget(config.assembly.memory)
        self._clock = _ReplayClock()
        settings = assembler_settings(config.assembly, float(config.replay.lateness))
        self._assembler = Assembler(settings, self._budget)
        self._scorer = build_scorer(config, self._telemetry)
        self._summary = RunSummary()
        self._sinks = tuple(InWindow(sink, window) for sink in (*sinks, self._summary))
        readings = replay_readings(config, self._telemetry, lambda: self._clock.arrived)
        self._pipeline = Pipeline(
            self._scorer,
            self._sinks,
            self._budget,
            self._telemetry,
            clock=self._clock,
            books=NoBooks(self._assembler),
            attach=list if readings is None else readings.attach,
            accounts=accounts_in_memory(
                self._scorer.metrics, config.scoring.accounts, self._telemetry
            ),
        )
        self._ingest = AssemblingIngest(
            source="files",
            assembler=self._assembler,
            # Room is made before each request, for nobody can send a file again.
            admission=Admission(self._assembler, self._budget, reserve=0),
            telemetry=self._telemetry,
            clock=self._clock,
            on_closed=self._pipeline.submit,
            readings=readings,
        )
        self._takers = takers(self._ingest)
        self._bad_requests: list[str] = []

    async def run(self, progress: Callable[[ReplayProgress], None]) -> ReplaySummary:
        async with contextlib.AsyncExitStack() as stack:
            for sink in self._sinks:
                stack.push_async_callback(sink.close)
            stack.push_async_callback(self._scorer.stop)
            # Left first, so that nothing is scored or written when a run is given up.
            tasks = await stack.enter_async_context(background())
            tasks.append(asyncio.create_task(self._pipeline.run()))
            await self._scorer.start()
            await self._score_all(progress)
        progress(self._progress())
        return self._result()

    async def _score_all(self, progress: Callable[[ReplayProgress], None]) -> None:
        with contextlib.closing(self._files.requests()) as requests:
            for request in requests:
                await self._take(request)
                self._check_sinks()
                progress(self._progress())
        self._pipeline.submit(self._assembler.drain(self._clock.now, "replay_end"))
        await self._pipeline.drain()
        self._check_sinks()

    def _check_sinks(self) -> None:
        """Stop when scores are lost: a replay can be run again, an incomplete file misleads."""
        if self._pipeline.sink_error is not None:
            raise self._pipeline.sink_error

    async def _take(self, request: StoredRequest) -> None:
        self._clock.read(request)
        await self._make_room(len(request.body))
        self._count_rejected(request)
        try:
            self._takers[request.signal](request.body)
        except PermanentError as error:
            self._bad_requests.append(str(error))
        self._ingest.poll()
        await asyncio.sleep(0)

    def _count_rejected(self, request: StoredRequest) -> None:
        """Count what was not usable when the file was read: the door never sees it."""
        if request.rejected and request.signal == "traces":
            self._telemetry.add("spanscore_offered_spans_total", request.rejected)
            self._telemetry.add("spanscore_refused_spans_total", request.rejected, reason="invalid")

    async def _make_room(self, size: int) -> None:
        """Wait for scores, then close the oldest traces."""
        if self._budget.fits(size):
            return
        await self._pipeline.drain()
        if not self._budget.fits(size):
            self._pipeline.submit(self._assembler.relieve(size, self._clock.now))
            await self._pipeline.drain()

    def _progress(self) -> ReplayProgress:
        spans = int(self._telemetry.value("spanscore_accepted_spans_total"))
        files, summary = self._files, self._summary
        return ReplayProgress(
            files.bytes_read, files.bytes_total, spans, summary.traces, summary.scores
        )

    def _result(self) -> ReplaySummary:
        problems = [*map(str, self._files.problems), *self._bad_requests]
        return ReplaySummary(
            files=self._files.files_read,
            skipped_files=tuple(self._files.skipped),
            spans=self._counts("spanscore_{}_spans_total", _SPAN_FATES),
            traces=self._counts(
                "spanscore_{}_traces_total", ("closed", "not_agent", "quarantined")
            ),
            closed_by_reason=self._telemetry.by_label("spanscore_closed_traces_total", "reason"),
            log_records=self._telemetry.by_label("spanscore_log_records_total", "outcome"),
            problem_count=len(problems),
            problems=tuple(problems[:10]),
            metrics=self._summary.metrics(),
            outside_window=self._sinks[-1].left_out,
        )

    def _counts(self, template: str, fates: Sequence[str]) -> dict[str, int]:
        return {fate: int(self._telemetry.value(template.format(fate))) for fate in fates}


_SPAN_FATES = (
    "offered",
    "refused",
    "accepted",
    "duplicate",
    "late_unjoined",
    "closed",
    "scored",
    "not_agent",
    "quarantined",
)
