"""What the ledger costs: `python tests/bench/ledger.py [FOLDER]` prints, asserts nothing.

The folder (default: a temporary one) should be on the disk that counts.
"""

import asyncio
import os
import platform
import sys
import tempfile
import time
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

from scorer.ledger import Closing, Ledger

CAPACITY = 200_000
BATCH = 32
MIB = 1024 * 1024
BATCHES = {True: 300, False: 2000}


def closing(number):
    """Return what a trace of some spans makes."""
    return Closing(
        tenant="",
        trace_id=os.urandom(16),
        source="journal",
        partition=0,
        closed_at=number // 4 + 1,
        first_offset=number // 4 + 1,
        revision=1,
        reason="root",
        digest=os.urandom(16),
        span_count=20,
        closed_unix_ns=1_700_000_000_000_000_000 + number,
        is_scored=False,
    )


async def steady(ledger, first, batches):
    """Note, note as scored, forget now and then; return seconds per batch in order, and CPU."""
    walls = []
    cpu = time.process_time()
    for batch in range(batches):
        making = time.process_time()
        rows = [closing(first + batch * BATCH + n) for n in range(BATCH)]
        cpu += time.process_time() - making
        begin = time.perf_counter()
        await ledger.closing(rows)
        await ledger.scored([(row.tenant, row.trace_id, row.revision) for row in rows])
        walls.append(time.perf_counter() - begin)
        if batch % 50 == 49:
            await ledger.forget("journal", 0, rows[0].closed_at)
    return sorted(walls), time.process_time() - cpu


async def fill(ledger):
    """Bring it to its capacity."""
    for first in range(0, CAPACITY, 2000):
        rows = [closing(first + n) for n in range(2000)]
        await ledger.closing(rows)
        await ledger.scored([(row.tenant, row.trace_id, row.revision) for row in rows])


async def run(folder, durable):
    """Print what one kind costs."""
    path = folder / f"{durable}.db"
    ledger = Ledger(path, capacity=CAPACITY, durable=durable)
    await fill(ledger)
    walls, cpu = await steady(ledger, CAPACITY, BATCHES[durable])
    count = len(walls)
    print(f"durable={durable}: {1e3 * sum(walls) / count:.2f} ms a batch of {BATCH}", end=", ")
    print(
        f"median {1e3 * walls[count // 2]:.2f}, p99 {1e3 * walls[count * 99 // 100]:.2f}", end="; "
    )
    print(f"CPU {1e6 * cpu / count / BATCH:.1f} us a trace", end="; ")
    wal = path.with_name(path.name + "-wal").stat().st_size
    print(f"file {path.stat().st_size / 1e6:.1f} MB, log {wal / 1e6:.1f} MB")
    await ledger.close()
    await start(path, durable)


async def start(path, durable):
    """Print what a start costs."""
    begin = time.perf_counter()
    ledger = Ledger(path, capacity=CAPACITY, durable=durable)
    opened = time.perf_counter()
    cpu = time.process_time()
    rows = sum(1 for _ in ledger.load())
    cpu = time.process_time() - cpu
    read = time.perf_counter()
    print(f"  open with check {opened - begin:.3f} s", end="; ")
    print(f"load of {rows} rows {read - opened:.3f} s, CPU {cpu:.3f} s", end="; ")
    tracemalloc.start()
    sum(1 for _ in ledger.load())
    _, peak = tracemalloc.get_traced_memory()
    kept = list(ledger.load())
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{peak / MIB:.1f} MiB to read them, {size / len(kept):.0f} bytes each to keep them")
    await ledger.close()


def main():
    """Print two lines for each kind."""
    begin = time.process_time()
    for _ in range(10_000_000):
        pass
    loop = time.process_time() - begin
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, an empty loop {loop * 100:.0f} ns")
    parent = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for durable in (False, True):
        with tempfile.TemporaryDirectory(dir=parent) as folder:
            asyncio.run(run(Path(folder), durable))


if __name__ == "__main__":
    main()
