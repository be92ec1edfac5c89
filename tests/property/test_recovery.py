"""Assembler, log, ledger and watermark against an offline oracle: nothing is lost, or scored twice.

Spans come in any order, twice, late; time passes; traces close, are noted, emitted and noted as
scored; the log is released and frees whole segments; open traces are spilled, kept ones evicted;
log and ledger refuse; and the process dies anywhere, while it recovers too.

The oracle knows every span that was acknowledged and did not come too late, and what was emitted.
"""

from collections import defaultdict, deque
from contextlib import suppress
from unittest import mock

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.errors import RetryableError
from scorer.otlp.split import split_traces
from scorer.receivers.admission import Admission
from scorer.receivers.ingest import AssemblingIngest
from scorer.scoring.books import LedgerBooks
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, assert_balanced

from .recovery import (
    LOG_MARK,
    DictLedger,
    SegmentedLog,
    content_of,
    identity,
    logs_body,
    run,
    traces_body,
)

TIMERS = Timers(linger=2, idle_timeout=10, max_age=25)
MAX_SPANS = 11

# Few traces of many spans, most of them roots: so traces close often, and spans come late.
numbers = st.integers(1, 2)
spans = st.lists(
    st.tuples(
        numbers,  # trace
        st.integers(1, 14),  # span
        st.sampled_from([0, 0, 0, 1, 2]),  # parent
        st.sampled_from([1, 1, 1, 2]),  # kind
        st.integers(1, 2),  # what it says
        st.integers(1, 25),  # 1 = it ends the trace
    ),
    min_size=1,
    max_size=4,
)
tenants = st.sampled_from(["", "", "a"])


class Life:
    """What is gone when the process dies."""

    def __init__(self, log, ledger, clock, kept_bytes, capacity):
        settings = AssemblerSettings(
            timers=TIMERS,
            max_spans_per_trace=MAX_SPANS,
            max_bytes_per_trace=10**6,
            max_tombstones=capacity,
            kept_bytes=kept_bytes,
        )
        self.telemetry, self.budget = Telemetry(), MemoryBudget(10**9)
        self.assembler = Assembler(settings, self.budget)
        self.pending = deque()
        self.emitted_spans = 0
        self.ingest = AssemblingIngest(
            source="otlp",
            assembler=self.assembler,
            admission=Admission(self.assembler, self.budget),
            telemetry=self.telemetry,
            clock=clock,
            on_closed=self.pending.extend,
            log=log,
        )
        self.books = LedgerBooks(self.assembler, ledger, log, "otlp")
        for row in ledger.rows.values():
            reason = None if row.is_scored else row.reason
            key = row.tenant, row.trace_id
            self.assembler.recall(key, row.closed_at, row.revision, reason)

    def count(self, name):
        return self.telemetry.value(f"spanscore_{name}_spans_total")


class Recovery(RuleBasedStateMachine):
    """One service over many lives, and what the world outside knows of it."""

    @initialize(
        kept_bytes=st.sampled_from([10**6, 10**6, 3000, 0]),
        is_each_new=st.sampled_from([False, False, False, True]),
    )
    def begin(self, kept_bytes, is_each_new):
        # Where few closed traces are remembered, no span comes after its trace has closed.
        self.is_each_new, self.kept_bytes = is_each_new, kept_bytes
        self.capacity = 2 if is_each_new else 1000
        self.clock, self.log = ManualClock(0.0), SegmentedLog()
        self.ledger = DictLedger(self.capacity)
        self.batches = 0
        self.accepted = defaultdict(set)  # (tenant, trace id) -> spans, by identity
        self.joined = defaultdict(set)  # the same, without those that came too late
        self.emitted = {}  # (tenant, trace id, revision) -> what was emitted
        self.scored = set()  # the same keys, when the ledger has it
        self.patch = mock.patch("scorer.scoring.books._FORGET_EVERY", 2)
        self.patch.start()
        self.live()

    def teardown(self):
        if hasattr(self, "patch"):
            self.finish()
            self.patch.stop()

    def live(self, records=None):
        """Begin a life: recover from the log, or die after so many records of it."""
        self.life = Life(self.log, self.ledger, self.clock, self.kept_bytes, self.capacity)
        self.batch, self.is_emitted = [], False
        for record in self.log.replay():
            self.life.ingest.foresee(record)
        for done, record in enumerate(self.log.replay()):
            if done == records:
                return
            self.life.ingest.take_again(record)
        self.life.pending.extend(self.life.assembler.end_of_recovery(self.clock()))

    # What happens

    @rule(batch=spans, tenant=tenants)
    def send(self, batch, tenant):
        if self.is_each_new:
            self.batches += 1
            batch = [(trace + 10 * self.batches, *rest) for trace, *rest in batch]
        body, before = traces_body(batch), self.life.count("late_unjoined")
        sent = defaultdict(set)
        for span in split_traces(body).spans:
            sent[tenant, span.trace_id].add((span.span_id, span.kind))
        late = {key for key in sent if self.is_here(key)}
        try:
            self.life.ingest.traces(body, tenant=tenant)
        except RetryableError:
            assert late == {key for key in sent if self.is_here(key)}, "a refusal changes nothing"
            return
        unjoined = 0
        for key, identities in sent.items():
            held = identities & self.held(key)
            self.accepted[key] |= identities
            self.joined[key] |= held
            unjoined += len(identities - held)
        # Where a trace is not kept, nobody can tell a late span from one that it had.
        assert unjoined <= self.life.count("late_unjoined") - before

    @rule(batch=spans, tenant=tenants)
    def send_and_wait(self, batch, tenant):
        self.send(batch, tenant)
        self.wait(2)

    @precondition(lambda self: not self.is_each_new)
    @rule(traces=st.lists(numbers, min_size=1, max_size=3), tenant=tenants)
    def send_logs(self, traces, tenant):
        with suppress(RetryableError):
            self.life.ingest.logs(logs_body(traces), tenant=tenant)

    @rule(seconds=st.sampled_from([1, 2, 2, 5, 11]))
    def wait(self, seconds):
        self.clock.advance(seconds)
        self.life.ingest.poll()

    @rule()
    def run_short_of_memory(self):
        self.life.pending.extend(self.life.assembler.relieve(1, self.clock()))

    @rule()
    def spill(self):
        trace = self.life.assembler.spillable()
        if trace is not None:
            with suppress(RetryableError):
                self.life.ingest.spill(trace)
        self.release()

    def release(self):
        lowest = self.life.assembler.watermark.lowest()
        self.log.release(self.log.next_offset if lowest is None else lowest)

    @rule(steps=st.integers(1, 4), count=st.integers(1, 4))
    def score(self, steps, count):
        for _ in range(steps):
            if self.is_emitted:
                self.note_scored()
            elif self.batch:
                self.emit()
            elif self.life.pending:
                self.note(count)

    def note(self, count):
        batch = list(self.life.pending)[:count]
        with suppress(RetryableError):
            run(self.life.books.closing(batch))
            self.batch = batch

    def emit(self):
        for trace in self.batch:
            self.check_emitted(trace)
            self.life.emitted_spans += trace.fresh_spans
            self.life.pending.popleft()
        self.is_emitted = True

    def note_scored(self):
        try:
            run(self.life.books.scored(self.batch))
        except RetryableError:
            return
        for trace in self.batch:
            self.life.budget.release(trace.size, trace.tenant)
        self.scored |= {(t.tenant, t.trace_id, t.revision) for t in self.batch}
        self.batch, self.is_emitted = [], False

    @rule(what=st.sampled_from(["closing", "scored", "forget"]))
    def let_the_ledger_fail(self, what):
        self.ledger.fails.add(what)

    @rule(after=st.integers(0, 2))
    def let_the_log_be_full(self, after):
        """Refuse one record, after so many."""
        self.log.refuse_after(after)

    @rule(chance=st.integers(1, 3), records=st.none() | st.integers(0, 5))
    def crash(self, chance, records):
        """Die, and maybe once more after so many records of the recovery; not too often."""
        if chance == 1:
            if records is not None:
                self.live(records)
            self.live()

    # What must hold

    @invariant()
    def every_span_that_joined_is_held_or_emitted(self):
        for key, identities in self.joined.items():
            assert identities <= self.held(key)

    @invariant()
    def the_log_has_what_is_not_scored(self):
        retained = defaultdict(set)
        for record in self.log.replay():
            if record.offset >= self.log.low:
                for key, item in content_of(record):
                    retained[key].add(item)
        for key, items in self.needed():
            assert items <= retained[key]

    @invariant()
    def every_span_has_one_fate(self):
        life = self.life
        fates = {name: life.count(name) for name in ("offered", "refused", "accepted", "duplicate")}
        fates |= {name: life.count(name) for name in ("reread", "late_unjoined")}
        waiting = sum(trace.fresh_spans for trace in life.pending)
        fates |= {"closed": life.emitted_spans, "scored": life.emitted_spans}
        assert_balanced(fates | {"open": life.assembler.open_spans + waiting})

    @invariant()
    def open_spans_are_those_that_no_revision_had(self):
        assembler = self.life.assembler
        fresh = sum(trace.fresh_spans for trace in assembler._open.values())
        assert assembler.open_spans == fresh

    @invariant()
    def the_budget_holds_what_is_not_scored(self):
        life = self.life
        # What was emitted is no longer pending and still charged.
        charged = [*life.pending, *(self.batch if self.is_emitted else ())]
        held = life.assembler.open_bytes + life.assembler.kept_bytes
        assert life.budget.used == held + sum(t.size for t in charged)

    def check_emitted(self, trace):
        key = trace.tenant, trace.trace_id
        name = *key, trace.revision
        assert name not in self.scored, "it was scored, and is again"
        content = frozenset(trace.spans), sorted(trace.logs), trace.reason
        assert self.emitted.setdefault(name, content) == content, "one revision, two contents"
        for (*other, revision), (wires, _, _) in self.emitted.items():
            assert tuple(other) != key or revision >= trace.revision or wires <= content[0]

    def finish(self):
        """Let all of it be scored: the last revision of each trace has all that joined it."""
        self.ledger.fails.clear()
        self.log.refuse_after(None)
        self.life.pending.extend(self.life.assembler.drain(self.clock(), "shutdown"))
        while self.life.pending or self.batch:
            self.score(3, 4)
        self.every_span_has_one_fate()
        last = {}
        for (tenant, trace_id, revision), (wires, _, _) in self.emitted.items():
            if revision >= last.get((tenant, trace_id), (0,))[0]:
                last[tenant, trace_id] = revision, wires
        for key, identities in self.joined.items():
            # One that came too late may join after all: when the close was forgotten in a crash.
            final = {*map(identity, last[key][1])} if key in last else set()
            assert identities <= final <= self.accepted[key]
        self.release()
        assert self.log.low == self.log.next_offset
        assert self.life.budget.used == self.life.assembler.kept_bytes
        self.live()
        assert not self.life.pending
        assert self.life.assembler.open_traces == 0

    # What is where

    def is_here(self, key):
        """Whether late spans of a trace can join it."""
        tenant, trace_id = key
        assembler = self.life.assembler
        if assembler.find(trace_id, tenant) is not None:
            return True
        name = tenant.encode() + b"\0" + trace_id if tenant else trace_id
        return assembler._closed.kept(name) is not None

    def held(self, key):
        """Return the identities of a trace that are in memory or were emitted."""
        tenant, trace_id = key
        found = set()
        trace = self.life.assembler.find(trace_id, tenant)
        if trace is not None:
            found |= {identity(wire) for wire in trace.spans}
        for closed in self.life.pending:
            if (closed.tenant, closed.trace_id) == key:
                found |= {identity(wire) for wire in closed.spans}
        for (*other, _), (wires, _, _) in self.emitted.items():
            if tuple(other) == key:
                found |= {identity(wire) for wire in wires}
        return found

    def needed(self):
        """Return (key, items) of the traces that are not noted as scored."""
        closed = [*self.life.pending, *(self.batch if self.is_emitted else ())]
        for trace in closed:
            items = {*map(identity, trace.spans), *(LOG_MARK + log for log in trace.logs)}
            yield (trace.tenant, trace.trace_id), items
        for tenant, trace_id in self.joined:
            trace = self.life.assembler.find(trace_id, tenant)
            if trace is not None:
                items = {*map(identity, trace.spans), *(LOG_MARK + log for log in trace.logs or ())}
                yield (tenant, trace_id), items


TestRecovery = Recovery.TestCase
TestRecovery.pytestmark = pytest.mark.timeout(180)
TestRecovery.settings = hypothesis_settings(max_examples=250, stateful_step_count=50, deadline=None)
