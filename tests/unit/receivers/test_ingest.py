"""The one door for spans: what is taken, refused and counted."""

from hashlib import sha256

import pytest
from metric_requests import metric
from metric_requests import request as metrics_request
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.journal import Record
from scorer.otlp.split import split_traces
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.entries import Request, decode, encode
from scorer.receivers.ingest import AssemblingIngest
from scorer.receivers.take import Accepted
from scorer.scoring.readings.join import Readings
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, MemoryLog, TraceBuilder


class RecordingStrays:
    """Keeps what is to be passed on, with its place in the log."""

    def __init__(self):
        self.taken = []

    def late(self, entries, signal, tenant, offset):
        self.taken.append((signal, [entry.wire for entry in entries], offset))

    def untraced(self, logs, tenant, offset):
        self.taken += [("logs", [wire for wire, _ in logs], offset)] if logs else []

    def take(self, stray, offset):
        self.taken.append((stray.signal, stray.body, offset))


class Door:
    """An ingest with a manual clock; closed traces are kept in `closed`."""

    def __init__(
        self, *, may_end=lambda _: True, log=None, passes_on=False, reads=False, **assembly
    ):
        config = parse_config({"assembly": assembly})
        self.clock, self.telemetry, self.closed = ManualClock(), Telemetry(), []
        self.budget = MemoryBudget(config.assembly.memory)
        self.assembler = Assembler(assembler_settings(config.assembly), self.budget)
        self.strays = RecordingStrays() if passes_on else None
        self.readings = (
            Readings(config.scoring.readings, self.telemetry, self.clock) if reads else None
        )
        self.ingest = AssemblingIngest(
            readings=self.readings,
            strays=self.strays,
            source="otlp",
            assembler=self.assembler,
            admission=Admission(self.assembler, self.budget),
            telemetry=self.telemetry,
            clock=self.clock,
            on_closed=self.closed.extend,
            may_end=may_end,
            log=log,
        )

    def count(self, name, **labels):
        return self.telemetry.value(f"spanscore_{name}", **labels)


def request(number=1, *, size=10, parent=None):
    builder = TraceBuilder(number)
    builder.span("chat", parent=parent, padding="x" * size)
    return builder.request()


def test_good_spans_are_offered_and_accepted():
    """An empty answer says that all is well."""
    door = Door()
    assert door.ingest.traces(request()) == Accepted()
    assert (door.count("offered_spans_total"), door.count("accepted_spans_total")) == (1, 1)
    assert door.assembler.open_traces == 1


def test_bad_spans_are_refused_with_a_reason_and_a_count():
    """The rest of the request is taken."""
    door = Door()
    builder = TraceBuilder(1)
    builder.span("good")
    builder.span("bad", span_id=bytes(8))
    answer = door.ingest.traces(builder.request())
    assert answer.rejected == 1
    assert "span_id" in answer.message
    assert door.count("refused_spans_total", reason="invalid") == 1
    assert door.count("offered_spans_total") == 2


def test_garbage_is_a_permanent_error():
    """Nothing of it is offered: nobody knows how many spans it should have been."""
    door = Door()
    with pytest.raises(PermanentError):
        door.ingest.traces(b"\xff\xff")
    assert door.count("offered_spans_total") == 0


def test_spans_of_a_request_that_is_refused_as_a_whole_are_counted():
    """As far as it is known how many they are."""
    door = Door()
    builder = TraceBuilder(1)
    for _ in range(3):
        span = builder.span("x")
        span.trace_id = span.span_id = b""
    with pytest.raises(PermanentError):
        door.ingest.traces(builder.request())
    assert door.count("offered_spans_total") == 3
    assert door.count("refused_spans_total", reason="invalid") == 3


def test_polling_closes_what_is_due():
    """By the clock of the door."""
    door = Door(linger="2s")
    door.ingest.traces(request())
    door.clock.advance(1.9)
    door.ingest.poll()
    assert door.closed == []
    door.clock.advance(0.1)
    door.ingest.poll()
    assert [trace.reason for trace in door.closed] == ["root"]


def test_positions_count_the_requests():
    """Each request has the next offset."""
    door = Door()
    door.ingest.traces(request(1))
    door.ingest.traces(request(2))
    door.clock.advance(10)
    door.ingest.poll()
    assert [trace.first_position.offset for trace in door.closed] == [1, 2]


def test_a_full_budget_refuses_for_now():
    """Retryable, counted by span, with reason memory."""
    door = Door(memory="8KiB")
    door.ingest.traces(request(1, size=6000))
    with pytest.raises(RetryableError, match=r"assembly\.memory"):
        door.ingest.traces(request(2, size=3000))
    assert door.count("refused_spans_total", reason="memory") == 1


def test_a_budget_that_stays_full_is_relieved():
    """After a second of refusals the oldest traces are closed to make room."""
    door = Door(memory="8KiB")
    door.ingest.traces(request(1, size=6000, parent=b"12345678"))
    with pytest.raises(RetryableError):
        door.ingest.traces(request(2, size=3000))
    door.clock.advance(1)
    with pytest.raises(RetryableError):
        door.ingest.traces(request(2, size=3000))
    assert [trace.reason for trace in door.closed] == ["memory"]
    door.budget.release(door.closed[0].size)
    assert door.ingest.traces(request(2, size=3000)) == Accepted()


def test_a_request_larger_than_the_whole_budget_can_never_be_taken():
    """Sending it again would not help, and the error says which key to change."""
    door = Door(memory="4KiB")
    with pytest.raises(TooLargeError, match=r"assembly\.memory"):
        door.ingest.traces(request(size=5000))
    assert door.count("refused_spans_total", reason="too_large") == 1


def test_after_stop_everything_is_refused():
    """Retryable: another instance may take it."""
    door = Door()
    door.ingest.stop()
    with pytest.raises(RetryableError, match="shutting down"):
        door.ingest.traces(request())
    with pytest.raises(RetryableError):
        door.ingest.logs(b"")
    assert door.count("refused_spans_total", reason="shutdown") == 1


@pytest.mark.parametrize(("kept", "fate"), [("1MiB", "duplicate"), ("0B", "late")])
def test_log_records_are_counted_by_their_fate(kept, fate):
    """Joined, known to the kept trace, or late."""
    door = Door(kept=kept)
    builder = TraceBuilder(1)
    span = builder.span("chat")
    builder.log("gen_ai.user.message", "hi", span=span)
    door.ingest.logs(builder.log_request())
    door.ingest.traces(builder.request())
    door.clock.advance(10)
    door.ingest.poll()
    door.ingest.logs(builder.log_request())
    assert door.count("log_records_total", outcome="joined") == 1
    assert door.count("log_records_total", outcome=fate) == 1


ENERGY = metric("hw.energy", [(1, 1.0)], kind="cumulative")
OTHER = metric("http.requests", [(1, 1.0)])


def test_what_metrics_of_ours_read_is_kept_and_stands_in_the_log():
    """Only that: of the other metrics the points are counted."""
    log = MemoryLog()
    door = Door(log=log, reads=True)
    assert door.ingest.metrics(metrics_request(OTHER)) == Accepted()
    assert list(log.replay()) == []
    body = metrics_request(OTHER, ENERGY)
    assert door.ingest.metrics(body, tenant="t") == Accepted(offset=1, first=1)
    (record,) = log.replay()
    assert decode(record.payload) == Request("metrics", "t", metrics_request(ENERGY))
    assert door.readings.resources == 1
    assert door.count("metric_points_total") == 3


def test_readings_in_the_log_are_known_again_after_a_restart():
    """So that traces that were open have them."""
    log = MemoryLog()
    Door(log=log, reads=True).ingest.metrics(metrics_request(ENERGY))
    door = Door(log=log, reads=True)
    (record,) = log.replay()
    assert door.ingest.take_again(record) == (0, 0)
    assert door.readings.resources == 1
    assert door.count("readings_total", outcome="kept") == 1
    assert Door(log=log).ingest.take_again(record) == (0, 0)


def test_readings_that_the_log_does_not_take_are_not_kept():
    """The sender tries again, and must not be told twice."""
    door = Door(log=MemoryLog(max_size=1), reads=True)
    with pytest.raises(TooLargeError):
        door.ingest.metrics(metrics_request(ENERGY))
    assert door.readings.resources == 0


def test_what_is_passed_on_is_written_whole_and_read_all_the_same():
    """The log holds it once."""
    log = MemoryLog()
    door = Door(log=log, reads=True, passes_on=True)
    body = metrics_request(OTHER, ENERGY)
    door.ingest.metrics(body)
    assert [decode(record.payload).body for record in log.replay()] == [body]
    assert door.readings.resources == 1
    again = Door(log=log, reads=True, passes_on=True)
    again.ingest.take_again(next(log.replay()))
    assert again.readings.resources == 1


def test_metric_points_are_counted_and_dropped():
    """Metrics are accepted, so that an exporter does not fail."""
    door = Door()
    request = metrics_pb2.MetricsData()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    for value in (1, 2, 3):
        metric.gauge.data_points.add(as_int=value)
    assert door.ingest.metrics(request.SerializeToString()) == Accepted()
    assert door.count("metric_points_total") == 3
    assert door.assembler.open_traces == 0
    with pytest.raises(PermanentError):
        door.ingest.metrics(b"\xff")


def test_spans_of_open_traces_are_taken_where_new_ones_are_refused():
    """The request is refused for the rest; sent again, its first part is known."""
    door = Door(memory="20KiB")
    builder = TraceBuilder(1)
    root = builder.span("agent", padding="x" * 15_500)
    door.ingest.traces(builder.request())
    both = builder.request(builder.span("chat", parent=root)) + request(2)
    for _ in range(2):
        with pytest.raises(RetryableError, match=r"assembly\.memory"):
            door.ingest.traces(both)
    assert len(door.assembler.find(builder.trace_id).spans) == 2
    assert door.count("refused_spans_total", reason="memory") == 2
    assert door.count("duplicate_spans_total") == 1
    assert door.count("offered_spans_total") == door.count("accepted_spans_total") + 2


def test_a_refused_request_of_new_traces_is_not_split(monkeypatch):
    """Under overload that would take the time of those that are taken; all its spans count."""
    door = Door(memory="20KiB")
    builder = TraceBuilder(1)
    builder.span("agent", padding="x" * 15_500)
    door.ingest.traces(builder.request())
    monkeypatch.setattr(AssemblingIngest, "_split", None)
    with pytest.raises(RetryableError, match=r"assembly\.memory"):
        door.ingest.traces(request(2) + request(3))
    assert door.count("refused_spans_total", reason="memory") == 2
    assert door.count("offered_spans_total") == 3


def test_log_records_of_open_traces_are_taken_where_new_ones_are_refused():
    """The others are counted as refused."""
    door = Door(memory="20KiB")
    builder, other = TraceBuilder(1), TraceBuilder(2)
    span = builder.span("agent", padding="x" * 15_500)
    door.ingest.traces(builder.request())
    builder.log("gen_ai.user.message", "hi", span=span)
    other.log("gen_ai.user.message", "hi", span=other.span("chat"))
    with pytest.raises(RetryableError):
        door.ingest.logs(builder.log_request() + other.log_request())
    assert door.count("log_records_total", outcome="joined") == 1
    assert door.count("log_records_total", outcome="refused") == 1


def test_a_conflicting_span_is_counted():
    """It is a duplicate too: one span with one identity is kept."""
    door = Door()
    for size in (10, 20):
        door.ingest.traces(request(1, size=size))
    assert door.count("duplicate_spans_total") == 1
    assert door.count("conflicting_spans_total") == 1


def test_end_markers_count_only_from_allowed_services():
    """Else anybody who knows a trace id could end it early."""
    door = Door(may_end=lambda envelope: b"orchestrator" in envelope.resource)
    for number, service in enumerate(("intruder", "orchestrator"), 1):
        builder = TraceBuilder(number, service=service)
        builder.span("agent", **{"spanscore.trace.end": True})
        door.ingest.traces(builder.request())
    assert [trace.trace_id for trace in door.closed] == [(2).to_bytes(16, "big")]


# the log


def entries(log):
    return [decode(record.payload) for record in log.replay()]


def again(log, rows=(), **assembly):
    """Return a door after a restart, and how many spans and re-reads each record had."""
    door = Door(log=log, **assembly)
    for key, closed_at, revision, reason in rows:
        door.assembler.recall(key, closed_at, revision, reason)
    return door, [door.ingest.take_again(record) for record in log.replay()]


async def test_a_request_is_in_the_log_before_it_is_answered():
    """With its tenant; the answer names its place, which is waited for."""
    log = MemoryLog()
    door = Door(log=log)
    answers = [door.ingest.traces(request(n), tenant="acme") for n in (1, 2)]
    assert [answer.offset for answer in answers] == [1, 2]
    assert entries(log) == [Request("traces", "acme", request(n)) for n in (1, 2)]
    await door.ingest.durable(2)
    log.sync_raises = [RetryableError("no disk")]
    with pytest.raises(RetryableError):
        await door.ingest.durable(2)


def test_what_the_log_has_no_room_for_is_refused():
    """For now, counted, and nothing of it is assembled."""
    door = Door(log=MemoryLog(max_size=500))
    fits = len(encode(Request("traces", "", request(1))))
    for number in range(1, 500 // fits + 1):
        door.ingest.traces(request(number))
    with pytest.raises(RetryableError, match="full"):
        door.ingest.traces(request(9))
    assert door.count("refused_spans_total", reason="journal") == 1
    assert door.assembler.open_traces == door.count("accepted_spans_total")
    assert door.count("offered_spans_total") == door.count("accepted_spans_total") + 1


def test_a_late_span_is_not_refused_when_its_trace_is_open_again():
    """Else each try of the sender would have it scored once more, without the span."""
    door = Door(log=MemoryLog(max_size=3000))
    trace = TraceBuilder(1)
    door.ingest.traces(trace.request(trace.span("chat")))
    door.clock.advance(60)
    door.ingest.poll()
    door.ingest.traces(trace.request(trace.span("late", padding="x" * 2700)))
    door.clock.advance(60)
    door.ingest.poll()
    assert [(trace.revision, len(trace.spans)) for trace in door.closed] == [(1, 1), (2, 2)]
    with pytest.raises(RetryableError, match="full"):
        door.ingest.traces(request(2))


def test_log_records_that_the_log_has_no_room_for_are_counted_as_refused():
    """A sender that gives up has lost them, and the counters say so."""
    door = Door(log=MemoryLog(max_size=10**6))
    trace = TraceBuilder(1)
    trace.log("gen_ai.user.message", "x" * 600_000, span=trace.span("chat"))
    door.ingest.logs(trace.log_request())
    with pytest.raises(RetryableError, match="full"):
        door.ingest.logs(trace.log_request())
    assert door.count("log_records_total", outcome="joined") == 1
    assert door.count("log_records_total", outcome="refused") == 1


def test_only_what_was_taken_of_a_request_is_in_the_log():
    """The sender will repeat the rest."""
    log = MemoryLog()
    door = Door(log=log, memory="20KiB")
    builder = TraceBuilder(1)
    root = builder.span("agent", padding="x" * 15_000)
    door.ingest.traces(builder.request())
    child = builder.span("chat", parent=root)
    with pytest.raises(RetryableError):
        door.ingest.traces(builder.request(child) + request(2))
    (span,) = split_traces(entries(log)[1].body).spans
    assert span.wire == child.SerializeToString()


def test_a_refused_request_is_not_in_the_log():
    """Neither is one of which nothing can be used."""
    log = MemoryLog()
    door = Door(log=log, memory="8KiB")
    door.ingest.stop()
    with pytest.raises(RetryableError):
        door.ingest.traces(request(2))
    with pytest.raises(PermanentError):
        door.ingest.traces(b"\xff")
    assert entries(log) == []


def test_an_open_trace_is_there_again_after_a_restart():
    """With the spans and log records of before, and those that come then."""
    log, builder = MemoryLog(), TraceBuilder(1)
    root = builder.span("agent")
    child = builder.span("chat", parent=root)
    builder.log("event", "hi", span=child)
    before = Door(log=log)
    before.ingest.traces(builder.request(child))
    before.ingest.logs(builder.log_request())
    door, taken = again(log)
    assert taken == [(1, 0), (0, 0)]
    door.ingest.traces(builder.request(root))
    door.clock.advance(10)
    door.ingest.poll()
    (closed,) = door.closed
    assert (len(closed.spans), len(closed.logs), closed.reason) == (2, 1, "root")
    assert (closed.first_position.offset, closed.closed_at) == (1, 3)


def test_a_scored_trace_is_not_assembled_again():
    """Its spans are re-reads: accepted, counted, and dropped."""
    log = MemoryLog()
    Door(log=log).ingest.traces(request(1))
    key = ("", (1).to_bytes(16, "big"))
    door, taken = again(log, [(key, 1, 1, None)])
    assert taken == [(1, 1)]
    assert door.count("reread_spans_total") == door.count("accepted_spans_total") == 1
    assert door.assembler.open_traces == 0


def test_late_spans_join_and_the_log_holds_all_of_their_trace():
    """Its earlier entries may be released by then."""
    log, builder = MemoryLog(), TraceBuilder(1)
    root = builder.span("agent")
    door = Door(log=log)
    door.ingest.traces(builder.request())
    door.clock.advance(10)
    door.ingest.poll()
    late = builder.span("late", parent=root)
    door.ingest.traces(builder.request(late))
    assert door.count("late_spans_total") == 1
    assert door.count("late_unjoined_spans_total") == 0
    _, written, _ = entries(log)
    assert (written.revision, len(split_traces(written.traces).spans)) == (2, 1)
    log.release(2)
    after, taken = again(log, [(("", builder.trace_id), 1, 1, None)])
    assert taken == [(1, 0), (1, 0)]
    after.clock.advance(10)
    after.ingest.poll()
    (closed,) = after.closed
    assert (closed.revision, len(closed.spans)) == (2, 2)


def test_an_old_open_trace_is_written_anew():
    """Then the log before that can be released."""
    log, builder = MemoryLog(), TraceBuilder(1)
    root = builder.span("agent")
    child = builder.span("chat", parent=root)
    door = Door(log=log)
    door.ingest.traces(builder.request(child))
    door.ingest.traces(request(2, parent=b"12345678"))
    door.ingest.spill(door.assembler.spillable())
    assert door.assembler.watermark.lowest() == 2
    log.release(2)
    after, _ = again(log)
    after.ingest.traces(builder.request(root))
    after.clock.advance(10)
    after.ingest.poll()
    assert [len(trace.spans) for trace in after.closed] == [2]


def test_a_foreign_record_is_told():
    """Whoever replays the log leaves it out."""
    log = MemoryLog()
    log.append(b"\xc1")
    with pytest.raises(PermanentError):
        again(log)


def evaluation_of(builder):
    scores = TraceBuilder(builder.trace_id.hex(), service="spanscore")
    scores.log("gen_ai.evaluation.result", None, span=builder.spans[0])
    return scores.log_request()


def test_a_score_neither_opens_nor_holds_nor_revises_a_trace():
    """Our own results may come back by any way without a second scoring."""
    log = MemoryLog()
    door = Door(log=log, linger="2s", idle_timeout="30s")
    builder = TraceBuilder(1)
    builder.span("invoke_agent")
    door.ingest.logs(evaluation_of(builder))
    assert door.assembler.open_traces == 0

    door.ingest.traces(builder.request())
    door.clock.advance(1.9)
    door.ingest.logs(evaluation_of(builder))
    door.clock.advance(0.2)
    door.ingest.poll()
    assert [trace.logs for trace in door.closed] == [()]

    door.ingest.logs(evaluation_of(builder))
    assert door.assembler.open_traces == 0
    assert door.count("log_records_total", outcome="evaluation") == 3
    assert len(list(log.replay())) == 1


def test_a_score_is_passed_on_once_and_kept_until_then():
    """Where traces are passed on; it is not ours to drop."""
    log = MemoryLog()
    door = Door(passes_on=True, log=log)
    builder = TraceBuilder(1)
    builder.span("invoke_agent")
    door.ingest.logs(evaluation_of(builder))
    assert [signal for signal, _, _ in door.strays.taken] == ["logs"]
    again = Door(passes_on=True)
    for record in log.replay():
        again.ingest.take_again(record)
    assert again.strays.taken == door.strays.taken
    assert again.assembler.open_traces == 0


class TestStrays:
    """What belongs to no open trace, where it is to be passed on."""

    METRICS = metrics_pb2.MetricsData(
        resource_metrics=[metrics_pb2.ResourceMetrics(schema_url="x")]
    ).SerializeToString()

    def untraced(self):
        data = logs_pb2.LogsData()
        data.resource_logs.add().scope_logs.add().log_records.add(event_name="of no trace")
        return data.SerializeToString()

    def closed_door(self, **options):
        """A door that trace 1 has passed, of which nothing is kept."""
        door = Door(passes_on=True, log=MemoryLog(), kept="0B", **options)
        door.ingest.traces(request(1))
        door.clock.advance(60)
        door.ingest.poll()
        return door

    def test_late_spans_and_logs_are_passed_on(self):
        """From where they stand in the log."""
        door = self.closed_door()
        late = TraceBuilder(1)
        late.log("late", "hello", span=late.span("late", span_id=b"l" * 8))
        assert door.ingest.traces(late.request()).offset == 2
        assert door.ingest.logs(late.log_request()).offset == 3
        spans, logs = late.spans[0].SerializeToString(), late.logs[0].SerializeToString()
        assert door.strays.taken == [("traces", [spans], 2), ("logs", [logs], 3)]

    def test_metrics_and_logs_without_a_trace_are_written_to_the_log(self):
        """Or a crash would lose them."""
        log = MemoryLog()
        door = Door(passes_on=True, log=log)
        assert door.ingest.metrics(self.METRICS, tenant="acme").offset == 1
        assert door.ingest.logs(self.untraced()).offset == 2
        assert [decode(record.payload) for record in log.replay()] == [
            Request("metrics", "acme", self.METRICS),
            Request("logs", "", self.untraced()),
        ]
        assert [(signal, offset) for signal, _, offset in door.strays.taken] == [
            ("metrics", 1),
            ("logs", 2),
        ]

    def test_without_targets_they_are_counted_and_dropped(self):
        """Nothing is written for them."""
        log = MemoryLog()
        door = Door(log=log)
        assert door.ingest.metrics(self.METRICS) == Accepted()
        assert door.ingest.logs(self.untraced()) == Accepted()
        assert list(log.replay()) == []

    def test_a_session_in_log_records_is_a_trace_and_no_stray(self):
        """It is passed on with its trace, once; quiet time closes it."""
        data = logs_pb2.LogsData()
        prompt = (
            data.resource_logs.add()
            .scope_logs.add()
            .log_records.add(event_name="codex.user_prompt")
        )
        prompt.attributes.add(key="conversation.id").value.string_value = "c"
        door = Door(passes_on=True, log=MemoryLog())
        door.ingest.logs(data.SerializeToString())
        assert door.strays.taken == []
        door.clock.advance(600)
        door.ingest.poll()
        (closed,) = door.closed
        assert closed.logs == (prompt.SerializeToString(),)
        assert (closed.reason, closed.trace_id) == ("idle", sha256(b"c").digest()[:16])

    def test_they_are_passed_on_again_from_the_log(self):
        """What the trace had when it closed is not."""
        before = self.closed_door()
        late = TraceBuilder(1)
        late.span("late", span_id=b"l" * 8)
        log = before.ingest._log
        before.ingest.traces(late.request())
        before.ingest.metrics(self.METRICS)
        before.ingest.logs(self.untraced())
        door = Door(passes_on=True, log=log, kept="0B")
        door.assembler.recall(("", late.trace_id), 1, 1, None)
        for record in log.replay():
            door.ingest.take_again(record)
        assert door.strays.taken == before.strays.taken

    def test_a_log_entry_of_metrics_does_no_harm_without_targets(self):
        """They may have been taken out of the configuration."""
        door = Door(log=MemoryLog())
        record = Record(1, encode(Request("metrics", "", self.METRICS)))
        assert door.ingest.take_again(record) == (0, 0)

    def test_without_room_they_are_refused(self):
        """With the answer that spans of new traces get."""
        door = Door(passes_on=True, memory="10KB")
        door.budget.charge(9_000)
        for take, body in (
            (door.ingest.metrics, self.METRICS),
            (door.ingest.logs, self.untraced()),
        ):
            with pytest.raises(RetryableError):
                take(body)
        assert door.strays.taken == []

    def test_logs_without_a_trace_are_not_taken_from_a_request_that_is_refused(self):
        """It comes again as a whole, and they would come twice."""
        door = Door(passes_on=True, memory="10KB")
        door.ingest.traces(request(1))
        builders = [TraceBuilder(number) for number in (1, 2)]
        for builder in builders:
            builder.log("message", "hello", span=builder.span("chat"))
        door.budget.charge(8_000)
        body = b"".join(builder.log_request() for builder in builders) + self.untraced()
        with pytest.raises(RetryableError):
            door.ingest.logs(body)
        assert door.strays.taken == []
        assert door.count("log_records_total", outcome="joined") == 1
