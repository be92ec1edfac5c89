"""A `spanscore serve` that may be killed and started again on the same state."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import grpc
import pytest

from scorer.telemetry.failpoints import VARIABLE
from scorer.testing import assert_scrape_balance

EXPORT = "/opentelemetry.proto.collector.{0}.v1.{1}Service/Export"
TRACES = EXPORT.format("trace", "Trace")
LOGS = EXPORT.format("logs", "Logs")

# Root spans come last in these tests, so a trace that is sent in parts does not close early.
DEFAULTS = {
    "receivers.otlp.grpc.endpoint": "127.0.0.1:0",
    "receivers.otlp.http.enabled": "false",
    "web.endpoint": "127.0.0.1:0",
    "scoring.workers": "1",
    "scoring.metrics": "[latency]",
    "assembly.linger": "200ms",
    "assembly.idle_timeout": "20s",
    "state_dir": "state",
    "sinks.jsonl.path": "scores.jsonl",
}
# Segments of 512 KiB.
SMALL = {"assembly.memory": "1MiB", "journal.max_size": "2MiB"}
_GRPC = r"OTLP/gRPC on (\S+)"
_START_S = 30
_STOP_S = 30


class Serving:
    """One life of the service in a folder; `failpoint` is `name:count`."""

    def __init__(self, folder, settings=None, *, failpoint=None):
        sets = [
            part
            for key, value in (DEFAULTS | (settings or {})).items()
            for part in ("--set", f"{key}={value}")
        ]
        environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "scorer", "serve", *sets],
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment | ({VARIABLE: failpoint} if failpoint else {}),
        )
        self.lines = []
        self.channel = None  # to its gRPC endpoint, as soon as it listens
        self._printed = threading.Condition()
        # Read to the end, or a service that says much would wait for us.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self._printed:
                self.lines.append(line.rstrip())
                if self.channel is None and (found := re.search(_GRPC, line)):
                    self.channel = grpc.insecure_channel(found[1])
                self._printed.notify_all()
        with self._printed:
            self.lines.append(None)
            self._printed.notify_all()

    @property
    def log(self):
        """What it has printed so far."""
        return [line for line in self.lines if line is not None]

    def said(self, pattern):
        """Return the first match of a pattern in what it prints, waiting for it."""
        deadline = time.monotonic() + _START_S
        seen = 0
        with self._printed:
            while True:
                for line in self.lines[seen:]:
                    if line is None:
                        raise EndedError("\n".join(self.log))
                    if found := re.search(pattern, line):
                        return found
                seen = len(self.lines)
                if not self._printed.wait(deadline - time.monotonic()):
                    pytest.fail(f"{pattern} was not printed:\n" + "\n".join(self.log))

    def wait_until_listening(self):
        self.said(_GRPC)

    @property
    def web(self):
        return self.said(r"metrics on (http://\S+)/metrics")[1]

    def send(self, body, *, method=TRACES, timeout=10):
        """Send one request; raises grpc.RpcError."""
        self.wait_until_listening()
        self.channel.unary_unary(method)(body, timeout=timeout)

    def scrape(self):
        """Return what /metrics answers; the balance holds at every look."""
        with urllib.request.urlopen(f"{self.web}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        assert_scrape_balance(text)
        return text

    def series(self, name, labels=""):
        """Return a series, summed over its labels; `labels` is what must stand among them."""
        return total(self.scrape(), name, labels)

    def wait_until_scored(self, seconds=30):
        """Wait until no span is open."""
        wait_for(lambda: self.series("spanscore_open_traces") == 0, seconds)

    def kill(self):
        """Kill -9, as a power switch that leaves the disk alone."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.ended()

    def stop(self):
        """SIGTERM; it ends well."""
        self.process.send_signal(signal.SIGTERM)
        assert self.ended() == 0, "\n".join(self.log)

    def ended(self, seconds=_STOP_S):
        """Wait for the end and return the exit status."""
        status = self.process.wait(seconds)
        self._reader.join(seconds)
        if self.channel is not None:
            self.channel.close()
        self.process.stderr.close()
        return status


@contextlib.contextmanager
def lives(folder):
    """Give a function that starts one life after the other in a folder; none is left behind."""
    started = []

    def start(settings=None, **options):
        started.append(Serving(folder, settings, **options))
        return started[-1]

    try:
        yield start
    finally:
        for life in started:
            life.kill()


class EndedError(Exception):
    """The service ended while something was waited for."""


def total(text, name, labels=""):
    rows = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.MULTILINE)
    return sum(float(value) for given, value in rows if labels in given)


def wait_for(condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def unreachable(error):
    """Whether an error says that the service is not there, or cannot take it now."""
    if isinstance(error, grpc.RpcError):
        return error.code() in {
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.CANCELLED,
            grpc.StatusCode.DEADLINE_EXCEEDED,
        }
    # ValueError: the channel was closed by whoever saw the service end.
    return isinstance(error, (EndedError, OSError, ValueError))
