"""Prints what normalising costs a span, over plain decoding, on the load of the benchmarks.

    python tests/bench/normalise.py

CPU microseconds of this process, the median of several rounds taken in turns; no test.
"""

import datetime as dt
import platform
import statistics
import tempfile
import time
from pathlib import Path

from load import Requests

from scorer import registry
from scorer.dialects.normalise import normalise
from scorer.otlp.decode import decode_trace
from scorer.receivers.files import StoredFiles, collect

ROUNDS = 15
REQUESTS = 20


def closed_traces(requests):
    """Return the traces of the next requests, as a worker gets them."""
    with tempfile.TemporaryDirectory() as folder:
        for number, body in zip(range(REQUESTS), requests, strict=False):
            Path(folder, f"{number}.pb").write_bytes(body)
        return list(collect(StoredFiles([folder])))


def cpu_us(work, traces, spans):
    """Return CPU microseconds a span of one pass."""
    started = time.process_time()
    for trace in traces:
        work(trace)
    return (time.process_time() - started) / spans * 1e6


def main():
    dialects = registry.load_dialects()
    traces = closed_traces(Requests())
    spans = sum(len(trace.spans) for trace in traces)
    decoding, both = [], []
    for _ in range(ROUNDS):
        decoding.append(cpu_us(decode_trace, traces, spans))
        both.append(cpu_us(lambda t: normalise(decode_trace(t), dialects), traces, spans))
    over = statistics.median(both) - statistics.median(decoding)
    print(
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d} {platform.machine()}, Python "
        f"{platform.python_version()}, {len(dialects)} dialects, {spans} spans"
    )
    print(
        f"decoding {statistics.median(decoding):.2f} us CPU a span, with normalising "
        f"{statistics.median(both):.2f}: {over:.2f} us over it ({min(both) - min(decoding):.2f} "
        "by the fastest rounds)"
    )
    print("  target: at most 12 us over decoding")


if __name__ == "__main__":
    main()
