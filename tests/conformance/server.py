"""Spanscore as a process, for a run without an endpoint."""

import contextlib
import json
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

_START_S = 30
_ON_FREE_PORTS = {
    "receivers.otlp.grpc.endpoint": "127.0.0.1:0",
    "receivers.otlp.http.endpoint": "127.0.0.1:0",
    "web.endpoint": "127.0.0.1:0",
    "scoring.workers": "0",
}
_LISTENING = {
    "web": r"listening: metrics on (http://\S+)/metrics",
    "grpc": r"listening: OTLP/gRPC on (\S+)",
    "http": r"listening: OTLP/HTTP on (http://\S+)",
}


class Spanscore:
    """One `spanscore serve` on free ports; `grpc`, `http` and `web` say where it listens."""

    def __init__(self, folder, settings):
        """Start it in `folder` with `settings` (key -> value) and wait until it listens."""
        self.folder = folder
        self._log = folder / "stderr.txt"
        sets = [f"{key}={value}" for key, value in (_ON_FREE_PORTS | settings).items()]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scorer", "serve", *(p for s in sets for p in ("--set", s))],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=folder,
            )
        try:
            self.web, self.grpc, self.http = (self._wait_for(p) for p in _LISTENING.values())
        except BaseException:
            self.close()
            raise

    def terminate(self):
        """Ask it to stop; returns at once."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self, seconds=10):
        """Return its exit code once it has stopped."""
        return self._process.wait(seconds)

    def close(self):
        self._process.kill()
        self._process.wait()

    @contextlib.contextmanager
    def memory_growth(self):
        """Yield a list that holds, afterwards, by how many bytes the peak of memory grew."""
        process = Path(f"/proc/{self._process.pid}")
        if not (process / "clear_refs").exists():
            pytest.skip("the peak of the memory of a process is in /proc of Linux only")
        with contextlib.suppress(OSError):  # else an earlier peak hides a later one
            (process / "clear_refs").write_text("5")
        growth = []
        before = _peak(process)
        yield growth
        growth.append(_peak(process) - before)

    def _wait_for(self, pattern):
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            text = self._log.read_text(encoding="utf-8", errors="replace")
            if found := re.search(pattern, text):
                return found[1]
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"spanscore does not start: {text[-500:]}")


def _peak(process):
    status = (process / "status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024


class Series:
    """The series and the API of a Spanscore, at its web endpoint."""

    def __init__(self, web):
        self._web = web

    def text(self):
        """Return what /metrics answers."""
        with urllib.request.urlopen(f"{self._web}/metrics", timeout=8) as answer:
            return answer.read().decode()

    def value(self, name, **labels):
        """Return a series summed over the labels that are not given."""
        total = 0.0
        for line in re.findall(rf"^{name}(?:{{.*}})? .*", self.text(), re.MULTILINE):
            if all(f'{key}="{value}"' in line for key, value in labels.items()):
                total += float(line.rsplit(" ", 1)[1])
        return total

    def trace(self, trace_id):
        """Return what the API tells of a trace, None when it knows nothing."""
        url = f"{self._web}/api/v1/traces/{trace_id.hex()}"
        try:
            with urllib.request.urlopen(url, timeout=8) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            return None

    def finished(self, trace_id, seconds=6):
        """Return what the API tells of a trace once it is no longer open or pending."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = self.trace(trace_id)
            if found and found["state"] not in ("open", "closed"):
                return found
            time.sleep(0.05)
        raise TimeoutError(f"trace {trace_id.hex()} is not finished after {seconds} s")
