import pytest

from metrics.operational.token_usage import TokenUsage
from scorer.api import AgentTrace, LlmCall, Unscored, Usage


def score(usage, **options):
    return TokenUsage(**options).score(AgentTrace(trace_id="t", usage=usage))


def test_the_reported_total_is_the_value():
    """A total that the parts contradict is kept: it may hold what they do not."""
    result = score(Usage(input=1, output=1, total=50, cache_read=0))
    assert result.values == {"value": 50.0, "input": 1.0, "output": 1.0, "cache_read": 0.0}


@pytest.mark.parametrize(
    ("usage", "total"),
    [(Usage(input=5, output=2), 7.0), (Usage(input=5), 5.0), (Usage(input=0, output=0), 0.0)],
)
def test_without_a_total_the_known_parts_are_added(usage, total):
    """5 + 2 = 7; a measured 0 is a value."""
    assert score(usage).values["value"] == total


@pytest.mark.parametrize("usage", [None, Usage(), Usage(cache_read=3)])
def test_unknown_usage_is_not_zero(usage):
    """Neither total nor input nor output: no value."""
    assert score(usage) == Unscored("no_usage")


@pytest.mark.parametrize(
    "usage",
    [Usage(input=10**9 + 1), Usage(input=5, output=-1), Usage(input=5, cache_read=10**12)],
)
def test_a_count_that_cannot_be_leaves_no_value(usage):
    """Beyond 10^9 tokens in one call, or below 0."""
    assert score(usage) == Unscored("implausible_usage")
    calls = (LlmCall(span_id="a", usage=Usage(input=1)), LlmCall(span_id="b", usage=usage))
    view = AgentTrace(trace_id="t", usage=Usage(input=6), llm_calls=calls)
    assert TokenUsage().score(view) == Unscored("implausible_usage")


def test_the_sum_of_possible_counts_is_possible():
    """The limit is one of a call: two calls of 10^9 are 2 * 10^9."""
    calls = tuple(LlmCall(span_id=name, usage=Usage(input=10**9)) for name in "ab")
    view = AgentTrace(trace_id="t", usage=Usage(input=2 * 10**9), llm_calls=calls)
    assert TokenUsage().score(view).values["value"] == 2e9


def test_documented_reports_unknown_as_zero():
    """The original has no "unknown"."""
    assert score(None, mode="documented").values == {"value": 0.0}
    assert score(Usage(input=3, output=4), mode="documented").values == {"value": 7.0}
