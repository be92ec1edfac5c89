"""Real OTLP metrics of an agent's process beside its spans, to the scores of a real service."""

import subprocess
import sys
from pathlib import Path

import pytest
from metric_requests import metric, request

from scorer.testing import TraceBuilder

from .crash.scores import Scores
from .crash.service import EXPORT, wait_for
from .crash.traces import AgentTrace

METRICS = EXPORT.format("metrics", "Metrics")
SUSTAINABILITY = {"scoring.metrics": "[sustainability]"}
AGENT = Path(__file__).with_name("metered_agent.py")


@pytest.fixture
def scores(start, tmp_path):
    """Return a function that runs an agent, and returns its scores by metric and output."""

    def run(*wanted, **settings):
        service = start(SUSTAINABILITY | settings)
        service.wait_until_listening()
        endpoint = service.said(r"OTLP/gRPC on (\S+)")[1]
        subprocess.run([sys.executable, AGENT, endpoint, *wanted], check=True, timeout=30)
        wait_for(lambda: service.series("spanscore_traces_total") == 1)
        service.stop()
        return {(row["metric"], row["output"]): row for row in Scores(tmp_path).rows}

    return run


def test_a_process_that_exports_its_energy_and_use_is_scored(scores):
    """1.2 s of a busy processor at 20 W, and 1 W all the time; each score names its source."""
    found = scores("energy", "use")
    kwh = found["energy_consumption", "energy_kwh"]["value"]
    assert 0.2 * 1.2 / 3.6e6 < kwh < 30 * 21 / 3.6e6
    energy = found["energy_consumption", "value"]
    assert energy["value"] == 1.0
    assert energy["detail"]["source"] == "otlp_metrics: hw.energy"
    assert energy["detail"]["measured_share"] + energy["detail"]["held_share"] > 0.9
    assert energy["explanation"].startswith("energy by OTLP metric hw.energy: measured for ")
    carbon = found["carbon_emissions", "carbon_kg"]["value"]
    assert carbon == pytest.approx(0.475 * kwh)
    use = found["resource_utilization", "value"]
    assert use["status"] == "scored"
    assert use["detail"]["cpu"]["source"] == "otlp_metrics: process.cpu.utilization"
    assert 1 < use["detail"]["cpu"]["used_percent"] < 400
    assert 0.01 < use["detail"]["memory"]["used_gb"] < 2
    assert found["resource_utilization", "gpu"]["status"] == "missing"


def test_without_metrics_nothing_is_known(scores):
    """Not a perfect score, and not a zero."""
    found = scores()
    assert {name: (row["status"], row["reason"]) for (name, _), row in found.items()} == {
        "energy_consumption": ("not_applicable", "no_energy"),
        "carbon_emissions": ("not_applicable", "no_energy"),
        "resource_utilization": ("not_applicable", "no_resources"),
    }


def test_a_trace_scored_again_after_a_kill_has_the_same_readings(start, tmp_path):
    """Though by then the log holds more of the time of the trace: no score has two values.

    A target that is never there keeps the trace from being done, so that it is scored again.
    """
    settings = SUSTAINABILITY | {"sinks.otlp": "[{endpoint: 127.0.0.1:1, mode: forward}]"}
    service = start(settings)
    _report(service, -5, -1)
    service.send(AgentTrace(1).both)
    wait_for(lambda: service.series("spanscore_traces_total") == 1)
    _report(service, 0.5, 1)
    service.kill()
    before = Scores(tmp_path)
    service = start(settings)
    service.wait_until_listening()
    wait_for(lambda: Scores(tmp_path).repeated == len(before.rows))
    service.send(AgentTrace(2).both)
    wait_for(lambda: service.series("spanscore_traces_total") == 2)
    service.kill()
    scores = Scores(tmp_path)
    scores.assert_one_value_each()
    energy = {row["trace_id"]: row for row in scores.rows if row["output"] == "energy_kwh"}
    assert energy[AgentTrace(1).id]["value"] == pytest.approx(100 / 3.6e6)
    assert energy[AgentTrace(2).id]["value"] == pytest.approx(5000 / 3.6e6)


def _report(service, *seconds):
    name = {"service.name": TraceBuilder().service}
    points = [(at, 100.0 if at < 0 else 5000.0) for at in seconds]
    service.send(request(metric("hw.power", points, unit="W"), resource=name), method=METRICS)
