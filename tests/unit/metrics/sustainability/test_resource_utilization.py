import math

import pytest

from metrics.sustainability.resource_utilization import ResourceUtilization
from scorer.api import AgentTrace, Coverage, Resources, Unscored


def score(mode="beyond", options=None, **resources):
    view = AgentTrace(trace_id="t", resources=Resources(**resources))
    return ResourceUtilization(mode=mode, **(options or {})).score(view)


def test_only_what_was_measured_counts():
    """CPU 80 / 80 scores 1, memory 1 GB / 4 GB = 0.25, over 0.5 = 0.5; the mean is 0.75."""
    result = score(cpu_percent=80.0, memory_mb=1024.0, sources={"cpu_percent": "span_attribute"})
    assert result.values == {"value": 0.75, "cpu": 1.0, "memory": 0.5}
    assert result.detail == {
        "cpu": {"used_percent": 80.0, "target_percent": 80.0, "source": "span_attribute"},
        "memory": {"used_gb": 1.0, "target_gb": 4.0, "source": "reported"},
    }


@pytest.mark.parametrize(
    ("used", "value"),
    [(0, 0), (25, 0.5), (50, 1), (100, 1), (120, 1), (121, 0.99), (220, 0), (500, 0)],
)
def test_the_score_of_a_resource_has_no_steps(used, value):
    """With a target of 100: full from 50 to 120, falling evenly on both sides."""
    result = score(options={"target_cpu_percent": 100}, cpu_percent=float(used))
    assert result.values["value"] == pytest.approx(value)


def test_a_target_of_zero_leaves_a_resource_out():
    """That is how a host without a GPU is configured."""
    result = score(options={"target_gpu_percent": 0}, cpu_percent=80.0, gpu_percent=0.0)
    assert result.values == {"value": 1.0, "cpu": 1.0}
    assert score(options={"target_gpu_percent": 0}, gpu_percent=5.0) == Unscored("no_resources")


@pytest.mark.parametrize(
    ("resources", "reason"),
    [
        ({}, "no_resources"),
        ({"cpu_percent": -5.0}, "implausible_resources"),
        ({"cpu_percent": 80.0, "memory_mb": math.nan}, "implausible_resources"),
        ({"gpu_percent": 1e9}, "implausible_resources"),
    ],
)
def test_what_is_missing_or_impossible_is_no_score(resources, reason):
    """The original says 0."""
    assert score(**resources) == Unscored(reason)
    assert score("documented").values == {"value": 0.0}


@pytest.mark.parametrize("target", [-1, math.inf, "80"])
def test_a_wrong_target_is_refused(target):
    """It names the option."""
    with pytest.raises(ValueError, match="target_cpu_percent"):
        ResourceUtilization(target_cpu_percent=target)


def test_the_documented_mode_takes_any_target_as_the_original_does():
    """50 / -1 is below half: 0; 1 of memory and GPU without any use: targets of 0."""
    options = {"target_cpu_percent": -1.0, "target_memory_gb": 0, "target_gpu_percent": 0}
    metric = ResourceUtilization(mode="documented", **options)
    result = metric.evaluate(None, {"cpu_percent": 50.0}, None)
    assert result.value == pytest.approx(2 / 3)


def test_the_documented_mode_has_a_step_and_counts_the_unmeasured_as_zero():
    """CPU 100 / 80 = 1.25 scores 0.75, memory and GPU 0: 0.25."""
    assert score("documented", cpu_percent=100.0).values == {"value": pytest.approx(0.25)}


def test_what_readings_tell_is_told_with_their_share():
    """For each resource that has any."""
    result = score(
        cpu_percent=40.0,
        memory_mb=2048.0,
        sources={"cpu_percent": "otlp_metrics: process.cpu.time", "memory_mb": "span_attribute"},
        coverage={"cpu_percent": Coverage(0.5, 0.5)},
    )
    assert result.values == {"value": 1.0, "cpu": 1.0, "memory": 1.0}
    assert result.detail["cpu"] == {
        "used_percent": 40.0,
        "target_percent": 80.0,
        "source": "otlp_metrics: process.cpu.time",
        "measured_share": 0.5,
        "held_share": 0.5,
    }
    assert result.detail["memory"]["source"] == "span_attribute"
    assert result.explanation == (
        "cpu by OTLP metric process.cpu.time: measured for 50% of the time, its last reading held "
        "on for 50%"
    )
