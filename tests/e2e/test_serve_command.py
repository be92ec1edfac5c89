"""`spanscore serve` as a process: what it prints, the demo, and signals."""

import re
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from scorer.testing import assert_scrape_balance

FREE_PORTS = (
    "receivers.otlp.grpc.endpoint=127.0.0.1:0",
    "receivers.otlp.http.endpoint=127.0.0.1:0",
    "web.endpoint=127.0.0.1:0",
    "scoring.workers=0",
)


@pytest.fixture
def serve(tmp_path):
    """Start `serve` with options; yields a function that returns the process."""
    started = []

    def start(*options):
        own = (*FREE_PORTS, f"state_dir=state-{len(started)}")
        sets = [part for key in own for part in ("--set", key)]
        process = subprocess.Popen(
            [sys.executable, "-m", "scorer", "serve", *sets, *options],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            cwd=tmp_path,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def read_until(process, pattern):
    """Read stderr until a line matches; returns the match."""
    lines = []
    for line in process.stderr:
        lines.append(line)
        found = re.search(pattern, line)
        if found:
            return found
    pytest.fail(f"{pattern} was not printed: {''.join(lines)}")


def test_every_listener_is_printed_and_sigterm_ends_well(serve):
    """One line a listener; SIGTERM drains and exits 0."""
    process = serve()
    read_until(process, r"listening: metrics on http://127\.0\.0\.1:\d+/metrics")
    read_until(process, r"listening: OTLP/gRPC on 127\.0\.0\.1:\d+")
    read_until(process, r"listening: OTLP/HTTP on http://127\.0\.0\.1:\d+")
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


RARE = {
    "audio_transcription_quality",
    "coordination_efficiency",
    "image_caption_accuracy",
    "multimodal_coherence",
}


def test_the_demo_fills_metrics(serve):
    """Within seconds there are scores to look at, also of what few traces can feed."""
    process = serve("--demo", "--set", "assembly.linger=100ms")
    url = read_until(process, r"metrics on (http://\S+)").group(1)
    read_until(process, r"sending sample traces")
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        with urllib.request.urlopen(url) as response:
            text = response.read().decode()
        assert_scrape_balance(text)
        scored = re.findall(r'^spanscore_traces_total\{service="(.+)"\} ', text, re.MULTILINE)
        values = set(re.findall(r'^spanscore_score_count\{.*metric="(\w+)"', text, re.MULTILINE))
        if len(scored) >= 3 and values >= RARE:
            break
        time.sleep(0.2)
    assert len(scored) >= 3
    assert values >= RARE
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0


def test_a_port_in_use_is_one_clear_line(serve):
    """The second service on a port says which key to change, and exits 2."""
    first = serve()
    port = read_until(first, r"metrics on http://127\.0\.0\.1:(\d+)").group(1)
    second = serve("--set", f"web.endpoint=127.0.0.1:{port}")
    assert second.wait(20) == 2
    assert second.stderr.read().startswith("spanscore: error: web.endpoint: cannot listen")


def test_a_second_signal_stops_at_once(serve):
    """While the first signal drains a connection that hangs, a second one ends the process."""
    process = serve("--set", "shutdown_timeout=60s")
    read_until(process, r"OTLP/HTTP on")
    process.send_signal(signal.SIGSTOP)  # both signals are then delivered together
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    assert process.wait(10) == 1
    assert "stopped at once" in process.stderr.read()
