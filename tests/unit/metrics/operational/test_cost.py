from datetime import UTC, datetime

import pytest

from metrics.operational.cost import Cost
from metrics.operational.pricing import PriceTable
from scorer.api import AgentTrace, LlmCall, ToolCall, Unscored, Usage

CALL_TIME = int(datetime(2025, 6, 1, tzinfo=UTC).timestamp() * 1e9)


def call(model="gpt-4o-mini", read=None, written=None, **more):
    provider = more.pop("provider", "openai")
    usage = Usage(input=read, output=written, **more.pop("usage", {}))
    return LlmCall(
        span_id="s", model=model, provider=provider, usage=usage, start_ns=CALL_TIME, **more
    )


def trace(*calls, **more):
    return AgentTrace(trace_id="t", llm_calls=calls, **more)


@pytest.mark.parametrize("reported", [0.0, 0.25])
def test_a_reported_cost_wins(reported):
    """A measured 0 is a cost too, whatever the tokens say."""
    result = Cost().score(trace(call(read=10_000, written=1), cost_usd=reported))
    assert result.values == {"value": reported}
    assert result.detail == {"source": "reported"}


def test_tokens_are_priced_per_call():
    """gpt-4o-mini: 0.15 and 0.60 USD per million, cached input at half the price.

    (1000 - 400) * 0.15e-6 + 400 * 0.075e-6 + 100 * 0.6e-6 = 0.00018, twice.
    """
    one = call(read=1000, written=100, usage={"cache_read": 400})
    result = Cost().score(trace(one, one))
    assert result.values["value"] == pytest.approx(2 * 0.00018, rel=1e-12)
    assert result.detail["source"] == "priced"
    assert result.detail["price_table"].startswith("genai-prices ")


def test_writing_a_cache_costs_more():
    """claude-3-5-sonnet: 3 USD per million of input, 3.75 written to the cache."""
    fresh = call("claude-3-5-sonnet-20241022", 1_000_000, 0, provider="anthropic")
    cached = call(
        "claude-3-5-sonnet-20241022",
        1_000_000,
        0,
        provider="anthropic",
        usage={"cache_write": 1_000_000},
    )
    prices = PriceTable()
    assert prices.usd(fresh) == pytest.approx(3.0)
    assert prices.usd(cached) == pytest.approx(3.75)


def test_a_price_that_depends_on_the_prompt_length_is_looked_up_every_time():
    """gemini-2.5-pro: 1.25 USD per million up to 200,000 tokens, 2.50 above."""
    prices = PriceTable()
    short = call("gemini-2.5-pro", 100_000, 0, provider="google")
    long = call("gemini-2.5-pro", 1_000_000, 0, provider="google")
    assert prices.usd(short) == pytest.approx(0.125)
    assert prices.usd(long) == pytest.approx(2.5)


def test_a_provider_that_is_not_in_the_table_leaves_the_model_to_decide():
    """A gateway's name is no reason not to know the model."""
    assert PriceTable().usd(
        call(read=1_000_000, written=0, provider="my-gateway")
    ) == pytest.approx(0.15)


def test_one_unknown_model_leaves_no_value():
    """A partial sum would look like a saving."""
    result = Cost().score(trace(call(read=1, written=1), call("my-own-model", 5, 5)))
    assert result == Unscored("unknown_model_price", detail={"models": ["my-own-model"]})
    assert Cost().score(trace(call(None, 5, 5))).reason == "unknown_model_price"


def test_no_tokens_cost_nothing_whatever_the_model():
    """Measured zeros are a cost of 0."""
    assert Cost().score(trace(call("my-own-model", 0, 0))).values == {"value": 0.0}


def test_unknown_usage_is_not_zero():
    """No usage at all, or none for one of the calls: no value; a failed call has none to have."""
    assert Cost().score(trace()) == Unscored("no_usage")
    assert Cost().score(trace(call())) == Unscored("no_usage")
    assert Cost().score(trace(call(), call(read=1, written=1))) == Unscored("incomplete_usage")
    failed = call(error_type="ConnectError")
    assert Cost().score(trace(failed, call(read=0, written=0))).values == {"value": 0.0}


def test_usage_of_the_trace_is_priced_when_there_is_one_model():
    """Some instrumentations report tokens for the run only: 1e6 * 0.15e-6 = 0.15."""
    view = trace(usage=Usage(input=1_000_000, output=0), models=("gpt-4o-mini",))
    assert Cost().score(view).values["value"] == pytest.approx(0.15)


def test_tool_costs_are_added_only_where_they_are_not_included():
    """0.1 reported, 0.02 by a tool."""
    view = trace(cost_usd=0.1, tool_calls=(ToolCall(name="a", cost_usd=0.02),))
    assert Cost().score(view).values["value"] == 0.1
    assert Cost(tools_included=False).score(view).values["value"] == pytest.approx(0.12)


def test_documented_reports_an_unknown_cost_as_zero_and_adds_tools():
    """The original's sum: the base, else 0, plus every tool's cost."""
    metric = Cost(mode="documented")
    assert metric.score(trace()).values == {"value": 0.0}
    view = trace(cost_usd=0.1, tool_calls=(ToolCall(name="a", cost_usd=0.02),))
    assert metric.score(view).values["value"] == pytest.approx(0.12)


@pytest.mark.parametrize(
    "view",
    [
        trace(call(read=1), cost_usd=-0.5),
        trace(call(read=1, cost_usd=-1.0), call(read=1, cost_usd=3.0), cost_usd=2.0),
        trace(call(read=1, written=1), tool_calls=(ToolCall(name="f", cost_usd=-0.1),)),
    ],
)
def test_a_negative_cost_leaves_no_value(view):
    """Not even where the sum is positive."""
    assert Cost().score(view) == Unscored("implausible_cost")


def test_tokens_that_cannot_be_are_not_priced():
    """10^12 tokens in one call are a fault of the instrumentation, not a bill."""
    view = trace(call(read=10**12, written=1))
    assert Cost().score(view) == Unscored("implausible_usage")
