"""What is noted of closed traces, and when the log is released."""

import pytest
from msgspec.structs import replace

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.journal import Journal
from scorer.ledger import Ledger
from scorer.model.position import Position
from scorer.model.reading import Coverage, Measured
from scorer.otlp.split import split_traces
from scorer.receivers.assembly_settings import assembler_settings
from scorer.scoring.books import LedgerBooks, NoBooks
from scorer.scoring.readings.join import noted
from scorer.testing import TraceBuilder


@pytest.fixture
def assembler():
    settings = assembler_settings(parse_config({}).assembly)
    return Assembler(settings, MemoryBudget(10**9))


@pytest.fixture
async def desk(tmp_path, assembler):
    """Books with a real ledger and a real journal of ten records."""
    ledger = Ledger(tmp_path / "ledger.sqlite", capacity=100, durable=False)
    journal = Journal(tmp_path / "journal", fsync="off", max_size=10**6)
    for _ in range(10):
        journal.append(b"record")
    yield LedgerBooks(assembler, ledger, journal, "otlp", unix_ns=lambda: 7), ledger, journal
    await ledger.close()
    journal.close()


def close(assembler, number, offset, tenant=""):
    builder = TraceBuilder(number)
    builder.span("chat")
    spans = split_traces(builder.request()).spans
    assembler.push(spans, Position("otlp", 0, offset), 0, tenant)
    return assembler.drain(1, "root")


async def test_a_closing_is_noted_and_then_as_scored(desk, assembler):
    """With the place of the close, so that it can be repeated."""
    books, ledger, _ = desk
    batch = close(assembler, 1, 4, "acme")
    await books.closing(batch)
    (row,) = ledger.load()
    assert (row.tenant, row.trace_id, row.closed_at) == ("acme", batch[0].trace_id, 4)
    assert (row.revision, row.reason, row.span_count) == (1, "root", 1)
    assert (row.first_offset, row.closed_unix_ns, row.digest) == (4, 7, batch[0].digest)
    assert not row.is_scored
    await books.scored(batch)
    (row,) = ledger.load()
    assert row.is_scored


async def test_readings_are_noted_until_the_trace_is_scored(desk, assembler):
    """They are those it was scored with, should it have to be scored again."""
    books, ledger, _ = desk
    (trace,) = close(assembler, 1, 4)
    told = (Measured("energy_kwh", 0.1, "hw.energy", Coverage(1.0, 0.0)),)
    batch = [replace(trace, readings=told)]
    await books.closing(batch)
    (row,) = ledger.load()
    assert row.readings == noted(told)
    await books.scored(batch)
    (row,) = ledger.load()
    assert row.readings is None


async def test_the_log_is_released_up_to_what_has_no_scores(desk, assembler):
    """A trace that is open or not yet scored holds it."""
    books, _, journal = desk
    first, second = close(assembler, 1, 3), close(assembler, 2, 6)
    await books.closing(second)
    await books.scored(second)
    assert journal.oldest_offset == 3
    await books.closing(first)
    await books.scored(first)
    assert journal.oldest_offset == journal.next_offset == 11


async def test_without_a_log_the_pins_are_taken_back(assembler):
    """Else they would pile up."""
    books = NoBooks(assembler)
    batch = close(assembler, 1, 3)
    await books.closing(batch)
    assert assembler.watermark.lowest() == 3
    await books.scored(batch)
    assert assembler.watermark.lowest() is None
