"""Which metrics are read, and their units."""

import pytest

from scorer.model.agent_trace import Resources
from scorer.scoring.readings.names import HOST_CPU, UNITS, WANTED, WIRE_NAMES, factor


@pytest.mark.parametrize("name", WANTED)
def test_every_metric_fills_a_field_from_a_known_unit(name):
    """Its own unit is one of its quantity."""
    wanted = WANTED[name]
    assert wanted.field in Resources.__struct_fields__
    assert wanted.unit in UNITS[wanted.quantity]
    assert (name.encode() in WIRE_NAMES) == (name != HOST_CPU)


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("hw.energy", "J", 1.0),
        ("hw.energy", "kW.h", 3.6e6),
        ("hw.energy", "", 1.0),
        ("hw.energy", "{joule}", 1.0),
        ("hw.energy", "W", None),
        ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "", 1e-3),
        ("process.cpu.utilization", "%", 0.01),
        ("process.memory.usage", "MiBy", 2**20),
        ("process.cpu.time", "ms", 1e-3),
        ("spanscore.grid_intensity", "g/kWh", 1e-3),
    ],
)
def test_a_unit_that_measures_something_else_is_not_read(name, unit, expected):
    """Watts are no energy; without a unit the usual one holds."""
    assert factor(WANTED[name], unit) == expected
