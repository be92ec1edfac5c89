"""What the journal costs: `python tests/bench/journal.py [FOLDER]` prints, asserts nothing.

The folder (default: a temporary one) should be on the disk that counts.
"""

import asyncio
import platform
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from scorer.journal import Journal

PAYLOAD = bytes(range(256)) * 508  # 130 KB: about 100 spans
WAITERS = 32
MIB = 1024 * 1024


async def run(folder, fsync, records):
    """Append and wait, as many senders at a time as there are; return seconds and flushes."""
    log = Journal(folder, fsync=fsync, max_size=4096 * MIB)
    left = iter(range(records))
    appending = longest = 0.0

    async def sender():
        nonlocal appending, longest
        for _ in left:
            cpu, begin = time.thread_time(), time.perf_counter()
            offset = log.append(PAYLOAD)
            appending += time.thread_time() - cpu
            longest = max(longest, time.perf_counter() - begin)
            await log.synced(offset)

    cpu, begin = time.process_time(), time.perf_counter()
    await asyncio.gather(*(sender() for _ in range(WAITERS)))
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    begin = time.perf_counter()
    log.release(log.next_offset)
    trimming = time.perf_counter() - begin
    flushes = log.synced_count
    log.close()
    return wall, cpu, appending, longest, trimming, flushes


def main():
    """Print one line for each policy."""
    begin = time.process_time()
    for _ in range(1000):
        crc32(PAYLOAD)
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {len(PAYLOAD)} bytes a record")
    print(f"crc32 alone: {(time.process_time() - begin) * 1000:.0f} us")
    parent = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for fsync, records in (("batch", 8000), ("always", 600), ("off", 8000)):
        with tempfile.TemporaryDirectory(dir=parent) as folder:
            wall, cpu, appending, longest, trimming, flushes = asyncio.run(
                run(Path(folder), fsync, records)
            )
        rate = records / wall
        print(f"{fsync:6} {rate:5.0f} appends/s, {rate * len(PAYLOAD) / MIB:4.0f} MiB/s", end="; ")
        print(f"CPU us per append: {appending / records * 1e6:.0f}", end=", ")
        print(f"{cpu / records * 1e6:.0f} with flushing and waiting", end="; ")
        print(f"{records / max(flushes, 1):.0f} records a flush", end="; ")
        print(f"longest append {longest * 1e3:.1f} ms, trim {trimming * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
