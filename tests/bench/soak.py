"""Sends many traces through a service with a journal, and prints what it holds over time.

    python tests/bench/soak.py [--traces 1000000] [--seconds 240] [--old] [--metrics latency]

Memory, journal and ledger must stay flat however many traces there were. `--old` keeps one trace
open for all that time, so that the journal can only be trimmed where that one is spilled. At the
end the service is killed and started again, to see how long that takes. This is no test: it
asserts nothing but that all was scored, once.
"""

import argparse
import contextlib
import datetime as dt
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from itertools import count
from pathlib import Path
from typing import NamedTuple

import grpc
import psutil
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.testing import TraceBuilder, assert_scrape_balance

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
IN_FLIGHT = 16
TRACES_A_REQUEST = 50
EVERY_S = 10
MIB = 2**20
SETTINGS = {
    "receivers.otlp.grpc.endpoint": "127.0.0.1:0",
    "receivers.otlp.http.enabled": "false",
    "web.endpoint": "127.0.0.1:0",
    "assembly.linger": "500ms",
    "assembly.idle_timeout": "1h",
    # Small bounds, so that they are reached soon.
    "assembly.memory": "32MiB",
    "assembly.kept": "8MiB",
    "assembly.max_tombstones": "20000",
    "journal.max_size": "128MiB",
    "state_dir": "state",
}
OLD = TraceBuilder(1)
_ROOT = OLD.span("agent", **{"gen_ai.operation.name": "invoke_agent"})
_CHILD = OLD.span("chat", parent=_ROOT, **{"gen_ai.operation.name": "chat"})


class Held(NamedTuple):
    """What a service holds; bytes."""

    memory: int
    journal: int
    ledger: int

    def __str__(self):
        memory, journal, ledger = (size / MIB for size in self)
        return f"memory {memory:7.1f} MiB   journal {journal:6.1f} MiB   ledger {ledger:6.2f} MiB"


class Soaked:
    """A `spanscore serve` in a folder."""

    def __init__(self, folder, metrics):
        self._folder = folder
        sets = [f"{key}={value}" for key, value in SETTINGS.items()]
        sets += [f"scoring.metrics=[{metrics}]"]
        options = [part for one in sets for part in ("--set", one)]
        begun = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "scorer", "serve", *options],
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.recovered = self._read(r"(recovered from .*)")
        self._web = self._read(r"metrics on (http://\S+)")
        self.grpc = self._read(r"OTLP/gRPC on (\S+)")
        self.start_s = time.monotonic() - begun
        threading.Thread(target=self._print, daemon=True).start()

    def _read(self, pattern):
        for line in self.process.stderr:
            if found := re.search(pattern, line):
                return found[1]
            print(line, end="")
        raise SystemExit("the service ended")

    def _print(self):
        for line in self.process.stderr:
            print(line, end="", flush=True)

    def held(self):
        state = self._folder / "state"
        journal = sum(file.stat().st_blocks * 512 for file in _files(state / "journal"))
        ledger = sum(file.stat().st_size for file in _files(state) if "ledger" in file.name)
        return Held(psutil.Process(self.process.pid).memory_info().rss, journal, ledger)

    def series(self, *names):
        with urllib.request.urlopen(self._web) as answer:
            text = answer.read().decode()
        assert_scrape_balance(text)
        return [
            sum(float(v) for v in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))
            for name in names
        ]

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(60)


def _files(folder):
    found = []
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                path.stat()
                found.append(path)
    return found


def requests():
    """Yield requests of small traces with fresh ids, without end."""
    ids = [number.to_bytes(16, "big") for number in range(1, TRACES_A_REQUEST + 1)]
    data = trace_pb2.TracesData()
    for number in range(1, TRACES_A_REQUEST + 1):
        trace = TraceBuilder(number, service="soak")
        root = trace.span("agent", **{"gen_ai.operation.name": "invoke_agent"})
        trace.span("chat", parent=root, **{"gen_ai.operation.name": "chat", "padding": "x" * 200})
        data.MergeFromString(trace.request())
    template, run, fresh = data.SerializeToString(), os.urandom(8), count(1)
    while True:
        body = template
        for old in ids:
            body = body.replace(old, run + next(fresh).to_bytes(8, "big"))
        yield body


class Sender(threading.Thread):
    """Sends until enough traces were taken, or the time is over; what is refused comes again."""

    def __init__(self, address, traces, seconds):
        super().__init__(daemon=True)
        self._address = address
        self._requests = -(-traces // TRACES_A_REQUEST)
        self._until = time.monotonic() + seconds
        self.taken = self.refused = 0

    def run(self):
        window = threading.Semaphore(IN_FLIGHT)
        again = []
        with grpc.insecure_channel(self._address) as channel:
            export = channel.unary_unary(EXPORT)

            def done(call, body):
                if call.exception() is None:
                    self.taken += 1
                else:
                    self.refused += 1
                    again.append(body)
                window.release()

            supply = requests()
            while time.monotonic() < self._until and self.taken < self._requests:
                window.acquire()
                if again:
                    time.sleep(0.05)
                    body = again.pop()
                else:
                    body = next(supply)
                export.future(body).add_done_callback(lambda call, body=body: done(call, body))
            for _ in range(IN_FLIGHT):
                window.acquire()


def soak(service, arguments):
    """Send, and print what is held meanwhile; returns it."""
    with grpc.insecure_channel(service.grpc) as channel:
        if arguments.old:
            channel.unary_unary(EXPORT)(OLD.request(_CHILD))
    sender = Sender(service.grpc, arguments.traces, arguments.seconds)
    begun = time.monotonic()
    sender.start()
    rows = []
    while sender.is_alive():
        sender.join(EVERY_S)
        spans, refused = service.series(
            "spanscore_scored_spans_total", "spanscore_refused_spans_total"
        )
        rows.append(service.held())
        took = time.monotonic() - begun
        print(f"{took:5.0f} s {spans / 2:9.0f} traces   {rows[-1]}   {refused:.0f} spans refused")
    while service.series("spanscore_open_traces")[0] > arguments.old:
        time.sleep(0.2)
    took = time.monotonic() - begun
    (spans,) = service.series("spanscore_scored_spans_total")
    print(f"{spans / 2:.0f} traces in {took:.0f} s: {spans / 2 / took:.0f} a second")
    return rows


def compare(rows):
    """Print the most that was held in the second and in the last quarter."""
    quarter = max(len(rows) // 4, 1)
    for when, part in (("second", rows[quarter : 2 * quarter]), ("last", rows[-quarter:])):
        if part:
            print(f"most in the {when:6} quarter: {Held(*map(max, zip(*part, strict=True)))}")


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--old", action="store_true")
    parser.add_argument("--metrics", default="latency")
    arguments = parser.parse_args(argv)
    print(
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d} {platform.machine()} "
        f"{os.cpu_count()} cores, Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as name:
        service = Soaked(Path(name), arguments.metrics)
        try:
            compare(soak(service, arguments))
            service.end(signal.SIGKILL)
            service = Soaked(Path(name), arguments.metrics)
            print(f"killed and started again in {service.start_s:.1f} s: {service.recovered}")
            open_traces, again = service.series(
                "spanscore_open_traces", "spanscore_closed_traces_total"
            )
            assert (open_traces, again) == (arguments.old, 0), (open_traces, again)
            service.end(signal.SIGTERM)
        finally:
            service.process.kill()
            service.process.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
