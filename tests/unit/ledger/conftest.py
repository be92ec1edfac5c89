"""Ledgers in a file of the test, closed at its end; closings; and disks that fail."""

import resource
from contextlib import contextmanager

import pytest

from scorer.ledger import Closing, Ledger


@pytest.fixture
def path(tmp_path):
    """Return where the ledger of the test is."""
    return tmp_path / "state" / "ledger.db"


@pytest.fixture
async def open_ledger(path):
    """Return a coroutine function that opens the ledger of the test, again and again."""
    opened = []

    async def open_it(*, capacity=100, durable=False):
        for ledger in opened:
            await ledger.close()
        opened.append(Ledger(path, capacity=capacity, durable=durable))
        return opened[-1]

    yield open_it
    for ledger in opened:
        await ledger.close()


@pytest.fixture
def closing():
    """Return a function that makes the closing of a numbered trace, at the cut of its number."""

    def make(number, **changes):
        fields = {
            "tenant": "",
            "trace_id": number.to_bytes(16, "big"),
            "source": "journal",
            "partition": 0,
            "closed_at": number,
            "first_offset": max(1, number - 2),
            "revision": 1,
            "reason": "root",
            "digest": bytes([number % 256]) * 16,
            "span_count": 3,
            "closed_unix_ns": 1_700_000_000_000_000_000 + number,
            "is_scored": False,
        }
        return Closing(**(fields | changes))

    return make


@pytest.fixture
def failing_disk(path):
    """Return a context in which no file grows beyond the write-ahead log, and some bytes more."""

    @contextmanager
    def limit(more=0):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = path.with_name("ledger.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + more, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limit


@pytest.fixture
def full_disk():
    """Return a context in which the file of a ledger cannot have one page more."""

    @contextmanager
    def limit(ledger):
        def set_limit(pages):
            ledger._database.read_now(lambda c: c.execute(f"PRAGMA max_page_count = {pages}"))

        set_limit(1)
        try:
            yield
        finally:
            set_limit(2**30)

    return limit
