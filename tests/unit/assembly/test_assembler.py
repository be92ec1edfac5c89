"""When a trace closes, with what, and what becomes of every span."""

import pytest

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.pushed import Whole
from scorer.assembly.settings import AssemblerSettings
from scorer.model.position import Position
from scorer.model.trace import Envelope, LogEntry, SpanEntry

ENVELOPE = Envelope(b"resource", b"scope")
SLOW = Envelope(b"slow service", b"scope")


def at(offset=1):
    return Position("test", 0, offset)


def trace_id(number=1):
    return number.to_bytes(16, "big")


def span(number, parent=0, *, trace=1, kind=1, end=1, wire=b"x" * 100, envelope=ENVELOPE):
    """A span entry as `scorer.otlp.split` makes it; parent 0 = root."""
    parent_id = parent.to_bytes(8, "big") if parent else b""
    return SpanEntry(
        trace_id(trace), number.to_bytes(8, "big"), parent_id, kind, end, wire, envelope
    )


def log(*, trace=1, wire=b"log"):
    return LogEntry(trace_id(trace), b"", 1, wire, ENVELOPE)


def make(**changes):
    settings = {
        "timers": Timers(linger=2, idle_timeout=30, max_age=100),
        "max_spans_per_trace": 1000,
        "max_bytes_per_trace": 10**6,
        "max_tombstones": 100,
        **changes,
    }
    return Assembler(AssemblerSettings(**settings), MemoryBudget(10**9))


class TestTimers:
    def test_a_complete_trace_closes_after_linger(self):
        """Root ended and all parents there: closed `linger` after the last arrival."""
        assembler = make()
        assembler.push([span(2, 1), span(1)], at(), 0)
        assert assembler.poll(1.9) == []
        (closed,) = assembler.poll(2)
        assert (closed.reason, closed.completeness.root_present) == ("root", True)

    def test_an_arrival_restarts_linger(self):
        """A span that comes while lingering is waited for again."""
        assembler = make()
        assembler.push([span(1)], at(), 0)
        assembler.push([span(2, 1)], at(2), 1.5)
        assert assembler.poll(3.4) == []
        assert assembler.poll(3.5)[0].completeness.span_count == 2

    def test_a_trace_without_root_waits_for_idle_timeout(self):
        """No root: closed `idle_timeout` after the last arrival, not before."""
        assembler = make()
        assembler.push([span(2, 1)], at(), 0)
        assert assembler.poll(29) == []
        (closed,) = assembler.poll(30)
        assert closed.reason == "idle"
        assert closed.completeness.orphan_parents == 1

    def test_the_shorter_of_linger_and_idle_timeout_counts(self):
        """A complete trace is idle too."""
        assembler = make(timers=Timers(linger=50, idle_timeout=30, max_age=100))
        assembler.push([span(1)], at(), 0)
        assert [closed.reason for closed in assembler.poll(30)] == ["idle"]

    def test_a_missing_parent_makes_a_trace_with_root_wait(self):
        """The root alone is not enough while a named parent has not come."""
        assembler = make()
        assembler.push([span(1), span(3, 2)], at(), 0)
        assert assembler.poll(10) == []
        assembler.push([span(2, 1)], at(2), 10)
        assert assembler.poll(12)[0].reason == "root"

    def test_a_root_that_has_not_ended_is_not_complete(self):
        """End time 0 means unfinished."""
        assembler = make()
        assembler.push([span(1, end=0)], at(), 0)
        assert assembler.poll(3) == []

    def test_no_stream_of_spans_outlives_max_age(self):
        """A drip of spans that keeps a trace alive ends at `max_age`."""
        assembler = make()
        closed = []
        for second in range(0, 120, 10):
            assembler.push([span(second + 2, 1)], at(second), second)
            closed += assembler.poll(second + 1)
        assert [trace.reason for trace in closed] == ["max_age"]
        assert closed[0].completeness.span_count == 11  # those of seconds 0, 10 ... 100

    def test_a_service_can_have_timers_of_its_own(self):
        """`timers_of` decides by the envelope of the first span."""
        own = Timers(linger=50, idle_timeout=60, max_age=100)
        assembler = make(timers_of=lambda envelope: own if envelope is SLOW else None)
        assembler.push([span(1, envelope=SLOW), span(1, trace=2)], at(), 0)
        assert [closed.trace_id for closed in assembler.poll(2)] == [trace_id(2)]
        assert [closed.trace_id for closed in assembler.poll(50)] == [trace_id(1)]

    def test_the_next_deadline_is_never_late(self):
        """Polling at `next_deadline` closes everything in time."""
        assembler = make()
        assembler.push([span(2, 1)], at(), 0)
        assert assembler.next_deadline() == 30
        assembler.push([span(1)], at(2), 1)
        assert assembler.next_deadline() == 3
        assembler.poll(3)
        assert assembler.next_deadline() is None

    def test_traces_close_in_order_of_their_deadlines(self):
        """One late poll closes in the order in which timely polls would have."""
        assembler = make()
        assembler.push([span(2, 1, trace=1)], at(), 0)
        assembler.push([span(1, trace=2)], at(2), 5)
        assembler.push([span(1, trace=3)], at(3), 4)
        order = [closed.trace_id for closed in assembler.poll(1000)]
        assert order == [trace_id(3), trace_id(2), trace_id(1)]


class TestEndings:
    def test_an_end_marker_closes_at_once(self):
        """The marker ends the trace after its batch."""
        assembler = make()
        pushed = assembler.push(
            [span(2, 1, wire=b"end"), span(3, 1)], at(), 0, is_end=lambda wire, _: wire == b"end"
        )
        assert [closed.reason for closed in pushed.closed] == ["end_marker"]
        assert pushed.closed[0].completeness.span_count == 2

    def test_the_span_cap_closes_the_trace_and_no_other(self):
        """A giant trace is cut at the cap; its neighbours stay open."""
        assembler = make(max_spans_per_trace=3)
        batch = [span(n, 99) for n in range(1, 4)] + [span(1, 9, trace=2)]
        pushed = assembler.push(batch, at(), 0)
        assert [closed.reason for closed in pushed.closed] == ["span_cap"]
        assert assembler.open_traces == 1

    def test_the_byte_cap_closes_the_trace(self):
        """Few huge spans are cut too."""
        assembler = make(max_bytes_per_trace=5000)
        pushed = assembler.push([span(1, 9, wire=b"x" * 6000)], at(), 0)
        assert [closed.reason for closed in pushed.closed] == ["byte_cap"]

    def test_drain_closes_everything_with_the_given_reason(self):
        """Shutdown and the end of a replay leave nothing open."""
        assembler = make()
        assembler.push([span(1), span(1, trace=2)], at(), 0)
        assert [closed.reason for closed in assembler.drain(1, "shutdown")] == ["shutdown"] * 2
        assert (assembler.open_traces, assembler.open_spans, assembler.open_bytes) == (0, 0, 0)

    def test_relieve_closes_the_oldest_until_enough_is_freed(self):
        """Memory pressure takes the traces opened first."""
        assembler = make()
        for number in range(1, 4):
            assembler.push([span(1, 9, trace=number)], at(number), number)
        (closed,) = assembler.relieve(1, 10)
        assert (closed.trace_id, closed.reason) == (trace_id(1), "memory")


class TestSpans:
    def test_a_span_that_comes_twice_is_kept_once(self):
        """Same span id and kind: counted as a duplicate."""
        assembler = make()
        first = assembler.push([span(1), span(1)], at(), 0)
        second = assembler.push([span(1)], at(2), 1)
        assert (first.accepted, first.duplicates, second.duplicates) == (1, 1, 1)
        assert assembler.poll(10)[0].completeness.duplicates == 2

    def test_client_and_server_may_share_a_span_id(self):
        """The kind is part of a span's identity."""
        assembler = make()
        pushed = assembler.push([span(1, kind=2), span(1, kind=3)], at(), 0)
        assert (pushed.accepted, pushed.duplicates) == (2, 0)

    @pytest.mark.parametrize("kind", [-1, -(2**31), 2**31 - 1])
    def test_an_absurd_kind_is_harmless(self, kind):
        """A sender may write any int32 as kind."""
        pushed = make().push([span(1, kind=kind)], at(), 0)
        assert pushed.accepted == 1

    def test_a_late_span_does_not_open_the_trace_again(self):
        """A span of a closed trace is late, and the trace remembers how many."""
        assembler = make()
        assembler.push([span(1)], at(), 0)
        assembler.poll(2)
        pushed = assembler.push([span(2, 1)], at(2), 3)
        assert (pushed.accepted, pushed.late, assembler.open_traces) == (0, 1, 0)
        assert assembler.late_spans(trace_id()) == 1

    def test_tenants_do_not_share_traces(self):
        """The same trace id of two tenants is two traces."""
        assembler = make()
        assembler.push([span(1)], at(), 0, "a")
        assembler.push([span(1)], at(2), 0, "b")
        assert {closed.tenant for closed in assembler.poll(2)} == {"a", "b"}

    def test_spans_keep_their_wire_bytes_and_envelopes(self):
        """What closes is what came, in order of arrival."""
        assembler = make()
        assembler.push([span(1, wire=b"one"), span(2, 1, wire=b"two", envelope=SLOW)], at(7), 0)
        (closed,) = assembler.poll(2)
        assert closed.spans == (b"one", b"two")
        assert closed.span_envelopes == (ENVELOPE, SLOW)
        assert (closed.first_position.offset, closed.last_position.offset) == (7, 7)


class TestLogs:
    @pytest.mark.parametrize("order", ["before", "between", "after"])
    def test_log_records_join_their_trace_whenever_they_come(self, order):
        """Before, between or after the spans."""
        assembler = make()
        steps = {
            "before": ["log", "child", "root"],
            "between": ["child", "log", "root"],
            "after": ["child", "root", "log"],
        }[order]
        for offset, step in enumerate(steps):
            if step == "log":
                assembler.push_logs([log()], at(offset), offset / 2)
            else:
                assembler.push([span(1) if step == "root" else span(2, 1)], at(offset), offset / 2)
        (closed,) = assembler.poll(10)
        assert (closed.logs, len(closed.spans), closed.reason) == ((b"log",), 2, "root")

    def test_a_log_record_is_an_arrival(self):
        """Linger starts again with it."""
        assembler = make()
        assembler.push([span(1)], at(), 0)
        assembler.push_logs([log()], at(2), 1.9)
        assert assembler.poll(3.8) == []
        assert len(assembler.poll(3.9)) == 1

    def test_log_records_of_a_closed_trace_are_late(self):
        """They do not open it again."""
        assembler = make()
        assembler.push([span(1)], at(), 0)
        assembler.poll(2)
        pushed = assembler.push_logs([log()], at(2), 3)
        assert (pushed.unjoined, assembler.open_traces) == (1, 0)


class TestMemory:
    def test_a_closed_trace_stays_charged_until_it_is_given_back(self):
        """Closing frees nothing by itself: the trace still waits for its scores."""
        budget = MemoryBudget(10**6)
        assembler = Assembler(
            AssemblerSettings(
                timers=Timers(2, 30, 100),
                max_spans_per_trace=10,
                max_bytes_per_trace=10**6,
                max_tombstones=10,
            ),
            budget,
        )
        assembler.push([span(1)], at(), 0)
        (closed,) = assembler.poll(2)
        assert budget.used == closed.size > 100
        budget.release(closed.size)
        assert budget.used == 0

    def test_tombstones_are_bounded(self):
        """Beyond `max_tombstones` the oldest closed trace is forgotten."""
        assembler = make(max_tombstones=2)
        for number in range(1, 4):
            assembler.push([span(1, trace=number)], at(number), 0)
        assembler.poll(10)
        assert assembler.late_spans(trace_id(1)) is None
        assert assembler.late_spans(trace_id(3)) == 0

    def test_relief_closes_traces_of_one_span_first(self):
        """A flood of random ids makes room before a conversation that has begun."""
        assembler = make()
        for number, spans in enumerate(([span(1), span(2, 1)], [span(1)], [span(1)]), 1):
            batch = [entry._replace(trace_id=trace_id(number)) for entry in spans]
            assembler.push(batch, at(number), number)
        closed = assembler.relieve(1, 5) + assembler.relieve(2000, 5)
        assert [trace.trace_id for trace in closed] == [trace_id(2), trace_id(3), trace_id(1)]
        assert {trace.reason for trace in closed} == {"memory"}

    def test_relief_can_be_kept_to_one_tenant(self):
        """What a tenant holds is closed for its own spans, not what others hold."""
        assembler = make()
        assembler.push([span(1)], at(1), 0, "acme")
        assembler.push([span(1)], at(2), 0, "zeta")
        closed = assembler.relieve(10**9, 1, "zeta")
        assert [trace.tenant for trace in closed] == ["zeta"]


class TestTenants:
    def test_one_trace_id_of_two_tenants_is_two_traces(self):
        """Nobody can add spans to the trace of another tenant, or end it."""
        assembler = make()
        assembler.push([span(1)], at(1), 0, "acme")
        assembler.push([span(2)], at(2), 0, "zeta", lambda _wire, _envelope: True)
        assert assembler.find(trace_id(), "zeta") is None
        open_trace = assembler.find(trace_id(), "acme")
        assert open_trace is not None
        assert len(open_trace.spans) == 1

    def test_bytes_are_charged_to_the_tenant(self):
        """They are given back with the tenant of the closed trace."""
        budget = MemoryBudget(10**6, 0.5)
        settings = AssemblerSettings(
            timers=Timers(2, 30, 100),
            max_spans_per_trace=10,
            max_bytes_per_trace=10**6,
            max_tombstones=10,
        )
        assembler = Assembler(settings, budget)
        assembler.push([span(1)], at(), 0, "acme")
        assembler.push_logs([log()], at(), 0, "acme")
        assert budget.held("acme") == budget.used == assembler.open_bytes
        (closed,) = assembler.drain(1, "shutdown")
        budget.release(closed.size, closed.tenant)
        assert (budget.used, budget.held("acme")) == (0, 0)


class TestDuplicates:
    def test_an_equal_span_is_no_conflict(self):
        """A sender repeats a request of which it did not see the answer."""
        assembler = make()
        assembler.push([span(1, wire=b"one"), span(2, 1, wire=b"two")], at(1), 0)
        again = [span(2, 1, wire=b"two"), span(3, 1, wire=b"three"), span(3, 1, wire=b"three")]
        pushed = assembler.push(again, at(2), 1)
        assert (pushed.duplicates, pushed.conflicts) == (2, 0)

    def test_a_different_span_with_the_same_identity_is_a_conflict(self):
        """The first is kept, whichever came again in between; the conflict is counted."""
        assembler = make()
        assembler.push([span(1, wire=b"one")], at(1), 0)
        assembler.push([span(1, wire=b"one"), span(2, 1, wire=b"two")], at(2), 0)
        pushed = assembler.push([span(1, wire=b"changed"), span(2, 1, wire=b"two")], at(3), 0)
        assert (pushed.duplicates, pushed.conflicts) == (2, 1)
        (closed,) = assembler.poll(10)
        assert closed.spans == (b"one", b"two")
        assert (closed.completeness.duplicates, closed.completeness.conflicts) == (3, 1)


def again(assembler, entries, offset, now, tenant=""):
    """Push late entries as the service does: kept traces are opened first."""
    assembler.reopen(entries, tenant, now, lambda _: at(offset))
    push = assembler.push_logs if isinstance(entries[0], LogEntry) else assembler.push
    return push(entries, at(offset), now, tenant)


class TestLateSpans:
    def test_a_late_span_joins_its_kept_trace(self):
        """It closes again as the next revision, with all its spans; only one is fresh."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        (first,) = assembler.poll(2)
        pushed = again(assembler, [span(2, 1, wire=b"late")], 2, 3)
        assert (pushed.accepted, pushed.late, pushed.unjoined) == (1, 1, 0)
        (second,) = assembler.poll(5)
        assert (first.revision, first.fresh_spans) == (1, 1)
        assert (second.revision, len(second.spans), second.fresh_spans) == (2, 2, 1)
        assert second.closed_at == 2
        assert first.digest != second.digest

    def test_open_spans_and_bytes_are_those_of_the_open_trace(self):
        """A reopened one is charged as a whole, its earlier spans count as closed."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        (first,) = assembler.poll(2)
        again(assembler, [span(2, 1)], 2, 3)
        assert assembler.open_spans == 1
        assert assembler.open_bytes > first.size
        (second,) = assembler.poll(5)
        assert (assembler.open_spans, assembler.open_bytes) == (0, 0)
        assert second.size > first.size

    def test_a_span_that_is_repeated_opens_nothing(self):
        """It is a duplicate, as it would have been before the close."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        assembler.poll(2)
        pushed = again(assembler, [span(1)], 2, 3)
        assert (pushed.duplicates, pushed.unjoined, assembler.open_traces) == (1, 0, 0)

    def test_a_repeated_span_opens_nothing_though_only_the_kept_trace_is_remembered(self):
        """More traces may be kept than tombstones: else it would be scored anew as revision 1."""
        assembler = make(kept_bytes=10**6, max_tombstones=1)
        assembler.push([span(1), span(2, trace=2)], at(), 0)
        assembler.poll(2)
        pushed = again(assembler, [span(1)], 2, 3)
        assert (pushed.duplicates, pushed.accepted, assembler.open_traces) == (1, 0, 0)

    def test_a_trace_that_is_no_longer_kept_is_not_joined(self):
        """The span is counted, and opens no new trace."""
        assembler = make(kept_bytes=1)
        assembler.push([span(1)], at(1), 0)
        assembler.poll(2)
        pushed = again(assembler, [span(2, 1)], 2, 3)
        assert (pushed.unjoined, pushed.late, assembler.open_traces) == (1, 1, 0)
        assert assembler.late_spans(trace_id()) == 1

    def test_a_root_that_comes_late_completes_an_idle_trace(self):
        """The revision knows its root."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(2, 1)], at(1), 0)
        (first,) = assembler.poll(30)
        again(assembler, [span(1)], 2, 31)
        (second,) = assembler.poll(33)
        assert (first.reason, first.completeness.root_present) == ("idle", False)
        assert (second.reason, second.completeness.root_present) == ("root", True)

    def test_a_late_log_record_joins_once(self):
        """It has no id: what is byte for byte there already adds nothing."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        assembler.poll(2)
        assert again(assembler, [log()], 2, 3).accepted == 1
        (second,) = assembler.poll(5)
        assert (second.logs, second.fresh_spans) == ((b"log",), 0)
        assert again(assembler, [log()], 3, 6).duplicates == 1

    def test_a_log_record_that_is_repeated_is_not_late(self):
        """The kept trace has it: nothing is missing in its scores."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        assembler.push_logs([log()], at(2), 0)
        assembler.poll(2)
        pushed = again(assembler, [log()], 3, 3)
        assert (pushed.duplicates, pushed.unjoined, assembler.open_traces) == (1, 0, 0)

    def test_spans_of_other_traces_in_the_batch_open_as_usual(self):
        """Only kept traces that lack a span are opened again."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1), span(1, trace=2)], at(1), 0)
        assembler.poll(2)
        batch = [span(1, trace=2), span(5, trace=3), span(1), span(9, 1), span(8, 1)]
        pushed = again(assembler, batch, 2, 3)
        assert (pushed.accepted, pushed.duplicates) == (3, 2)
        assert {trace.revision for trace in assembler.poll(9)} == {1, 2}


class TestRestart:
    """The log is pushed again after what the ledger knew was recalled."""

    def test_spans_that_a_scored_trace_had_are_rereads(self):
        """Those behind the place of its close are late, and not joined: nothing is kept."""
        assembler = make(kept_bytes=10**6)
        assembler.recall(("", trace_id()), 5, 1, None)
        before = assembler.push([span(1), span(2, 1)], at(5), 0)
        after = again(assembler, [span(3, 1)], 6, 0)
        assert (before.rereads, before.late) == (2, 0)
        assert (after.rereads, after.unjoined) == (0, 1)
        assert assembler.open_traces == 0

    def test_log_records_that_a_scored_trace_had_are_rereads(self):
        """Those behind the place of its close are late."""
        assembler = make()
        assembler.recall(("", trace_id()), 5, 1, None)
        pushed = [assembler.push_logs([log()], at(offset), 0) for offset in (5, 6)]
        assert [(each.rereads, each.unjoined) for each in pushed] == [(1, 0), (0, 1)]

    def test_a_trace_without_scores_is_closed_at_the_same_place(self):
        """With the same spans, reason and revision, so with the same scores."""
        assembler = make(kept_bytes=10**6)
        assembler.recall(("", trace_id()), 5, 1, "idle")
        assembler.push([span(2, 1)], at(4), 0)
        assembler.push([span(3, 1)], at(5), 0)
        late = again(assembler, [span(4, 1)], 6, 0)
        (first,) = late.closed
        assert (first.reason, first.closed_at, len(first.spans)) == ("idle", 5, 2)
        assert (late.unjoined, late.accepted) == (1, 0)

    def test_timers_do_not_close_it_before(self):
        """At the end of the log it is closed as it was."""
        assembler = make()
        assembler.recall(("", trace_id()), 5, 3, "max_age")
        assembler.push([span(1)], at(4), 0)
        assert assembler.poll(1000) == []
        (closed,) = assembler.end_of_recovery(1000)
        assert (closed.reason, closed.revision) == ("max_age", 3)
        assert assembler.end_of_recovery(1000) == []

    @pytest.mark.parametrize("is_trimmed", [False, True])
    def test_a_snapshot_opens_a_trace_as_it_was(self, is_trimmed):
        """Its earlier entries may be gone, or still be there: what came twice had come twice."""
        assembler = make()
        assembler.foresee(("", trace_id()), 2)
        if not is_trimmed:
            earlier = assembler.push([span(1), span(2, 1), span(2, 1)], at(1), 0)
            assert (earlier.accepted, earlier.rereads) == (0, 3)
        restored = assembler.restore(Whole("", 1, [span(1), span(2, 1)], (), 1), at(2), 0)
        assert (restored.accepted, restored.duplicates) == (2, 0)
        (closed,) = assembler.poll(2)
        assert (len(closed.spans), closed.revision) == (2, 1)
        assert closed.completeness.duplicates == 1

    def test_what_stands_before_a_snapshot_is_in_it(self):
        """Of a span in two forms the first counts, though only the snapshot still has it."""
        assembler = make()
        first, second = span(1), span(1)._replace(wire=b"another form, with an end marker")
        assembler.foresee(("", trace_id()), 3)
        before = assembler.push([second], at(2), 0, "", lambda *_: True)
        assert (before.rereads, before.closed) == (1, [])
        assert assembler.push_logs([log()], at(2), 0).rereads == 1
        assembler.restore(Whole("", 1, [first]), at(3), 0)
        (closed,) = assembler.poll(2)
        assert closed.spans == (first.wire,)
        assembler.release(closed)
        assert assembler.watermark.lowest() is None

    def test_only_the_last_snapshot_counts(self):
        """It has what the others have."""
        assembler = make()
        for offset in (1, 3):
            assembler.foresee(("", trace_id()), offset)
        assert assembler.restore(Whole("", 1, [span(1)]), at(1), 0).rereads == 1
        assert assembler.push([span(2, 1)], at(2), 0).rereads == 1
        assembler.restore(Whole("", 1, [span(1), span(2, 1)]), at(3), 0)
        (closed,) = assembler.poll(2)
        assert len(closed.spans) == 2

    def test_what_is_closed_again_needs_what_stands_before_its_place(self):
        """A snapshot behind it is of the next revision."""
        assembler = make()
        assembler.recall(("", trace_id()), 2, 1, "root")
        assembler.foresee(("", trace_id()), 3)
        assert assembler.push([span(1)], at(1), 0).accepted == 1
        (first,) = assembler.restore(Whole("", 2, [span(1)]), at(3), 0).closed
        (second,) = assembler.poll(2)
        assert (first.revision, first.reason, second.revision) == (1, "root", 2)

    def test_a_snapshot_over_a_cap_waits_for_what_follows(self):
        """It was written because late spans came, and they close it."""
        assembler = make(max_spans_per_trace=2)
        assembler.foresee(("", trace_id()), 1)
        assert assembler.restore(Whole("", 2, [span(1), span(2, 1)]), at(1), 0).closed == []
        (closed,) = assembler.push([span(3, 1)], at(2), 0).closed
        assert (len(closed.spans), closed.reason) == (3, "span_cap")

    def test_a_snapshot_of_a_revision_that_is_scored_is_a_reread(self):
        """Its closing stands behind it in the log."""
        assembler = make()
        assembler.recall(("", trace_id()), 7, 2, None)
        assert assembler.restore(Whole("", 2, [span(1)]), at(6), 0).rereads == 1
        assert assembler.open_traces == 0

    def test_a_snapshot_of_a_revision_that_is_under_way_opens_it(self):
        """The trace is known as closed before it, as the revision before."""
        assembler = make()
        assembler.recall(("", trace_id()), 5, 1, None)
        assembler.restore(Whole("", 2, [span(1)]), at(6), 0)
        assembler.push([span(2, 1)], at(7), 0)
        (closed,) = assembler.poll(2)
        assert (closed.revision, len(closed.spans)) == (2, 2)


class TestPins:
    def test_a_trace_pins_its_first_place_until_it_is_released(self):
        """Closing is not enough: its scores may not be out."""
        assembler = make()
        assembler.push([span(1)], at(3), 0)
        assembler.push([span(2, 1)], at(4), 0)
        (closed,) = assembler.poll(10)
        assert assembler.watermark.lowest() == 3
        assembler.release(closed)
        assert assembler.watermark.lowest() is None

    def test_a_trace_that_is_written_anew_pins_its_new_place(self):
        """The log before it can go."""
        assembler = make()
        assembler.push([span(2, 1)], at(3), 0)
        assembler.push([span(2, 1, trace=2)], at(4), 0)
        trace = assembler.spillable()
        assert trace is assembler.find(trace_id())
        assembler.moved(trace, at(9))
        assert assembler.watermark.lowest() == 4

    def test_what_is_closed_cannot_be_written_anew(self):
        """It leaves as soon as it is scored."""
        assembler = make()
        assembler.push([span(1)], at(3), 0)
        assembler.poll(10)
        assert assembler.spillable() is None


class TestStrays:
    """What belongs to no open trace and is new."""

    def test_late_spans_and_logs_that_do_not_join_are_strays(self):
        """They are given back, for those who pass them on."""
        assembler = make()
        assembler.push([span(1), span(2, 1)], at(1), 0)
        assembler.poll(2)
        late = [span(3, 1), span(4, 1)]
        assert assembler.push(late, at(2), 3).strays == late
        assert assembler.push_logs([log()], at(3), 3).strays == [log()]

    def test_what_the_trace_had_is_none(self):
        """A re-read, a duplicate, a log record that is kept: downstream has it."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        assembler.push_logs([log()], at(2), 0)
        assembler.poll(2)
        assert list(assembler.push([span(1)], at(1), 3).strays) == []
        assert list(assembler.push_logs([log()], at(2), 3).strays) == []
        assert list(assembler.push([span(1)], at(3), 3).strays) == []
        assert list(assembler.push_logs([log()], at(4), 3).strays) == []

    def test_a_revision_knows_which_spans_and_logs_are_fresh(self):
        """Those at the end."""
        assembler = make(kept_bytes=10**6)
        assembler.push([span(1)], at(1), 0)
        assembler.push_logs([log()], at(2), 0)
        (first,) = assembler.poll(2)
        again(assembler, [span(2, 1, wire=b"late")], 3, 3)
        assembler.push_logs([log(wire=b"late log")], at(4), 3)
        (second,) = assembler.poll(9)
        assert (first.fresh_spans, first.fresh_logs) == (1, 1)
        assert (second.fresh_spans, second.fresh_logs) == (1, 1)
        assert (second.spans[-1], second.logs[-1]) == (b"late", b"late log")
