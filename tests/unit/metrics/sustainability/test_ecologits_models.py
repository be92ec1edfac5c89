"""Estimates of EcoLogits."""

import logging
import sys

import pytest

from metrics.sustainability.carbon_emissions import CarbonEmissions
from metrics.sustainability.ecologits_models import EcoLogitsModels
from metrics.sustainability.energy import EnergySource
from metrics.sustainability.energy_consumption import EnergyConsumption
from scorer.api import AgentTrace, LlmCall, Resources, Unscored, Usage


def call(model="gpt-4o-mini", provider="openai", written=100, seconds=2.0, read=50):
    return LlmCall(
        span_id="s",
        model=model,
        provider=provider,
        usage=Usage(read, written),
        start_ns=1,
        end_ns=1 + int(seconds * 1e9),
    )


def trace(*calls, **resources):
    return AgentTrace(trace_id="t", llm_calls=calls, resources=Resources(**resources))


@pytest.fixture(scope="module")
def models():
    return EcoLogitsModels()


def test_a_known_model_has_an_energy(models):
    """Between a microwatt-hour and a watt-hour for 100 tokens; more tokens take more."""
    energy = models.kwh(call())
    assert 1e-9 < energy < 1e-3
    assert models.kwh(call(written=1000, seconds=20)) > energy


@pytest.mark.parametrize("provider", ["OpenAI", "azure.ai.openai", "az.ai.openai"])
def test_providers_go_by_their_names_in_telemetry(models, provider):
    """Whoever wrote the span."""
    assert models.kwh(call(provider=provider)) == models.kwh(call())


@pytest.mark.parametrize(
    "unknown",
    [
        call("my-own-model"),
        call(provider="me"),
        call(provider=None),
        call(model=None),
        call(written=None),
        call("gpt-4o-mini" + "x" * 10**6),
    ],
)
def test_what_is_unknown_has_none(models, unknown):
    """Nothing is guessed from another model."""
    assert models.kwh(unknown) is None


def test_it_changes_no_logger_of_others(models):
    """And its warnings that nobody publishes models are not repeated."""
    assert logging.getLoggerClass() is logging.Logger
    assert logging.getLogger("ecologits").level == logging.ERROR
    assert models.source.startswith("ecologits 0.")


def test_without_it_the_option_is_refused(monkeypatch):
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "ecologits.tracers.utils", None)
    with pytest.raises(ValueError, match=r"spanscore\[ecologits\]"):
        EnergyConsumption(ecologits=True)


def test_a_figure_of_ones_own_comes_before_it():
    """It is asked for the models that no pattern fits; together they are named as the source."""
    source = EnergySource({"gpt-*": 0.5}, ecologits=True)
    assert source.read(trace(call())).kwh == 0.075
    both = source.read(trace(call(), call("claude-sonnet-4-5", "anthropic")))
    assert 0.075 < both.kwh < 0.076
    assert both.source.startswith("estimated: kwh_per_1000_tokens + ecologits 0.")


def test_one_unknown_model_leaves_no_energy():
    """A part of the calls is not the energy of the trace; what was measured comes first."""
    metric = EnergyConsumption(ecologits=True)
    found = metric.score(trace(call(), call("mine")))
    assert found == Unscored("unknown_model_energy", detail={"models": ["mine"]})
    measured = metric.score(trace(call("mine"), energy_kwh=0.2))
    assert measured.values["energy_kwh"] == 0.2


def test_models_run_elsewhere_than_the_agent():
    """Their carbon is not that of the agent's region."""
    metric = CarbonEmissions(ecologits=True, regions={"r": 0.01}, grid_intensity=0.4)
    found = metric.score(trace(call(), region="r"))
    assert found.detail["grid_intensity"] == 0.4
    assert found.explanation is None
