"""How long /metrics takes while spans arrive, with few and with many series.

    python tests/bench/run.py scrape

The load is 70 % of what one core does, and one scrape follows the other after a pause; both
formats in turns. `spanscore` runs in one process (`scoring.workers: 0`), the worst case: who
renders a scrape and who scores share one interpreter.
"""

import contextlib
import statistics
import threading
import time
import urllib.request
from itertools import count, cycle

import grpc

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_FORMATS = ("text/plain", "application/openmetrics-text")
_PAUSE_S = 0.2
_SERVICES = (14, 140)
_SCRAPES = 40


def named(requests, services):
    """Return the requests, each from the next of some services; names of the same length."""
    for number, body in zip(count(), requests, strict=False):
        yield body.replace(b"bench", f"b{number % services:04d}".encode())


def report(running, requests, sustainable):
    """Print the times of scrapes of a running service; `sustainable` is in requests a second."""
    for services in _SERVICES:
        bodies = named(requests, services)
        with grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
            export = channel.unary_unary(EXPORT)
            pause = 1 / (0.7 * sustainable)
            for _, body in zip(range(services), bodies, strict=False):
                with contextlib.suppress(grpc.RpcError):
                    export(body)
                time.sleep(pause)
            time.sleep(1)
            stop = threading.Event()
            sender = threading.Thread(target=_send, args=(export, bodies, pause, stop))
            sender.start()
            try:
                taken, size = _scrape(running.web)
            finally:
                stop.set()
                sender.join()
        print(
            f"/metrics during ingest, {size} series: median {statistics.median(taken):.0f} ms, "
            f"longest of {len(taken)} {max(taken):.0f} ms"
        )
    print("  target: under 200 ms with 2,000 series")


def _send(export, bodies, pause, stop):
    due = time.monotonic()
    while not stop.is_set():
        # Scoring may fall behind on a machine that others use too; then the load is less.
        with contextlib.suppress(grpc.RpcError):
            export(next(bodies))
        due += pause
        time.sleep(max(0.0, due - time.monotonic()))


def _scrape(port):
    """Return the milliseconds of each scrape, and the number of series."""
    taken, size = [], 0
    for accept, _ in zip(cycle(_FORMATS), range(_SCRAPES), strict=False):
        time.sleep(_PAUSE_S)
        url = f"http://127.0.0.1:{port}/metrics"
        request = urllib.request.Request(url, headers={"Accept": accept})
        begun = time.monotonic()
        with urllib.request.urlopen(request) as answer:
            body = answer.read()
        taken.append((time.monotonic() - begun) * 1000)
        size = sum(1 for line in body.splitlines() if not line.startswith(b"#"))
    return taken, size
