"""Every span in is a span out, byte for byte, apart from the attributes that we add."""

import asyncio
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.ingest import AssemblingIngest
from scorer.receivers.strays import Strays
from scorer.scoring.books import NoBooks
from scorer.scoring.pipeline import Pipeline
from scorer.sinks.otlp.forward import ForwardTarget
from scorer.sinks.otlp.forwarders import Forwarders
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, RecordingCourier, assert_balance, score, scored_trace

from .otlp_bodies import bodies, surrounded, with_unknown_fields

HOLD = 5.0


class SlowScorer:
    """Scores when it is let; the verdict depends on the trace id."""

    concurrency = 2
    verdicts = ("scored", "not_agent", "quarantined")

    def __init__(self):
        self.may_go = asyncio.Event()

    async def score(self, traces):
        await self.may_go.wait()
        return [
            scored_trace(
                trace_id=trace.trace_id.hex(),
                verdict=self.verdicts[trace.trace_id[-1] % 3],
                revision=trace.revision,
                scores=(score("latency", 0.5, label="pass"),),
            )
            for trace in traces
        ]


class Service:
    """All that a span passes, without sockets and files."""

    def __init__(self, kept):
        config = parse_config({"assembly": {"kept": kept}})
        self.clock, self.telemetry = ManualClock(), Telemetry()
        self.budget = MemoryBudget(10**8)
        self.assembler = Assembler(assembler_settings(config.assembly), self.budget)
        self.couriers = [RecordingCourier(), RecordingCourier(bound=1)]
        self.forwarders = Forwarders([self._target(courier) for courier in self.couriers])
        self.scorer = SlowScorer()
        self.pipeline = Pipeline(
            self.scorer,
            [],
            self.budget,
            self.telemetry,
            clock=self.clock,
            books=NoBooks(self.assembler),
            forwarder=self.forwarders,
        )
        self.strays = Strays(self.forwarders, self.assembler.watermark, self.budget, self.telemetry)
        self.ingest = AssemblingIngest(
            source="otlp",
            assembler=self.assembler,
            admission=Admission(self.assembler, self.budget),
            telemetry=self.telemetry,
            clock=self.clock,
            on_closed=self.pipeline.submit,
            strays=self.strays,
        )
        self.telemetry.refresh.append(self._set_open)

    def _target(self, courier):
        return ForwardTarget(
            courier,
            clock=self.clock,
            budget=self.budget,
            telemetry=self.telemetry,
            hold_timeout=HOLD,
        )

    def _set_open(self):
        count = self.assembler.open_spans + self.pipeline.pending_spans
        self.telemetry.set("spanscore_open_spans", count)

    async def run(self, steps):
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(p.run()) for p in (self.pipeline, self.forwarders)]
            for step in steps:
                self.take(step)
                for _ in range(5):
                    await asyncio.sleep(0)
            self.scorer.may_go.set()
            for courier in self.couriers:
                courier.come_up()
            self.pipeline.submit(self.assembler.drain(self.clock.now, "shutdown"))
            await self.pipeline.drain()
            await self.strays.drain()
            for task in running:
                task.cancel()

    def take(self, step):
        if isinstance(step, bytes):
            self.ingest.traces(step)
        elif isinstance(step, float):
            self.clock.advance(step)
            self.ingest.poll()
            self.forwarders.poll()
        elif step == "score":
            self.scorer.may_go.set()
        elif step == "down":
            self.couriers[1].is_up = False
        else:
            self.couriers[1].come_up()


@st.composite
def spans(draw):
    """Draw a span of one of a few traces; its id may repeat, and then it is the same."""
    trace, number = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    span = trace_pb2.Span(
        trace_id=trace.to_bytes(16, "big"),
        span_id=number.to_bytes(8, "big"),
        parent_span_id=(number // 2).to_bytes(8, "big") if number > 1 else b"",
        end_time_unix_nano=1,
    )
    if number % 3 == 0:
        span.attributes.add(key="spanscore.score.latency").value.double_value = 0.1
    return draw(with_unknown_fields(span.SerializeToString()))


steps = st.lists(
    st.one_of(
        bodies(spans()),
        st.sampled_from([1.0, 3.0, 40.0, HOLD]),
        st.sampled_from(["score", "down", "up"]),
    ),
    max_size=12,
)


def identity(item):
    span = trace_pb2.Span.FromString(item)
    return span.trace_id, span.span_id


def without_ours(item):
    """Return a span's bytes without the attributes of scores, whoever added them."""
    span = trace_pb2.Span.FromString(item)
    own = [pair for pair in span.attributes if not pair.key.startswith("spanscore.")]
    assert len({pair.key for pair in span.attributes}) == len(span.attributes)
    del span.attributes[:]
    span.attributes.extend(own)
    return span.SerializeToString(deterministic=True)


@settings(deadline=None)
@given(steps, st.sampled_from(["64MiB", "0B"]))
def test_every_span_in_is_every_span_out(given_steps, kept):
    """With all that surrounds it, once, to a target that is slow as to one that is not.

    Of spans with one identity the first counts. Where no trace is kept nobody knows a late one
    again, so it may come more often, but never changed.
    """
    sent = {}
    offered = Counter()
    for step in given_steps:
        if isinstance(step, bytes):
            for item, *around in surrounded(step):
                sent.setdefault(identity(item), []).append((without_ours(item), around))
                offered[identity(item)] += 1

    service = Service(kept)
    asyncio.run(service.run(given_steps))

    for courier in service.couriers:
        got = {}
        for body in courier.of("traces"):
            for item, *around in surrounded(body):
                got.setdefault(identity(item), []).append((without_ours(item), around))
        assert got.keys() == sent.keys()
        for key, found in got.items():
            assert sent[key][0] in found
            assert all(one in sent[key] for one in found)
            assert len(found) == 1 if kept != "0B" else len(found) <= offered[key]
    assert service.budget.used == service.assembler.kept_bytes
    assert service.assembler.watermark.lowest() is None
    assert_balance(service.telemetry)
