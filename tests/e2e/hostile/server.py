"""A `serve` process under attack: its ports, its memory, and what it says of itself."""

import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

from .wire import MIB

BUDGET = 64 * MIB
BOUND = BUDGET + 150 * MIB
"""What the main process may take at most; bytes."""
REQUEST = BUDGET // 16 - 16 * 1024
"""The largest request that is taken, nearly; bytes."""

_SETTINGS = (
    "receivers.otlp.grpc.endpoint=127.0.0.1:0",
    "receivers.otlp.http.endpoint=127.0.0.1:0",
    "web.endpoint=127.0.0.1:0",
    "scoring.workers=1",
    "assembly.linger=200ms",
    f"assembly.memory={BUDGET // MIB}MiB",
)
_LISTENERS = {
    "web": r"metrics on http://127\.0\.0\.1:(\d+)/",
    "grpc": r"OTLP/gRPC on 127\.0\.0\.1:(\d+)",
    "http": r"OTLP/HTTP on http://127\.0\.0\.1:(\d+)",
}


class Server:
    """One `spanscore serve` on free ports, with one worker and `BUDGET`."""

    def __init__(self, folder, *settings):
        command = [sys.executable, "-m", "scorer", "serve", "--log-level", "warning"]
        command += [part for key in (*_SETTINGS, *settings) for part in ("--set", key)]
        self._log = Path(folder, "serve.log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder
            )
        try:
            self.ports = {name: self._port(pattern) for name, pattern in _LISTENERS.items()}
            self._wait(lambda: self.get("/readyz"))
        except BaseException:
            self.stop()
            raise

    def stop(self):
        """Kill the process and its workers."""
        workers = psutil.Process(self._process.pid).children() if self.is_alive else []
        for process in (self._process, *workers):
            process.kill()
        self._process.wait()

    @property
    def is_alive(self):
        return self._process.poll() is None

    @property
    def log(self):
        return self._log.read_text(errors="replace")

    @property
    def peak(self):
        """The most memory that it took since `forget_peak`, as the kernel noted it; bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def forget_peak(self):
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")

    def get(self, path):
        """Return what the web endpoint answers; None when it does not say 200."""
        url = f"http://127.0.0.1:{self.ports['web']}{path}"
        try:
            with urllib.request.urlopen(url, timeout=20) as response:
                return response.read().decode()
        except urllib.error.HTTPError as error:
            error.close()
            return None

    def value(self, name, **labels):
        """Return the sum of the samples of a series with these labels."""
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        lines = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", self.get("/metrics"), re.MULTILINE)
        return sum(float(value) for have, value in lines if all(w in have for w in wanted))

    def settle(self):
        """Wait until nothing is open."""
        self._wait(lambda: not self.value("spanscore_open_traces"))

    def _port(self, pattern):
        return int(self._wait(lambda: re.search(pattern, self.log))[1])

    def _wait(self, condition):
        deadline = time.monotonic() + 30
        while self.is_alive and time.monotonic() < deadline:
            result = condition()
            if result:
                return result
            time.sleep(0.05)
        raise AssertionError(f"gone, or not so within 30 s: {self.log}")
