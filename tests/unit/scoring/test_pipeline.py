"""From closed traces to sinks: order, counting, memory, failing sinks."""

import asyncio

import pytest
from msgspec.structs import replace

from scorer.assembly.budget import MemoryBudget
from scorer.errors import RetryableError
from scorer.model.position import Position
from scorer.model.reading import Coverage, Measured
from scorer.model.score import ScoredTrace
from scorer.model.trace import ClosedTrace, Completeness
from scorer.scoring import pipeline as pipeline_module
from scorer.scoring.pipeline import Pipeline
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, RecordingSink


def closed(number, spans=2):
    return ClosedTrace(
        tenant="",
        trace_id=number.to_bytes(16, "big"),
        spans=(b"span",) * spans,
        span_envelopes=(),
        reason="root",
        opened=0,
        closed=1000,
        completeness=Completeness(span_count=spans, root_present=True),
        first_position=Position("t", 0, number),
        last_position=Position("t", 0, number),
        size=100,
        fresh_spans=spans,
    )


def result(trace, verdict="scored"):
    return ScoredTrace(
        tenant="",
        trace_id=trace.trace_id.hex(),
        service="s",
        verdict=verdict,
        close_reason="root",
        completeness=trace.completeness,
    )


class FakeScorer:
    """Finishes batches in the order that the test releases them."""

    concurrency = 4

    def __init__(self, verdict="scored"):
        self.verdict = verdict
        self.gates = []
        self.held = False
        self.raises = False

    async def start(self):
        pass

    async def stop(self):
        pass

    async def score(self, traces):
        if self.raises:
            raise RuntimeError("the scorer broke")
        if self.held:
            gate = asyncio.Event()
            self.gates.append(gate)
            await gate.wait()
        return [result(trace, self.verdict) for trace in traces]


class Run:
    """A running pipeline with one recording sink."""

    def __init__(self, scorer, *sinks, forwarder=None, accounts=None, attach=list):
        self.scorer, self.telemetry, self.budget = scorer, Telemetry(), MemoryBudget(10**6)
        self.sink = RecordingSink()
        self.pipeline = Pipeline(
            scorer,
            [*sinks, self.sink],
            self.budget,
            self.telemetry,
            clock=ManualClock(),
            books=self,
            forwarder=forwarder,
            attach=attach,
            accounts=accounts,
        )
        self.noted = []
        self.books_raise = []

    async def closing(self, batch):
        self._note("closing", batch)

    async def scored(self, batch):
        self._note("scored", batch)

    def _note(self, what, batch):
        if self.books_raise:
            raise self.books_raise.pop(0)
        self.noted += [(what, trace.trace_id[-1], len(self.sink.traces)) for trace in batch]

    async def __aenter__(self):
        self.task = asyncio.create_task(self.pipeline.run())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    def submit(self, *traces):
        self.budget.charge(sum(trace.size for trace in traces))
        self.pipeline.submit(traces)


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No real waiting between tries, and one trace a batch."""
    monkeypatch.setattr(pipeline_module, "_RETRY_DELAYS", (0.0, 0.0))
    monkeypatch.setattr(pipeline_module, "_BATCH_TRACES", 1)


async def test_what_is_attached_to_a_closed_trace_goes_all_the_way():
    """The books, the scorer and whoever asks for the trace see it with its readings."""
    told = (Measured("energy_kwh", 0.1, "hw.energy", Coverage(1.0, 0.0)),)
    seen = []

    class Scorer(FakeScorer):
        async def score(self, traces):
            seen.extend(traces)
            return await super().score(traces)

    def attach(traces):
        return [replace(trace, readings=told) for trace in traces]

    async with Run(Scorer(), attach=attach) as run:
        run.submit(closed(1))
        assert run.pipeline.find(closed(1).trace_id).readings == told
        await run.pipeline.drain()
    assert [trace.readings for trace in seen] == [told]


async def test_results_leave_in_close_order_whichever_is_ready_first():
    """Batches finish backwards; the sink still sees them forwards."""
    scorer = FakeScorer()
    scorer.held = True
    async with Run(scorer) as run:
        run.submit(closed(1), closed(2), closed(3))
        await settle()
        for gate in reversed(scorer.gates):
            gate.set()
            await settle()
        await run.pipeline.drain()
    assert [trace.trace_id[-1] for trace in run.sink.traces] == ["1", "2", "3"]


async def test_memory_is_given_back_when_the_sinks_have_the_scores():
    """Until then the traces stay charged."""
    scorer = FakeScorer()
    scorer.held = True
    async with Run(scorer) as run:
        run.submit(closed(1), closed(2))
        await settle()
        assert run.budget.used == 200
        for gate in scorer.gates:
            gate.set()
        await run.pipeline.drain()
    assert run.budget.used == 0


@pytest.mark.parametrize("verdict", ["scored", "not_agent", "quarantined"])
async def test_every_closed_span_is_counted_under_one_verdict(verdict):
    """closed = scored + not_agent + quarantined, and nothing stays pending."""
    async with Run(FakeScorer(verdict)) as run:
        run.submit(closed(1, spans=3), closed(2, spans=4))
        assert (run.pipeline.pending_traces, run.pipeline.pending_spans) == (2, 7)
        await run.pipeline.drain()
    assert run.telemetry.value(f"spanscore_{verdict}_spans_total") == 7
    assert run.telemetry.value("spanscore_closed_spans_total") == 7
    assert (run.pipeline.pending_traces, run.pipeline.pending_spans) == (0, 0)


async def test_a_scorer_that_breaks_quarantines_its_batch():
    """Nothing is lost silently and the pipeline goes on."""
    scorer = FakeScorer()
    scorer.raises = True
    async with Run(scorer) as run:
        run.submit(closed(1))
        await run.pipeline.drain()
        scorer.raises = False
        run.submit(closed(2))
        await run.pipeline.drain()
    assert [trace.verdict for trace in run.sink.traces] == ["quarantined", "scored"]


async def test_a_sink_that_fails_for_a_moment_gets_the_traces_again():
    """A retryable error is tried again; nothing is written twice."""
    async with Run(FakeScorer()) as run:
        run.sink.raises = [RetryableError("disk full")]
        run.submit(closed(1))
        await run.pipeline.drain()
    assert len(run.sink.traces) == 1
    assert run.telemetry.value("spanscore_sink_errors_total") == 0


@pytest.mark.parametrize("error", [RetryableError("disk full"), ValueError("bug")])
async def test_a_sink_that_keeps_failing_is_counted_and_harms_no_other(error):
    """The next sink gets the scores all the same."""
    broken = RecordingSink()
    broken.raises = [error] * 10
    async with Run(FakeScorer(), broken) as run:
        run.submit(closed(1))
        await run.pipeline.drain()
    assert len(run.sink.traces) == 1
    assert run.telemetry.value("spanscore_sink_errors_total") == 1


async def test_drain_returns_at_once_when_there_is_nothing():
    """An idle pipeline is drained."""
    async with Run(FakeScorer()) as run:
        await asyncio.wait_for(run.pipeline.drain(), 1)


async def test_a_sink_that_stays_broken_is_not_waited_for_again_and_again():
    """After it lost a batch it gets one try a batch, so the others are not held up."""
    broken = RecordingSink()
    broken.raises = [RetryableError("disk full")] * 100
    async with Run(FakeScorer(), broken) as run:
        run.submit(*(closed(number) for number in range(1, 6)))
        await run.pipeline.drain()
        assert len(broken.raises) == 100 - 3 - 4  # three tries for the first batch, then one each
        assert run.telemetry.value("spanscore_sink_errors_total") == 5
        broken.raises.clear()
        run.submit(closed(6))
        await run.pipeline.drain()
    assert [trace.trace_id[-1] for trace in broken.traces] == ["6"]


async def test_what_did_not_decode_is_counted():
    """A span that was acknowledged and then could not be read must not vanish."""
    trace = replace(
        closed(1), completeness=Completeness(span_count=2, root_present=True, undecodable=1)
    )
    async with Run(FakeScorer()) as run:
        run.submit(trace)
        await run.pipeline.drain()
    assert run.telemetry.value("spanscore_undecodable_total") == 1


async def test_a_closing_is_noted_before_the_sinks_and_as_scored_after_them():
    """So that after a crash a score id never gets a second value."""
    async with Run(FakeScorer()) as run:
        run.submit(closed(1), closed(2))
        await run.pipeline.drain()
    of_first, of_second = (
        [(what, seen) for what, number, seen in run.noted if number == wanted] for wanted in (1, 2)
    )
    assert [what for what, _ in of_first] == [what for what, _ in of_second]
    assert [what for what, _ in of_first] == ["closing", "scored"]
    assert (of_first[0][1], of_second[0][1]) == (0, 1)
    assert of_first[1][1] >= 1
    assert of_second[1][1] == 2


async def test_nothing_overtakes_a_note_that_fails(monkeypatch):
    """It is tried again until it is written, and what is held stays charged meanwhile."""
    monkeypatch.setattr(pipeline_module, "_BOOKS_RETRY_S", 0.0)
    async with Run(FakeScorer()) as run:
        run.books_raise = [RetryableError("disk full")] * 3
        run.submit(closed(1))
        await settle()
        await run.pipeline.drain()
    assert [what for what, *_ in run.noted] == ["closing", "scored"]
    assert len(run.sink.traces) == 1


async def test_a_revision_counts_its_fresh_spans_only():
    """The others were counted with the revision before."""
    async with Run(FakeScorer()) as run:
        run.submit(closed(1), replace(closed(1, spans=3), revision=2, fresh_spans=1))
        await run.pipeline.drain()
    assert run.telemetry.value("spanscore_closed_spans_total") == 3
    assert run.telemetry.value("spanscore_scored_spans_total") == 3


class FakeForwarder:
    """Is done with a batch when a test says so."""

    def __init__(self):
        self.noted, self.batches, self.dones = [], [], []

    def closed(self, traces):
        self.noted += traces

    def forward(self, batch, scored):
        self.batches.append((batch, scored))
        self.dones.append(asyncio.get_running_loop().create_future())
        return self.dones[-1]


class TestForwarding:
    """What is passed on is not released before, and holds up nobody else."""

    async def test_the_sinks_go_on_while_a_target_is_slow(self):
        """Batch after batch; what is held stays charged, and nothing is noted as scored."""
        forwarder = FakeForwarder()
        async with Run(FakeScorer(), forwarder=forwarder) as run:
            for number in (1, 2, 3):
                run.submit(closed(number))
                await settle()
            assert len(run.sink.traces) == 3
            assert run.budget.used == 300
            assert [what for what, *_ in run.noted] == ["closing"] * 3
            assert run.pipeline.unforwarded_traces == 3
            assert run.pipeline.pending_traces == 0

    async def test_what_is_accepted_waits_for_no_other_trace(self):
        """A target may never take one of them; its memory alone stays charged."""
        forwarder = FakeForwarder()
        async with Run(FakeScorer(), forwarder=forwarder) as run:
            for number in (1, 2):
                run.submit(closed(number))
                await settle()
            forwarder.dones[1].set_result(None)
            await settle()
            assert run.budget.used == 100
            assert run.pipeline.unforwarded_traces == 1
            assert [number for what, number, _ in run.noted if what == "scored"] == [2]
            forwarder.dones[0].set_result(None)
            await run.pipeline.drain()
        assert run.budget.used == 0

    async def test_a_revision_is_settled_after_the_one_before(self):
        """Were the later one noted as scored first, a crash would lose the spans of the other."""
        forwarder = FakeForwarder()
        async with Run(FakeScorer(), forwarder=forwarder) as run:
            for revision in (1, 2, 3):
                run.submit(replace(closed(1), revision=revision))
                await settle()
            forwarder.dones[2].set_result(None)
            forwarder.dones[1].set_result(None)
            await settle()
            assert run.budget.used == 300
            assert [what for what, *_ in run.noted] == ["closing"] * 3
            forwarder.dones[0].set_result(None)
            await run.pipeline.drain()
        assert run.budget.used == 0
        assert [number for what, number, _ in run.noted if what == "scored"] == [1, 1, 1]

    async def test_a_drain_waits_for_the_targets(self):
        """So that a stop loses nothing that it has time for."""
        forwarder = FakeForwarder()
        async with Run(FakeScorer(), forwarder=forwarder) as run:
            run.submit(closed(1))
            await settle()
            draining = asyncio.create_task(run.pipeline.drain())
            await settle()
            assert not draining.done()
            forwarder.dones[0].set_result(None)
            await draining

    async def test_a_forwarder_is_told_of_traces_when_they_close(self):
        """So that it need not wait for their scores for ever."""
        forwarder, scorer = FakeForwarder(), FakeScorer()
        scorer.held = True
        async with Run(scorer, forwarder=forwarder) as run:
            run.submit(closed(1))
            await settle()
            assert [trace.trace_id[-1] for trace in forwarder.noted] == [1]
            assert forwarder.batches == []


async def test_revisions_of_one_trace_leave_one_after_the_other(monkeypatch):
    """The sinks have the first before the next is noted: a crash in between loses neither."""
    monkeypatch.setattr(pipeline_module, "_BATCH_TRACES", 10)
    async with Run(FakeScorer()) as run:
        run.submit(closed(1), closed(2), replace(closed(1), revision=2), closed(3))
        await run.pipeline.drain()
    closings = [(number, in_sink) for what, number, in_sink in run.noted if what == "closing"]
    assert closings == [(1, 0), (2, 0), (1, 2), (3, 2)]
    assert [number for what, number, _ in run.noted if what == "scored"] == [1, 2, 1, 3]


class FakeAccounts:
    """Accounts that name each trace by how many they have booked; `raises` comes first."""

    def __init__(self, *raises):
        self.raises = list(raises)
        self.booked = 0

    async def settle(self, batch):
        if self.raises:
            raise self.raises.pop(0)
        self.booked += len(batch)
        return [replace(trace, agent=f"booked {self.booked}") for trace in batch]


class TestAccounts:
    """What traces add to accounts is booked between the note of the closing and the sinks."""

    async def test_traces_are_booked_in_close_order(self):
        """However their scores were made ready."""
        scorer = FakeScorer()
        scorer.held = True
        async with Run(scorer, accounts=FakeAccounts()) as run:
            run.submit(closed(1), closed(2), closed(3))
            await settle()
            for gate in reversed(scorer.gates):
                gate.set()
                await settle()
            await run.pipeline.drain()
        found = [(trace.trace_id[-1], trace.agent) for trace in run.sink.traces]
        assert found == [("1", "booked 1"), ("2", "booked 2"), ("3", "booked 3")]

    async def test_a_disk_that_fails_is_waited_for(self, monkeypatch):
        """No trace overtakes, and none is scored without its account."""
        monkeypatch.setattr(pipeline_module, "_BOOKS_RETRY_S", 0.0)
        full = RetryableError("the disk is full")
        async with Run(FakeScorer(), accounts=FakeAccounts(full, full)) as run:
            run.submit(closed(1), closed(2))
            await run.pipeline.drain()
        assert [trace.agent for trace in run.sink.traces] == ["booked 1", "booked 2"]

    async def test_a_fault_of_ours_costs_one_batch_its_accounts(self):
        """Its other scores go out, and the next batch is booked."""
        async with Run(FakeScorer(), accounts=FakeAccounts(RuntimeError("broken"))) as run:
            run.submit(closed(1), closed(2))
            await run.pipeline.drain()
        assert [trace.agent for trace in run.sink.traces] == [None, "booked 1"]
