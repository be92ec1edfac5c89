"""Sends three times what a service can score, and prints what the accepted traffic notices of it.

    python tests/bench/overload.py [--seconds 60] [--over 3] [--apart]

First the sustainable load is found: what is scored per second while more than that is offered.
(While senders never pause it is less: refusing them takes the time; so that only says how much
is more.) Then come 0.7 of it (to compare with), the whole of it, and `--over` times it; a request
that is refused is sent again after the time that the answer names, and counts to the load. Beside
each phase the exporter of the OpenTelemetry SDK and rotel (where it is installed) send 100 traces
of 20 spans each. At the end: how long until nothing is refused any more. One worker and the parent
process share the machine with the load: how late that is itself, as it wakes from its pauses, is
in the latency too, and printed; with `--apart` the load has the last core for itself (Linux), the
service the others. This is no test: it asserts nothing.
"""

import argparse
import contextlib
import heapq
import itertools
import logging
import math
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

import grpc
from load import Requests
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
IN_FLIGHT = 32
RETRY_S = 2.0
TRACES, SPANS = 100, 20
SETTINGS = {
    "receivers.otlp.grpc.endpoint": "127.0.0.1:0",
    "receivers.otlp.http.enabled": "false",
    "web.endpoint": "127.0.0.1:0",
    "scoring.workers": "1",
    "assembly.linger": "500ms",
    "sinks.prometheus.max_label_values": "500",
}


class Service:
    """A `spanscore serve` with one worker, in a folder of its own."""

    def __init__(self, folder, settings):
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scorer", "serve", *options],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        ports = {}
        for line in self._process.stderr:
            if found := re.search(r"(metrics on http|OTLP/gRPC on ).*?:(\d+)", line):
                ports[found[1]] = found[2]
            if len(ports) == 2:
                break
        self.web, self.grpc = ports["metrics on http"], f"127.0.0.1:{ports['OTLP/gRPC on ']}"
        threading.Thread(target=self._process.stderr.read, daemon=True).start()
        while not self._is_ready():
            time.sleep(0.05)

    def close(self):
        self._process.terminate()
        self._process.wait()

    def series(self):
        """Return name with labels -> value of all its series."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.web}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return {
            name: float(value)
            for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")
        }

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.web}/readyz") as answer:
                return answer.status == 200
        except OSError:
            return False


class Sender:
    """Keeps up an offered load of requests a second; None = as fast as answers come."""

    def __init__(self, target, requests):
        self._channel = grpc.insecure_channel(target)
        self._export = self._channel.unary_unary(EXPORT)
        self._requests = iter(requests)
        self._window = threading.Semaphore(IN_FLIGHT)
        self._lock = threading.Lock()
        self._again = []  # (due, number, body): what was refused
        self._number = itertools.count()
        self.latencies, self.late, self.refused, self.failed = [], [], 0, 0

    def run(self, seconds, per_second=None):
        """Send for a while; the figures are of this run only."""
        self.latencies, self.late, self.refused, self.failed = [], [], 0, 0
        end = time.monotonic() + seconds
        due = time.monotonic()
        while (now := time.monotonic()) < end:
            self._window.acquire()
            body = self._next(now)
            self._send(body)
            if per_second is not None:
                due = max(due + 1 / per_second, now - 1)
                self._pause(due)
        for _ in range(IN_FLIGHT):
            self._window.acquire()
        self._window.release(IN_FLIGHT)

    def _pause(self, due):
        """Wait until it is time, and note how long after that this goes on."""
        if (pause := due - time.monotonic()) > 0:
            time.sleep(pause)
            self.late.append(time.monotonic() - due)

    def _next(self, now):
        with self._lock:
            if self._again and self._again[0][0] <= now:
                return heapq.heappop(self._again)[2]
        return next(self._requests)

    def _send(self, body):
        began = time.monotonic()

        def done(call):
            code = call.code()
            with self._lock:
                if code is grpc.StatusCode.OK:
                    self.latencies.append(time.monotonic() - began)
                elif code is grpc.StatusCode.UNAVAILABLE:
                    self.refused += 1
                    due = time.monotonic() + RETRY_S
                    heapq.heappush(self._again, (due, next(self._number), body))
                else:
                    self.failed += 1
            self._window.release()

        self._export.future(body, timeout=30).add_done_callback(done)

    def forget(self):
        """Give up what was refused."""
        self._again.clear()


class Peers:
    """The exporter of the SDK and rotel, each with 100 traces, under names of their own."""

    def __init__(self, target, phase):
        self._names = {"sdk": f"sdk-{phase}"}
        self._run = [threading.Thread(target=_send_by_sdk, args=(target, self._names["sdk"]))]
        self._rotel = None
        if binary := _rotel():
            self._names["rotel"] = f"rotel-{phase}"
            self._rotel, port = _start_rotel(binary, target)
            at = f"127.0.0.1:{port}"
            self._run.append(threading.Thread(target=_send_by_sdk, args=(at, self._names["rotel"])))
        for thread in self._run:
            thread.start()

    def report(self, service, patience=40):
        """Wait for them, and say how many of their traces were scored."""
        for thread in self._run:
            thread.join()
        end = time.monotonic() + patience
        told = {}
        while time.monotonic() < end:
            series = service.series()
            told = {
                peer: int(series.get(f'spanscore_traces_total{{service="{name}"}}', 0))
                for peer, name in self._names.items()
            }
            if all(count >= TRACES for count in told.values()):
                break
            time.sleep(0.5)
        if self._rotel is not None:
            self._rotel.terminate()
            self._rotel.wait()
        return "  ".join(f"{peer} {count} of {TRACES} traces" for peer, count in told.items())


def _send_by_sdk(target, service):
    exporter = OTLPSpanExporter(endpoint=f"http://{target}", insecure=True)
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=500))
    tracer = provider.get_tracer("overload")
    for _ in range(TRACES):
        with tracer.start_as_current_span("invoke_agent") as root:
            root.set_attribute("gen_ai.operation.name", "invoke_agent")
            for _ in range(SPANS - 1):
                with tracer.start_as_current_span("chat") as span:
                    span.set_attribute("gen_ai.operation.name", "chat")
        time.sleep(0.05)
    provider.shutdown()


def _rotel():
    path = Path(sysconfig.get_paths()["purelib"], "rotel", "rotel-agent")
    return path if path.exists() else shutil.which("rotel-agent")


def _start_rotel(binary, target):
    with socket.socket() as free, socket.socket() as other:
        free.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, http = free.getsockname()[1], other.getsockname()[1]
    process = subprocess.Popen(
        [
            *(binary, "start", "--otlp-grpc-endpoint", f"127.0.0.1:{port}"),
            *("--otlp-http-endpoint", f"127.0.0.1:{http}", "--exporter", "otlp"),
            *("--otlp-exporter-protocol", "grpc", "--otlp-exporter-endpoint", f"http://{target}"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.05)
    return process, port


def delays(before, after):
    """Return the bound that 99 % of the delays from close to scores lie under, in seconds."""
    prefix = 'spanscore_scoring_delay_seconds_bucket{le="'
    counts = {
        float(name.removeprefix(prefix).split('"')[0]): value - before.get(name, 0)
        for name, value in after.items()
        if name.startswith(prefix)
    }
    total = counts[float("inf")]
    return min(bound for bound, count in counts.items() if count >= 0.99 * total)


def phase(service, sender, name, seconds, per_second):
    """Run one phase and print it."""
    before = service.series()
    peers = Peers(service.grpc, name)
    sender.run(seconds, per_second)
    after = service.series()
    latencies = sorted(sender.latencies)
    taken = len(latencies)
    p50, p99 = statistics.median(latencies), latencies[int(taken * 0.99)]
    late = sorted(sender.late)[int(len(sender.late) * 0.99)] if sender.late else math.inf
    scored = after["spanscore_scored_spans_total"] - before["spanscore_scored_spans_total"]
    print(
        f"{name}: offered {per_second:.0f} requests/s, {taken} taken, {sender.refused} refused, "
        f"{sender.failed} failed; {scored / seconds:.0f} spans/s scored; latency of the taken "
        f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms (the load itself is late by "
        f"{late * 1000:.1f} ms, p99); close to scores p99 at most "
        f"{delays(before, after) * 1000:.0f} ms",
        flush=True,
    )
    return peers


def scored_a_second(service, sender, per_second, seconds=10):
    """Return how many spans are scored a second at an offered load of requests."""
    name = "spanscore_scored_spans_total"
    before = service.series()[name]
    sender.run(seconds, per_second)
    found = (service.series()[name] - before) / seconds
    sender.forget()
    return found


def recovery(sender, per_second):
    """Return the seconds until nothing was refused for a second, at a load that is sustainable."""
    sender.forget()
    began = time.monotonic()
    while True:
        at = time.monotonic()
        sender.run(1, per_second)
        sender.forget()
        if not sender.refused:
            return at - began


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--over", type=float, default=3)
    options.add_argument("--apart", action="store_true")
    chosen = options.parse_args()
    logging.disable()  # what the exporters log of refusals
    print(
        f"{datetime.now(UTC):%Y-%m-%d} {platform.machine()} {os.cpu_count()} cores, "
        f"Python {platform.python_version()}"
    )
    requests = Requests()
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        cores = sorted(os.sched_getaffinity(0)) if chosen.apart else ()
        if chosen.apart:
            os.sched_setaffinity(0, cores[:-1])
        service = Service(folder, SETTINGS)
        if chosen.apart:
            os.sched_setaffinity(0, cores[-1:])
        sender = Sender(service.grpc, requests)
        sender.run(5)
        most = 0.0
        for factor in (None, 2):
            most = scored_a_second(service, sender, factor and factor * most / requests.spans)
        sustainable = most / requests.spans
        print(f"sustainable: {sustainable * requests.spans:.0f} spans/s scored", flush=True)
        time.sleep(3)
        for load, seconds in ((0.7, 20), (1, 20), (chosen.over, chosen.seconds)):
            label = f"{load:g}x"
            peers = phase(service, sender, label, seconds, load * sustainable)
            if load > 1:
                print(f"  recovery: {recovery(sender, 0.7 * sustainable):.0f} s")
            sender.forget()
            print(f"  beside it: {peers.report(service)}", flush=True)
            time.sleep(3)
        refused = {k: v for k, v in service.series().items() if "refused" in k and v}
        print(f"refused spans: {refused}")
        service.close()


if __name__ == "__main__":
    main()
