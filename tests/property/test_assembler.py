"""The assembler against a plain model: no span is lost, none is counted twice."""

from collections import Counter

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.model.position import Position
from scorer.model.trace import Envelope, LogEntry, SpanEntry

ENVELOPE = Envelope(b"r", b"s")
TIMERS = Timers(linger=2, idle_timeout=10, max_age=25)

spans = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(0, 6), st.integers(1, 2)),
    min_size=1,
    max_size=8,
)


class Assembly(RuleBasedStateMachine):
    """Random batches, logs, passing time, relief and drains."""

    def __init__(self):
        super().__init__()
        settings = AssemblerSettings(
            timers=TIMERS,
            max_spans_per_trace=7,
            max_bytes_per_trace=10**6,
            max_tombstones=1000,
        )
        self.budget = MemoryBudget(10**9)
        self.assembler = Assembler(settings, self.budget)
        self.now = 0.0
        self.offset = 0
        self.offered = self.accepted = self.duplicates = self.late = self.closed_spans = 0
        self.closed = Counter()
        self.held = 0

    def take(self, closed):
        for trace in closed:
            self.closed[trace.trace_id] += 1
            self.closed_spans += len(trace.spans)
            assert len(set(trace.spans)) == len(trace.spans) == trace.completeness.span_count
            assert trace.closed - trace.opened <= TIMERS.max_age + 12
            self.held += trace.size

    def position(self):
        self.offset += 1
        return Position("p", 0, self.offset)

    @rule(batch=spans)
    def push(self, batch):
        entries = [
            SpanEntry(
                t.to_bytes(16, "big"),
                s.to_bytes(8, "big"),
                p.to_bytes(8, "big") if p and p != s else b"",
                kind,
                1,
                f"{t}/{s}/{kind}".encode(),
                ENVELOPE,
            )
            for t, s, p, kind in batch
        ]
        pushed = self.assembler.push(entries, self.position(), self.now)
        self.offered += len(batch)
        self.accepted += pushed.accepted
        self.duplicates += pushed.duplicates
        self.late += pushed.unjoined
        self.take(pushed.closed)

    @rule(trace=st.integers(1, 4))
    def push_log(self, trace):
        entry = LogEntry(trace.to_bytes(16, "big"), b"", 1, b"log", ENVELOPE)
        self.take(self.assembler.push_logs([entry], self.position(), self.now).closed)

    @rule(seconds=st.integers(1, 12))
    def wait(self, seconds):
        self.now += seconds
        deadline = self.assembler.next_deadline()
        closed = self.assembler.poll(self.now)
        assert bool(closed) <= (deadline is not None and deadline <= self.now)
        self.take(closed)
        deadline = self.assembler.next_deadline()
        assert deadline is None or deadline > self.now

    @rule()
    def relieve(self):
        self.take(self.assembler.relieve(1, self.now))

    @rule()
    def drain(self):
        self.take(self.assembler.drain(self.now, "shutdown"))
        assert self.assembler.open_traces == 0

    @invariant()
    def every_span_has_one_fate(self):
        assert self.offered == self.accepted + self.duplicates + self.late
        assert self.accepted == self.assembler.open_spans + self.closed_spans

    @invariant()
    def a_trace_closes_once(self):
        assert all(count == 1 for count in self.closed.values())

    @invariant()
    def the_budget_holds_open_and_closed_traces(self):
        assert self.budget.used == self.assembler.open_bytes + self.held


TestAssembly = Assembly.TestCase
TestAssembly.settings = hypothesis_settings(max_examples=60, stateful_step_count=40, deadline=None)
