import math

import pytest

from metrics.sustainability.carbon_emissions import CarbonEmissions
from scorer.api import AgentTrace, Coverage, LlmCall, Resources, Unscored, Usage


def trace(**resources):
    call = LlmCall(span_id="s", model="m", usage=Usage(1000, 0))
    return AgentTrace(trace_id="t", resources=Resources(**resources), llm_calls=(call,))


def test_reported_carbon_wins_over_energy():
    """0.05 / 0.2 = 0.25."""
    view = trace(carbon_kg=0.2, energy_kwh=9.0, sources={"carbon_kg": "span_attribute"})
    result = CarbonEmissions().score(view)
    assert result.values == {"value": pytest.approx(0.25), "carbon_kg": 0.2}
    assert result.detail == {"source": "span_attribute", "threshold_kg": 0.05}


def test_without_carbon_it_is_energy_times_intensity():
    """0.4 kWh * 0.475 kg/kWh = 0.19 kg; 0.05 / 0.19."""
    view = trace(energy_kwh=0.4, sources={"energy_kwh": "span_attribute"})
    result = CarbonEmissions().score(view)
    assert result.values["carbon_kg"] == pytest.approx(0.19)
    assert result.values["value"] == pytest.approx(0.05 / 0.19)
    assert result.detail == {
        "source": "energy",
        "energy_kwh": 0.4,
        "energy_source": "span_attribute",
        "grid_intensity": 0.475,
        "grid_intensity_source": "option grid_intensity",
        "threshold_kg": 0.05,
    }


@pytest.mark.parametrize(
    ("resources", "intensity", "source"),
    [
        ({"region": "eu-north-1"}, 0.03, "option regions"),
        ({"region": "mars-1"}, 0.5, "option grid_intensity"),
        (
            {
                "region": "eu-north-1",
                "grid_intensity": 0.1,
                "sources": {"grid_intensity": "resource_attribute"},
            },
            0.1,
            "resource_attribute",
        ),
    ],
)
def test_the_nearest_intensity_is_taken(resources, intensity, source):
    """Spans or their resource, then the region, then the option; the source is told."""
    metric = CarbonEmissions(grid_intensity=0.5, regions={"eu-north-1": 0.03})
    result = metric.score(trace(energy_kwh=2.0, **resources))
    assert result.values["carbon_kg"] == pytest.approx(2 * intensity)
    assert result.detail["grid_intensity_source"] == source


def test_the_region_of_the_agent_says_nothing_of_a_hosted_model():
    """So an estimate from tokens takes the option."""
    metric = CarbonEmissions(regions={"r": 0.03}, kwh_per_1000_tokens={"*": 0.1})
    result = metric.score(trace(region="r"))
    assert result.detail["grid_intensity_source"] == "option grid_intensity"
    assert result.detail["energy_source"] == "estimated: kwh_per_1000_tokens"
    assert result.values["carbon_kg"] == pytest.approx(0.0475)


@pytest.mark.parametrize(
    ("resources", "reason"),
    [
        ({}, "no_energy"),
        ({"carbon_kg": -0.1, "energy_kwh": 1.0}, "implausible_carbon"),
        ({"carbon_kg": math.nan}, "implausible_carbon"),
        ({"energy_kwh": -1.0}, "implausible_energy"),
        ({"energy_kwh": 1.0, "grid_intensity": 475.0}, "implausible_grid_intensity"),
        ({"energy_kwh": 1.0, "grid_intensity": math.nan}, "implausible_grid_intensity"),
    ],
)
def test_what_is_missing_or_impossible_is_no_score(resources, reason):
    """An intensity of 475 is one in grams."""
    assert CarbonEmissions().score(trace(**resources)) == Unscored(reason)


@pytest.mark.parametrize("options", [{"regions": {"r": -1}}, {"grid_intensity": "x"}])
def test_a_wrong_figure_is_refused(options):
    """It names the option."""
    with pytest.raises(ValueError, match=next(iter(options))):
        CarbonEmissions(**options)


def test_the_documented_mode_never_looks_at_energy():
    """So energy alone scores 1; carbon counts."""
    documented = CarbonEmissions(mode="documented")
    assert documented.score(trace(energy_kwh=10.0)).values == {"value": 1.0}
    assert documented.score(trace(carbon_kg=0.1)).values == {"value": 0.5}


def test_carbon_of_energy_that_was_read_tells_its_share():
    """With the intensity of the option, or one that was read, too."""
    told = {
        "sources": {
            "energy_kwh": "otlp_metrics: hw.power",
            "grid_intensity": "otlp_metrics: spanscore.grid_intensity",
        },
        "coverage": {"energy_kwh": Coverage(1.0, 0.0), "grid_intensity": Coverage(1.0, 0.0)},
    }
    result = CarbonEmissions().score(trace(energy_kwh=0.4, grid_intensity=0.1, **told))
    assert result.values["carbon_kg"] == pytest.approx(0.04)
    assert result.detail["energy_source"] == "otlp_metrics: hw.power"
    assert result.detail["grid_intensity_source"] == "otlp_metrics: spanscore.grid_intensity"
    assert result.detail["measured_share"] == 1.0
    assert result.explanation == "energy by OTLP metric hw.power: measured for 100% of the time"


def test_carbon_that_was_read_tells_its_share():
    """It comes before the energy."""
    told = {
        "sources": {"carbon_kg": "otlp_metrics: spanscore.carbon"},
        "coverage": {"carbon_kg": Coverage(0.5, 0.0)},
    }
    result = CarbonEmissions().score(trace(carbon_kg=0.1, energy_kwh=9.0, **told))
    assert (result.values["value"], result.detail["measured_share"]) == (0.5, 0.5)
    assert result.explanation.startswith("carbon by OTLP metric spanscore.carbon: measured for 50%")
