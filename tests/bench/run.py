"""Prints the ratios of the speed targets, measured in one run on one machine.

    python tests/bench/run.py [ingest] [journal] [service] [delay] [scrape] [memory] [open-traces]

All figures are CPU seconds of the server process and its children (wall times drift on
shared machines), as a ratio to a gRPC handler that only counts bytes. Each is the median of
several runs, taken in turns. This is no test: it asserts nothing.
"""

import contextlib
import datetime as dt
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import grpc
import memory
import psutil
import scrape as scrapes
from load import Requests

HERE = Path(__file__).parent
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
IN_FLIGHT = 16
ROUNDS = 5


class Server:
    """One server of `serve.py`, and its CPU seconds."""

    def __init__(self, kind):
        command = [sys.executable, str(HERE / "serve.py"), kind]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port, *web = self.process.stdout.readline().split()
        self.web = web[0] if web else None

    def cpu(self):
        """Return the CPU seconds so far, children included."""
        main = psutil.Process(self.process.pid)
        times = [main.cpu_times(), *(child.cpu_times() for child in main.children(recursive=True))]
        return sum(t.user + t.system for t in times)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@contextlib.contextmanager
def server(kind):
    running = Server(kind)
    try:
        yield running
    finally:
        running.close()


def send(port, requests, count):
    """Send `count` requests with a window of open calls; return how many were refused."""
    window = threading.Semaphore(IN_FLIGHT)
    refused = 0
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        export = channel.unary_unary(EXPORT)

        def done(call):
            nonlocal refused
            refused += call.exception() is not None
            window.release()

        for _, body in zip(range(count), requests, strict=False):
            window.acquire()
            export.future(body).add_done_callback(done)
        for _ in range(IN_FLIGHT):
            window.acquire()
    return refused


def cpu_per_span(kind, requests, count, *, settle=0.0):
    """Return CPU microseconds a span of one server under load, after a warm-up."""
    with server(kind) as running:
        send(running.port, requests, max(count // 5, 20))
        time.sleep(settle)
        before = running.cpu()
        refused = send(running.port, requests, count)
        time.sleep(settle)
        used = running.cpu() - before
    if refused:
        print(f"  ({kind}: {refused} of {count} requests refused)")
    return used / ((count - refused) * requests.spans) * 1e6


def compare(kind, count, base_count=600, settle=0.0):
    """Print what a server costs a span, against the counting handler, in turns."""
    requests = Requests()
    base, own = [], []
    for _ in range(ROUNDS):
        base.append(cpu_per_span("count", requests, base_count))
        own.append(cpu_per_span(kind, requests, count, settle=settle))
    ratio = statistics.median(base) / statistics.median(own)
    print(
        f"{kind}: {statistics.median(own):.2f} us CPU a span ({min(own):.2f} to {max(own):.2f}); "
        f"counting handler {statistics.median(base):.2f} ({min(base):.2f} to {max(base):.2f}); "
        f"ratio {ratio:.3f}; {requests.bytes_per_span:.0f} bytes a span"
    )
    return ratio


def sustainable_rate(running, requests):
    """Return how many requests a second one core can take and score."""
    send(running.port, requests, 20)
    before = running.cpu()
    send(running.port, requests, 60)
    time.sleep(1)
    return 60 / (running.cpu() - before)


def report_scrapes():
    """Print how long a scrape takes, at 70 % of what one core can do."""
    requests = Requests()
    with server("service") as running:
        scrapes.report(running, requests, sustainable_rate(running, requests))


def report_delay():
    """Print how long scores take from the close of a trace, at 70 % of what one worker can do."""
    requests = Requests()
    with server("service") as running:
        sustainable = sustainable_rate(running, requests)
        before = scrape(running.web)
        pause = 1 / (0.7 * sustainable)
        with grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
            export = channel.unary_unary(EXPORT)
            due = time.monotonic()
            for _, body in zip(range(int(8 / pause)), requests, strict=False):
                export(body)
                due += pause
                time.sleep(max(0.0, due - time.monotonic()))
        time.sleep(1)
        after = scrape(running.web)
    counts = {bound: after[bound] - before.get(bound, 0) for bound in after}
    total = counts[float("inf")]
    p99 = min(bound for bound, count in counts.items() if count >= 0.99 * total)
    print(
        f"delay from close to scores: p99 at most {p99 * 1000:.0f} ms over {total:.0f} traces, at "
        f"{0.7 * sustainable * requests.spans:.0f} spans/s (0.7 of what one core does)"
    )
    print("  target: p99 under 100 ms")


def scrape(port):
    """Return the cumulative counts of the delay histogram, by upper bound."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    prefix = 'spanscore_scoring_delay_seconds_bucket{le="'
    rows = [line.removeprefix(prefix).split('"} ') for line in lines if line.startswith(prefix)]
    return {float(bound): float(count) for bound, count in rows}


def main(names):
    chosen = names or ["ingest", "journal", "service", "delay", "scrape", "memory", "open-traces"]
    print(
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d} {platform.machine()} "
        f"{os.cpu_count()} cores, Python {platform.python_version()}"
    )
    if "ingest" in chosen:
        compare("ingest", 600)
        print("  target: ratio at least 0.5")
    if "journal" in chosen:
        compare("journal", 600)
        print("  target: ratio at least 0.3 (fsync: batch)")
    if "service" in chosen:
        compare("service", 60, settle=1.5)
        print("  target: ratio at least 0.05, goal 0.10")
    if "delay" in chosen:
        report_delay()
    if "scrape" in chosen:
        report_scrapes()
    if "memory" in chosen:
        memory.report_memory()
    if "open-traces" in chosen:
        memory.report_open_traces()


if __name__ == "__main__":
    main(sys.argv[1:])
