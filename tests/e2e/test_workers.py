"""Scoring processes that are killed, and a service that is: nothing is left behind or lost."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

import grpc
import psutil
import pytest

from scorer.testing import TraceBuilder, assert_scrape_balance

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
SETTINGS = (
    "receivers.otlp.grpc.endpoint=127.0.0.1:0",
    "receivers.otlp.http.enabled=false",
    "web.endpoint=127.0.0.1:0",
    "scoring.workers=2",
    "assembly.linger=100ms",
    "sinks.jsonl.path=scores.jsonl",
)


class Serving:
    """A `spanscore serve` with two workers."""

    def __init__(self, folder, **options):
        sets = [part for key in SETTINGS for part in ("--set", key)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scorer", "serve", *sets],
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            **options,
        )
        self.web = self.read(r"metrics on (http://\S+)/metrics")
        self.grpc = self.read(r"OTLP/gRPC on (\S+)")
        self.main = psutil.Process(self.process.pid)

    def read(self, pattern):
        for line in self.process.stderr:
            found = re.search(pattern, line)
            if found:
                return found.group(1)
        pytest.fail(f"{pattern} was not printed")

    def workers(self):
        """Return the scoring processes."""
        return [child for child in self.main.children() if _is_worker(child)]

    def send(self, number):
        builder = TraceBuilder(number)
        builder.span("chat", **{"gen_ai.operation.name": "chat"})
        with grpc.insecure_channel(self.grpc) as channel:
            channel.unary_unary(EXPORT)(builder.request())

    def series(self, name):
        """Return a series summed over its labels; the balance holds at every look."""
        with urllib.request.urlopen(f"{self.web}/metrics") as answer:
            text = answer.read().decode()
        assert_scrape_balance(text)
        return sum(float(v) for v in re.findall(rf"^{name}(?:{{.*}})? (\S+)", text, re.MULTILINE))

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


@pytest.fixture
def serving(tmp_path):
    service = Serving(tmp_path)
    wait_for(lambda: len(service.workers()) == 2)
    yield service
    service.close()


def wait_for(condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def test_no_worker_outlives_a_service_that_is_killed(serving):
    """The end of its pipe tells a worker that the service is gone."""
    workers = serving.workers()
    serving.process.kill()
    serving.process.wait()
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []


def test_scoring_gives_way_to_receiving(serving):
    """Where all cores are busy, whoever sends is answered first."""
    own = serving.main.nice()
    wait_for(lambda: all(worker.nice() > own for worker in serving.workers()))


def test_traffic_goes_on_while_workers_are_killed(serving):
    """Busy or idle: each is replaced alone, and every trace is scored."""
    for number in range(1, 21):
        serving.send(number)
        if number % 5 == 0:
            for worker in serving.workers()[:1]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    worker.kill()
            time.sleep(0.2)
    wait_for(lambda: serving.series("spanscore_closed_spans_total") == 20)
    assert serving.series("spanscore_scored_spans_total") == 20
    wait_for(lambda: len(serving.workers()) <= 2)


def test_a_signal_to_the_whole_process_group_loses_nothing(tmp_path):
    """As `timeout` and systemd do: the workers stay to score what is open."""
    service = Serving(tmp_path, start_new_session=True)
    wait_for(lambda: len(service.workers()) == 2)
    scores = tmp_path / "scores.jsonl"
    for number in range(1, 31):
        service.send(number)
    os.killpg(service.process.pid, signal.SIGTERM)
    assert service.process.wait(20) == 0
    service.close()
    subjects = {json.loads(line)["subject"] for line in scores.read_text().splitlines()}
    assert len(subjects) == 30


def test_two_signals_leave_no_process(serving):
    """Whether the first has drained already (0) or the second stops at once (1)."""
    workers = serving.workers()
    serving.process.send_signal(signal.SIGTERM)
    with contextlib.suppress(ProcessLookupError):
        os.kill(serving.process.pid, signal.SIGTERM)
    assert serving.process.wait(10) in {0, 1}
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []


def _is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # killed a moment ago
        return False
