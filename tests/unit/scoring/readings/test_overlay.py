"""Readings as metrics see them."""

from scorer.api import AgentTrace, Coverage, Resources
from scorer.model.reading import Measured
from scorer.scoring.readings.names import HOST_CPU
from scorer.scoring.readings.overlay import with_readings

TOLD = AgentTrace(
    trace_id="1",
    resources=Resources(
        energy_kwh=1.0,
        memory_mb=2.0,
        region="eu",
        sources={"energy_kwh": "span_attribute", "memory_mb": "resource_attribute"},
    ),
)


def test_what_was_read_comes_before_what_spans_report():
    """Field by field, each with its source."""
    energy = Measured("energy_kwh", 0.5, "hw.energy", Coverage(0.75, 0.25))
    resources = with_readings(TOLD, [energy]).resources
    assert (resources.energy_kwh, resources.memory_mb, resources.region) == (0.5, 2.0, "eu")
    assert resources.sources == {
        "energy_kwh": "otlp_metrics: hw.energy",
        "memory_mb": "resource_attribute",
    }
    assert resources.coverage == {"energy_kwh": Coverage(0.75, 0.25)}


def test_without_readings_nothing_changes():
    """The view is the same object."""
    assert with_readings(TOLD, ()) is TOLD


def test_what_was_read_of_the_machine_comes_after_what_spans_report():
    """It is the nearest there is only where they are silent."""
    cpu = Measured("cpu_percent", 30.0, HOST_CPU, Coverage(0.0, 1.0))
    found = with_readings(TOLD, [cpu]).resources
    assert (found.cpu_percent, found.sources["cpu_percent"]) == (30.0, "psutil: cpu_percent")
    told = AgentTrace(trace_id="1", resources=Resources(cpu_percent=5.0))
    assert with_readings(told, [cpu]) is told
