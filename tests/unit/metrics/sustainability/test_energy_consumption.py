import math

import pytest

from metrics.sustainability.energy_consumption import EnergyConsumption
from scorer.api import AgentTrace, Coverage, LlmCall, Resources, Unscored, Usage


def trace(**resources):
    call = LlmCall(span_id="s", model="m", usage=Usage(1000, 0))
    return AgentTrace(trace_id="t", resources=Resources(**resources), llm_calls=(call,))


@pytest.mark.parametrize(("energy", "value"), [(0.0, 1.0), (0.1, 1.0), (0.4, 0.25)])
def test_energy_beyond_the_limit_lowers_the_value(energy, value):
    """0.1 / 0.4 = 0.25; the energy itself is the second output."""
    result = EnergyConsumption().score(
        trace(energy_kwh=energy, sources={"energy_kwh": "span_attribute"})
    )
    assert result.values == {"value": pytest.approx(value), "energy_kwh": energy}
    assert result.detail == {"source": "span_attribute", "threshold_kwh": 0.1}


def test_an_unknown_energy_is_no_score():
    """The original says 1."""
    assert EnergyConsumption().score(trace()) == Unscored("no_energy")
    assert EnergyConsumption(mode="documented").score(trace()).values == {"value": 1.0}


def test_an_estimate_says_so():
    """1000 tokens at 0.2 kWh: 0.1 / 0.2."""
    result = EnergyConsumption(kwh_per_1000_tokens={"m": 0.2}).score(trace())
    assert result.values["value"] == pytest.approx(0.5)
    assert result.detail["source"] == "estimated: kwh_per_1000_tokens"


@pytest.mark.parametrize("limit", [-1, math.nan, "0.1"])
def test_a_wrong_limit_is_refused(limit):
    """In the better mode; the original takes anything."""
    with pytest.raises(ValueError, match="threshold_kwh"):
        EnergyConsumption(threshold_kwh=limit)


def test_the_documented_mode_reads_a_live_trace():
    """0.1 / 0.2; what is reported but is no number was not measured."""
    documented = EnergyConsumption(mode="documented", sample_interval=2.0)
    assert documented.score(trace(energy_kwh=0.2)).values == {"value": pytest.approx(0.5)}
    assert documented.score(trace(energy_kwh=math.nan)).values == {"value": 1.0}


def test_what_readings_tell_is_told_with_their_share():
    """The metric they come from, how much of the time they cover, and what is held on."""
    view = trace(
        energy_kwh=0.4,
        sources={"energy_kwh": "otlp_metrics: hw.energy"},
        coverage={"energy_kwh": Coverage(0.75, 0.25)},
    )
    result = EnergyConsumption().score(view)
    assert result.values == {"value": 0.25, "energy_kwh": 0.4}
    assert result.detail == {
        "source": "otlp_metrics: hw.energy",
        "threshold_kwh": 0.1,
        "measured_share": 0.75,
        "held_share": 0.25,
    }
    assert result.explanation == (
        "energy by OTLP metric hw.energy: measured for 75% of the time, its last reading held on "
        "for 25%"
    )


def test_an_estimate_is_no_reading():
    """It has neither a share nor an explanation, though other fields were read."""
    view = trace(cpu_percent=50.0, coverage={"cpu_percent": Coverage(1.0, 0.0)})
    result = EnergyConsumption(kwh_per_1000_tokens={"m": 0.2}).score(view)
    assert result.explanation is None
    assert "measured_share" not in result.detail
