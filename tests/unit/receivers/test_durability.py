"""Journal and ledger of one service: what is found in them at the start."""

import logging
from contextlib import asynccontextmanager

import pytest
from metric_requests import metric
from metric_requests import request as metrics_request

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.model.reading import Coverage
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.durability import Durability
from scorer.receivers.ingest import AssemblingIngest
from scorer.scoring.books import LedgerBooks
from scorer.scoring.readings.join import Readings
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, TraceBuilder, assert_balance


class Life:
    """What a service has of it, from one start to the next."""

    def __init__(self, folder, **sections):
        config = parse_config({"state_dir": str(folder)} | sections)
        self.durability = Durability(config, {})
        self.clock, self.telemetry, self.closed = ManualClock(), Telemetry(), []
        self.budget = budget = MemoryBudget(config.assembly.memory)
        self.assembler = Assembler(assembler_settings(config.assembly), budget)
        self.readings = Readings(config.scoring.readings, self.telemetry, self.clock)
        self.ingest = AssemblingIngest(
            readings=self.readings,
            source="otlp",
            assembler=self.assembler,
            admission=Admission(self.assembler, budget),
            telemetry=self.telemetry,
            clock=self.clock,
            on_closed=self.take,
            log=self.durability.journal,
        )
        self.books = LedgerBooks(
            self.assembler, self.durability.ledger, self.durability.journal, "otlp"
        )

    def take(self, closed):
        self.closed += self.readings.attach(closed)

    async def recover(self):
        self.durability.recall(self.assembler, self.readings)
        return await self.durability.recover(self.ingest, self.assembler, self.take, self.clock())

    def send(self, number, spans=1):
        builder = TraceBuilder(number)
        for _ in range(spans):
            builder.span("chat", parent=b"12345678")
        self.ingest.traces(builder.request())

    async def score(self, number):
        """Send a trace of 100 KB and have it scored."""
        self.ingest.traces(padded(number))
        self.clock.advance(3)
        self.ingest.poll()
        batch, self.closed = self.closed, []
        await self.books.closing(batch)
        await self.books.scored(batch)
        for trace in batch:
            self.budget.release(trace.size)

    def close_all(self):
        self.closed += self.assembler.drain(self.clock(), "idle")
        batch, self.closed = self.closed, []
        return batch


def padded(number, **span):
    """Return a request of one trace with a span of 100 KB."""
    builder = TraceBuilder(number)
    builder.span("chat", padding="x" * 100_000, **span)
    return builder.request()


@asynccontextmanager
async def life(folder, **sections):
    one = Life(folder, **sections)
    try:
        yield one
    finally:
        await one.durability.close()


async def test_what_was_open_is_open_again(tmp_path):
    """And the line says so."""
    async with life(tmp_path) as before:
        await before.recover()
        before.send(1, spans=3)
    async with life(tmp_path) as after:
        found = await after.recover()
        assert (found.records, found.spans, found.open_traces) == (1, 3, 1)
        assert (found.rereads, found.closed_again, found.damaged) == (0, 0, 0)
        assert "1 records, 3 spans" in str(found)
        assert "1 traces are open" in str(found)


async def test_what_stands_before_a_snapshot_is_read_again_and_dropped(tmp_path):
    """All of the trace is in it, and another trace may hold the journal before it."""
    async with life(tmp_path) as before:
        before.send(1, spans=3)
        before.ingest.spill(before.assembler.spillable())
    async with life(tmp_path) as after:
        found = await after.recover()
        assert (found.records, found.rereads, found.open_traces) == (2, 3, 1)
        assert after.assembler.open_spans == 3


async def test_what_was_scored_is_read_again_and_dropped(tmp_path):
    """An open trace in front of it holds the journal."""
    async with life(tmp_path) as before:
        before.send(1)
        before.send(2, spans=5)
        (first, second) = before.close_all()
        await before.books.closing([first, second])
        await before.books.scored([second])
    async with life(tmp_path) as after:
        found = await after.recover()
        assert (found.rereads, found.closed_again, found.open_traces) == (5, 1, 0)
        (again,) = after.closed
        assert (again.trace_id, again.reason, again.closed_at) == (first.trace_id, "idle", 2)
        assert again.spans == first.spans


async def test_offsets_never_come_again(tmp_path):
    """Not even when the journal was lost: new spans would be taken for re-reads."""
    async with life(tmp_path) as before:
        before.send(1)
        batch = before.close_all()
        await before.books.closing(batch)
        await before.books.scored(batch)
    for file in (tmp_path / "journal").iterdir():
        file.unlink()
    async with life(tmp_path) as after:
        await after.recover()
        after.send(1)
        assert after.telemetry.value("spanscore_reread_spans_total") == 0
        assert after.telemetry.value("spanscore_late_spans_total") == 1


async def test_a_record_that_is_none_of_ours_is_left_out(tmp_path, caplog):
    """It is told, and the others are used."""
    async with life(tmp_path) as before:
        before.durability.journal.append(b"\xc1")
        before.send(1)
    async with life(tmp_path) as after:
        with caplog.at_level(logging.ERROR):
            found = await after.recover()
        assert (found.damaged, found.open_traces) == (1, 1)
        assert "record 1 of the journal is left out" in caplog.text


FILLING = {
    "journal": {"max_size": "16MiB"},
    "assembly": {"memory": "8MiB", "idle_timeout": "1h"},
}


async def test_old_open_traces_are_written_anew_when_the_journal_fills(tmp_path):
    """They would hold everything that came after them."""
    async with life(tmp_path, **FILLING) as one:
        one.send(1)
        for number in range(2, 100):
            await one.score(number)
            one.durability.make_room(one.ingest, one.assembler)
        assert one.durability.journal.oldest_offset > 10
        assert one.assembler.watermark.lowest() > 10


async def test_old_open_traces_are_written_anew_in_a_journal_that_is_full(tmp_path):
    """It may be so after a restart with a smaller max_size: all would be refused until they end."""
    async with life(tmp_path, journal={"max_size": "64MiB"}, assembly=FILLING["assembly"]) as one:
        one.send(1)
        for number in range(2, 202):
            await one.score(number)
    async with life(tmp_path, **FILLING) as two:
        assert two.durability.journal.pinned_bytes > 16 * 2**20
        assert (await two.recover()).open_traces == 1
        assert two.durability.journal.pinned_bytes < 8 * 2**20


async def test_open_traces_are_not_written_again_and_again(tmp_path):
    """Where the journal is full of them, nothing is gained by that."""
    async with life(tmp_path, **FILLING) as one:
        one.send(1)
        for number in range(2, 27):
            await one.score(number)
        for number in range(27, 87):
            one.ingest.traces(padded(number, parent=bytes(range(8))))
        journal = one.durability.journal
        assert journal.pinned_bytes > 8 * 2**20
        before = journal.next_offset
        one.durability.make_room(one.ingest, one.assembler)
        assert journal.next_offset == before


def test_a_folder_that_cannot_be_made_names_the_key(tmp_path):
    """And what else can be done."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"state_dir: cannot make .*journal\.enabled: false"):
        Durability(parse_config({"state_dir": str(tmp_path / "file" / "state")}), {})


async def test_the_balance_holds_after_a_recovery(tmp_path):
    """Re-reads are accepted spans."""
    async with life(tmp_path) as before:
        before.send(1)
        before.send(2)
        batch = before.close_all()
        await before.books.closing(batch)
        await before.books.scored(batch[:1])
    async with life(tmp_path) as after:
        await after.recover()
        closed = sum(trace.fresh_spans for trace in after.closed)
        after.telemetry.add("spanscore_closed_spans_total", closed)
        after.telemetry.add("spanscore_scored_spans_total", closed)
        after.telemetry.set("spanscore_open_spans", after.assembler.open_spans)
        assert_balance(after.telemetry)


class TestPassedOn:
    """Up to where everything that belongs to no trace is passed on."""

    async def test_it_is_known_after_a_restart(self, tmp_path):
        """And no offset below it is given out again, though the machine may have lost records."""
        durability = Life(tmp_path).durability
        assert durability.passed_on_before == 0
        await durability.note_passed_on(7)
        await durability.close()
        durability = Life(tmp_path).durability
        assert durability.passed_on_before == 7
        assert durability.journal.next_offset == 7
        await durability.close()

    async def test_a_disk_that_does_not_take_it_stops_nothing(self, tmp_path, caplog):
        """Then some of it may be passed on again."""
        durability = Life(tmp_path).durability
        await durability.close()
        await durability.note_passed_on(7)
        assert durability.passed_on_before == 0
        assert "is not noted" in caplog.text


def power(*points):
    return metrics_request(metric("hw.power", points, unit="W"))


async def test_a_trace_that_closes_once_more_has_the_readings_it_had(tmp_path):
    """Though readings of its time have come after it closed, before the process ended."""
    async with life(tmp_path) as first:
        first.send(9)
        first.ingest.metrics(power((-1, 100.0)))
        first.send(1)
        first.ingest.traces(ended(1))
        (closed,) = first.closed
        assert closed.readings[0].coverage == Coverage(0.0, 1.0)
        await first.books.closing([closed])
        first.ingest.metrics(power((1, 300.0)))
    async with life(tmp_path) as second:
        await second.recover()
        (again,) = second.closed
        assert again.readings == closed.readings
        assert again.digest == closed.digest
        other = second.readings.attach(second.close_all())[-1]
        assert other.readings[0].coverage == Coverage(1.0, 0.0)


def ended(number):
    """Return a request that ends a trace."""
    builder = TraceBuilder(number)
    builder.span("chat", parent=b"12345678", span_id=b"endendee", **{"spanscore.trace.end": True})
    return builder.request()


async def test_a_trace_that_had_no_readings_gets_none_when_it_closes_once_more(tmp_path):
    """That, too, is what it was scored with."""
    async with life(tmp_path) as first:
        first.send(1)
        first.ingest.traces(ended(1))
        assert first.closed[0].readings == ()
        await first.books.closing(first.closed)
        first.ingest.metrics(power((0, 300.0)))
    async with life(tmp_path) as second:
        await second.recover()
        assert second.readings.resources == 1
        assert [trace.readings for trace in second.closed] == [()]
