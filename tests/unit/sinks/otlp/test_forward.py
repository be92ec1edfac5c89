"""What a target gets of a trace, and when who waits for it may forget it."""

import asyncio

import pytest
from msgspec.structs import replace
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.assembly.budget import MemoryBudget
from scorer.config.forwarding import SamplingConfig
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Completeness, Envelope
from scorer.otlp.split import split_logs, split_traces
from scorer.scoring.forwarding import Stray
from scorer.sinks.otlp.forward import ForwardTarget
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.sampling import TailSampler, is_in_share
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, RecordingCourier, TraceBuilder, score, scored_trace

HOLD = 5.0


class Way:
    """A target with a recording courier, and the feeding of it."""

    def __init__(self, *, sampling=None, bound=1000):
        self.courier = RecordingCourier(bound=bound)
        self.clock, self.telemetry, self.budget = ManualClock(), Telemetry(), MemoryBudget(10**6)
        self.after = []
        self.target = ForwardTarget(
            self.courier,
            clock=self.clock,
            budget=self.budget,
            telemetry=self.telemetry,
            hold_timeout=HOLD,
            sampler=None if sampling is None else TailSampler(SamplingConfig(**sampling)),
            after_hold=self.after_hold,
        )

    def after_hold(self, scored):
        self.after.append(scored)
        return [Parcel("logs", b"scores", 1)]

    async def __aenter__(self):
        self.task = asyncio.create_task(self.target.run())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def forward(self, trace, scored):
        self.target.closed([trace])
        done = self.target.forward([trace], [scored])
        await settle()
        return done

    def spans(self):
        bodies = self.courier.of("traces")
        return [entry for body in bodies for entry in split_traces(body).spans]


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


def closed(builder, **fields):
    spans = split_traces(builder.request()).spans
    logs = split_logs(builder.log_request()).records
    base = {
        "tenant": "",
        "trace_id": builder.trace_id,
        "spans": tuple(span.wire for span in spans),
        "span_envelopes": tuple(span.envelope for span in spans),
        "logs": tuple(log.wire for log in logs),
        "log_envelopes": tuple(log.envelope for log in logs),
        "reason": "root",
        "opened": 990.0,
        "closed": 1000.0,
        "completeness": Completeness(span_count=len(spans), root_present=True),
        "first_position": Position("t", 0, 1),
        "last_position": Position("t", 0, 1),
        "size": 100,
        "fresh_spans": len(spans),
        "fresh_logs": len(logs),
    }
    return ClosedTrace(**(base | fields))


@pytest.fixture
def builder():
    made = TraceBuilder(1)
    root = made.span("agent")
    made.span("chat", parent=root)
    made.log("message", "hello", span=root)
    return made


@pytest.fixture
def scored():
    return scored_trace(1, scores=(score("latency", 0.5, label="pass"),))


def attributes_of(wire):
    pairs = trace_pb2.Span.FromString(wire).attributes
    return {p.key: getattr(p.value, p.value.WhichOneof("value")) for p in pairs}


async def test_a_scored_trace_goes_with_its_scores_on_the_root(builder, scored):
    """Its other spans and its log records are what they were."""
    trace = closed(builder)
    async with Way() as way:
        done = await way.forward(trace, scored)
    root, child = way.spans()
    assert done.done()
    assert root.wire.startswith(trace.spans[0])
    assert attributes_of(root.wire) == {
        "spanscore.score.latency": 0.5,
        "spanscore.score.latency.label": "pass",
        "spanscore.revision": 1,
        "spanscore.close_reason": "root",
    }
    assert child.wire == trace.spans[1]
    assert [split_logs(body).records[0].wire for body in way.courier.of("logs")] == [*trace.logs]


@pytest.mark.parametrize("verdict", ["not_agent", "quarantined"])
async def test_a_trace_that_was_not_scored_goes_unchanged(builder, verdict):
    """There is nothing to say about it."""
    trace = closed(builder)
    async with Way() as way:
        await way.forward(trace, scored_trace(1, verdict=verdict))
    assert tuple(span.wire for span in way.spans()) == trace.spans


async def test_what_another_spanscore_said_of_the_same_metrics_goes(scored):
    """A value of before must not stand beside our reason why there is none."""
    builder = TraceBuilder(1)
    before = {"spanscore.score.cost": 9.0, "spanscore.score.cost.calls": 2.0}
    theirs = {"spanscore.score.custom": 0.5, "spanscore.score.costs": 1.0}
    builder.span("agent", **before, **theirs, **{"spanscore.hold": "expired"})
    async with Way() as way:
        await way.forward(
            closed(builder), replace(scored, scores=(score("cost", None, reason="no_usage"),))
        )
    (root,) = way.spans()
    assert attributes_of(root.wire) == theirs | {
        "spanscore.score.cost.reason": "no_usage",
        "spanscore.revision": 1,
        "spanscore.close_reason": "root",
    }


async def test_nothing_is_done_before_the_target_has_accepted_it(builder, scored):
    """Until then what is held beside the trace stays charged."""
    async with Way() as way:
        way.courier.is_up = False
        done = await way.forward(closed(builder), scored)
        assert not done.done()
        assert way.budget.used > 0
        way.courier.come_up()
        await settle()
        assert done.done()
    assert way.budget.used == 0


async def test_a_full_queue_holds_up_nobody_but_the_target(builder, scored):
    """The traces wait as what they are, and become parcels when there is room."""
    async with Way(bound=1) as way:
        way.courier.is_up = False
        first = await way.forward(closed(builder), scored)
        second = await way.forward(closed(TraceBuilder(2), logs=()), scored)
        assert len(way.courier.of("traces")) == 1
        way.courier.come_up()
        await settle()
        assert first.done()
        assert second.done()


class TestHold:
    """A trace waits for its scores, but not for ever."""

    async def test_a_trace_that_is_not_scored_in_time_goes_without_scores(self, builder, scored):
        """Its root says so, it is counted, and its scores follow another way."""
        trace = closed(builder)
        async with Way() as way:
            way.target.closed([trace])
            way.clock.advance(HOLD - 0.1)
            way.target.poll()
            await settle()
            assert way.courier.parcels == []
            way.clock.advance(0.1)
            way.target.poll()
            await settle()
            root, child = way.spans()
            assert attributes_of(root.wire) == {"spanscore.hold": "expired"}
            assert child.wire == trace.spans[1]
            done = way.target.forward([trace], [scored])
            await settle()
        assert done.done()
        assert way.after == [scored]
        assert len(way.spans()) == 2
        assert way.courier.parcels[-1].body == b"scores"
        assert way.telemetry.value("spanscore_hold_expired_traces_total") == 1

    async def test_its_scores_are_waited_for_too(self, builder, scored):
        """Or a crash would lose them."""
        trace = closed(builder)
        async with Way() as way:
            way.target.closed([trace])
            way.clock.advance(HOLD)
            way.target.poll()
            await settle()
            way.courier.is_up = False
            done = way.target.forward([trace], [scored])
            await settle()
            assert not done.done()

    async def test_a_trace_that_has_no_scores_then_sends_nothing_more(self, builder):
        """Its verdict is `not_agent`."""
        trace = closed(builder)
        async with Way() as way:
            way.target.closed([trace])
            way.clock.advance(HOLD)
            way.target.poll()
            done = way.target.forward([trace], [scored_trace(1, verdict="not_agent")])
            await settle()
        assert done.done()
        assert way.after == []


class TestRevisions:
    """A span that the target has is not sent again."""

    async def test_of_a_revision_only_the_fresh_spans_and_logs_go(self, builder, scored):
        """Unchanged; the scores follow another way."""
        builder.log("message", "late", span=builder.spans[0])
        trace = closed(builder, revision=2, fresh_spans=1, fresh_logs=1)
        async with Way() as way:
            await way.forward(trace, replace(scored, revision=2))
        assert [span.wire for span in way.spans()] == [trace.spans[1]]
        logs = [split_logs(body).records for body in way.courier.of("logs") if body != b"scores"]
        assert [[log.wire for log in records] for records in logs] == [[trace.logs[1]]]
        assert [late.revision for late in way.after] == [2]

    async def test_after_a_restart_a_revision_goes_whole_with_its_scores(self, builder, scored):
        """Nobody knows what the target has, and all of its spans are fresh."""
        async with Way() as way:
            await way.forward(closed(builder, revision=2), replace(scored, revision=2))
        assert len(way.spans()) == 2
        assert attributes_of(way.spans()[0].wire)["spanscore.revision"] == 2
        assert way.after == []


class TestSampling:
    """Every failing trace, and a share of the rest."""

    async def test_a_dropped_trace_is_counted_and_done(self, builder, scored):
        """By the reason why."""
        async with Way(sampling={"share": 0.0}) as way:
            done = await way.forward(closed(builder), scored)
        assert done.done()
        assert way.courier.parcels == []
        assert way.telemetry.value("spanscore_dropped_traces_total", reason="share") == 1
        assert way.telemetry.value("spanscore_dropped_spans_total", reason="share") == 2

    async def test_a_kept_trace_says_how_likely_that_was(self, builder, scored):
        """So that whoever counts can weigh it; also where there are no scores."""
        async with Way(sampling={"share": 0.5, "services": {"test-*": 1.0}}) as way:
            await way.forward(closed(builder), replace(scored, service="test-agent"))
            await way.forward(closed(builder), scored_trace(1, verdict="not_agent", service=""))
        roots = [span for span in way.spans() if not span.parent_span_id]
        found = [attributes_of(root.wire)["spanscore.sampling.probability"] for root in roots]
        assert found == [1.0, 1.0]

    @pytest.mark.parametrize(
        ("before", "together"), [(0.25, 0.25), (1, 0.5), (0.0, 0.5), (-1.0, 0.5), ("x", 0.5)]
    )
    async def test_a_share_of_an_earlier_sampler_counts_too(self, scored, before, together):
        """Both decide by the same hash, so the smaller share is that of both."""
        number = next(n for n in range(1, 99) if is_in_share(TraceBuilder(n).trace_id, 0.25))
        builder = TraceBuilder(number)
        builder.span("agent", **{"spanscore.sampling.probability": before})
        async with Way(sampling={"share": 0.5}) as way:
            await way.forward(closed(builder), scored)
        (root,) = way.spans()
        assert attributes_of(root.wire)["spanscore.sampling.probability"] == together

    async def test_late_spans_of_a_dropped_trace_are_dropped(self, builder, scored):
        """Whether they join it or not."""
        trace = closed(builder)
        async with Way(sampling={"share": 0.0}) as way:
            await way.forward(trace, scored)
            await way.forward(replace(trace, revision=2, fresh_spans=1), scored)
            late = way.target.pass_on(Stray("traces", "", trace.trace_id, b"body", 3))
            await settle()
        assert late.done()
        assert way.courier.parcels == []
        assert way.telemetry.value("spanscore_dropped_spans_total") == 2 + 1 + 3

    async def test_a_dropped_trace_that_fails_later_goes_whole(self, builder, scored):
        """The target has nothing of it."""
        trace = closed(builder)
        async with Way(sampling={"share": 0.0}) as way:
            await way.forward(trace, scored)
            later = replace(trace, revision=2, fresh_spans=1)
            await way.forward(later, replace(scored, revision=2, breaches=("latency",)))
        assert len(way.spans()) == 2
        assert attributes_of(way.spans()[0].wire)["spanscore.sampling.probability"] == 1.0
        assert way.after == []

    async def test_a_kept_trace_gets_its_late_spans(self, builder, scored):
        """Though its next revision does not fail any more."""
        trace = closed(builder)
        async with Way(sampling={"share": 0.0}) as way:
            await way.forward(trace, replace(scored, breaches=("latency",)))
            await way.forward(replace(trace, revision=2, fresh_spans=1), scored)
        assert len(way.spans()) == 3


async def test_a_large_stray_goes_in_parts_that_any_target_takes():
    """A target may take 4 MiB at most, and a sender of ours more."""
    logs = [(bytes(2**19), Envelope(b"", b"")) for _ in range(5)]
    async with Way() as way:
        done = way.target.pass_on(Stray("logs", "", b"", b"", 5, logs))
        await settle()
    assert done.done()
    bodies = way.courier.of("logs")
    assert len(bodies) > 1
    assert max(map(len, bodies)) < 2**21
    assert sum(map(len, bodies)) > 5 * 2**19


async def test_a_stray_goes_as_it_is():
    """Nothing of it is looked at."""
    async with Way() as way:
        done = way.target.pass_on(Stray("metrics", "", b"", b"any bytes", 7))
        await settle()
    assert done.done()
    assert way.courier.parcels == [Parcel("metrics", b"any bytes", 7)]
