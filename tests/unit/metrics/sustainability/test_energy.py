import math

import pytest

from metrics.sustainability.energy import Energy, EnergySource, at_most
from scorer.api import AgentTrace, LlmCall, Resources, Unscored, Usage

SECOND = 1_000_000_000


def trace(*calls, seconds=36, **resources):
    times = {"start_ns": SECOND, "end_ns": SECOND + seconds * SECOND}
    return AgentTrace(trace_id="t", llm_calls=calls, resources=Resources(**resources), **times)


def call(model="m-1", read=None, written=None, **more):
    return LlmCall(span_id="s", model=model, usage=Usage(read, written), **more)


def test_a_reported_energy_wins():
    """A measured 0 is an energy too."""
    source = EnergySource({"*": 1.0})
    view = trace(call(read=1), energy_kwh=0.0, sources={"energy_kwh": "span_attribute"})
    assert source.read(view) == Energy(0.0, "span_attribute")


@pytest.mark.parametrize("energy", [-1.0, 1e7, math.nan])
def test_an_impossible_energy_is_none(energy):
    """Nor is another put in its place."""
    assert EnergySource({"*": 1.0}).read(trace(energy_kwh=energy)) == Unscored("implausible_energy")


def test_nothing_is_estimated_unasked():
    """Tokens and shares of a processor alone are no energy."""
    view = trace(call(read=1), cpu_percent=50.0)
    assert EnergySource().read(view) == Unscored("no_energy")


def test_tokens_are_counted_by_the_figure_of_their_model():
    """(600 + 400) / 1000 * 0.002 + 500 / 1000 * 0.001; the first pattern that fits decides."""
    source = EnergySource({"Big*": 0.002, "*": 0.001})
    view = trace(call("big-2", 600, 400), call("other", 500, None), call(error_type="Timeout"))
    assert source.read(view) == Energy(pytest.approx(0.0025), "estimated: kwh_per_1000_tokens")


def test_watts_are_counted_over_the_duration():
    """50 W * 40 % * 36 s = 720 J, 150 W * 10 % * 36 s = 540 J; 1260 J / 3.6e6 = 0.00035 kWh."""
    source = EnergySource(cpu_watts=50, gpu_watts=150)
    energy = source.read(trace(cpu_percent=40.0, gpu_percent=10.0))
    assert energy == Energy(pytest.approx(0.00035), "estimated: cpu_watts + gpu_watts")


def test_estimates_of_host_and_models_are_added():
    """0.0002 kWh of the host (20 W * 36 s = 720 J) and 0.001 of the model."""
    energy = EnergySource({"*": 0.001}, cpu_watts=20).read(
        trace(call(read=1000), cpu_percent=100.0)
    )
    assert energy.kwh == pytest.approx(0.0012)
    assert energy.source == "estimated: cpu_watts + kwh_per_1000_tokens"


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (trace(call(read=1000)), "no_cpu_percent"),
        (trace(call(read=1000), cpu_percent=-1.0), "implausible_resources"),
        (trace(call(read=1000), cpu_percent=1.0, seconds=-1), "no_duration"),
        (trace(cpu_percent=1.0), "no_llm_calls"),
        (trace(call(), cpu_percent=1.0), "incomplete_usage"),
        (trace(call(read=-1), cpu_percent=1.0), "implausible_usage"),
        (trace(call("x", 1), cpu_percent=1.0), "unknown_model_energy"),
    ],
)
def test_an_estimate_that_lacks_a_part_is_none(view, reason):
    """A partial sum would look like a saving."""
    assert EnergySource({"m-*": 0.001}, cpu_watts=20).read(view).reason == reason


@pytest.mark.parametrize("figure", [-1, math.inf, math.nan, "1", True, None])
def test_a_wrong_figure_is_refused(figure):
    """It names the option."""
    with pytest.raises(ValueError, match=r"kwh_per_1000_tokens\.m"):
        EnergySource({"m": figure})


@pytest.mark.parametrize(("used", "value"), [(0, 1), (1, 1), (2, 0.5), (-1, 1)])
def test_beyond_the_limit_the_value_falls(used, value):
    """1 / 2 = 0.5."""
    assert at_most(1, used) == value


def test_an_estimate_beyond_all_measure_is_none():
    """Whoever writes 1e308 W has not measured any."""
    source = EnergySource(cpu_watts=1e308)
    assert source.read(trace(cpu_percent=100.0)) == Unscored("implausible_energy")
