import math

import pytest

from scorer.model.agent_trace import Resources
from scorer.model.span import Resource

AGENT = {"gen_ai.operation.name": "invoke_agent"}


def energy(value):
    return {**AGENT, "spanscore.energy_kwh": value}


def test_a_total_is_not_counted_again_below(span, view):
    """What a span reports covers all below it; siblings are added up: 0.5 + 0.25."""
    result = view(
        span("1", AGENT),
        span("2", energy(0.5), parent="1"),
        span("3", AGENT, parent="2"),
        span("4", energy(0.2), parent="3"),
        span("5", energy("0.25"), parent="1"),
    ).resources
    assert result.energy_kwh == 0.75
    assert result.sources == {"energy_kwh": "span_attribute"}


def test_shares_are_means_over_time_and_memory_is_the_peak(span, view):
    """10 % for 3 s and 50 % for 1 s: 20 %."""
    one = {**AGENT, "spanscore.cpu_percent": 10, "spanscore.memory_mb": 512}
    two = {**AGENT, "spanscore.cpu_percent": 50.0, "spanscore.memory_mb": 2048}
    result = view(
        span("1", AGENT),
        span("2", one, parent="1", start=0, end=3_000),
        span("3", two, parent="1", start=3_000, end=4_000),
    ).resources
    assert result.cpu_percent == pytest.approx(20.0)
    assert result.memory_mb == 2048


def test_the_resource_tells_what_holds_for_the_process(span, view):
    """But no amount, which would be charged to every trace; a span wins."""
    attributes = {
        "spanscore.grid_intensity": 0.1,
        "spanscore.cpu_percent": 5,
        "spanscore.energy_kwh": 3.0,
        "cloud.region": "eu-north-1",
    }
    result = view(
        span("1", {**AGENT, "spanscore.cpu_percent": 7}, resource=Resource(attributes, "shop"))
    ).resources
    assert result == Resources(
        cpu_percent=7.0,
        grid_intensity=0.1,
        region="eu-north-1",
        sources={"cpu_percent": "span_attribute", "grid_intensity": "resource_attribute"},
    )


@pytest.mark.parametrize("value", ["much", True, math.inf, None])
def test_what_is_no_number_is_reported_as_none(span, view, value):
    """So no metric takes it for missing, or for 0."""
    result = view(span("1", energy(1.0)), span("2", energy(value))).resources
    assert math.isnan(result.energy_kwh)


def test_a_negative_part_spoils_the_sum(span, view):
    """1.0 - 0.5 would look possible."""
    result = view(span("1", energy(1.0)), span("2", energy(-0.5))).resources
    assert math.isnan(result.energy_kwh)


def test_nothing_reported_is_nothing(span, view):
    """No field is set."""
    assert view(span("1", AGENT)).resources == Resources()


@pytest.mark.parametrize("field", ["energy_kwh", "cpu_percent"])
def test_a_sum_beyond_every_number_is_the_largest_there_is(span, view, field):
    """So what a span says of its energy costs the trace no other score."""
    huge = {**AGENT, f"spanscore.{field}": 1.7e308}
    spans = [span(number, huge, start=5, end=5) for number in "123"]
    result = getattr(view(*spans).resources, field)
    assert result == pytest.approx(1.7e308, rel=0.1)
