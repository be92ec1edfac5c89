from metrics.operational.plausible import (
    MAX_CALL_TOKENS,
    has_impossible_cost,
    has_impossible_usage,
)
from scorer.api import AgentTrace, LlmCall, Usage


def test_the_limit_itself_is_possible():
    """10^9 tokens in one call are let through, one more is not."""
    at_limit = AgentTrace(trace_id="t", usage=Usage(input=MAX_CALL_TOKENS))
    beyond = AgentTrace(trace_id="t", usage=Usage(input=MAX_CALL_TOKENS + 1))
    assert not has_impossible_usage(at_limit)
    assert has_impossible_usage(beyond)


def test_what_is_not_captured_is_not_impossible():
    """Neither counts nor costs: nothing to complain of."""
    view = AgentTrace(trace_id="t", llm_calls=(LlmCall(span_id="a"),))
    assert not has_impossible_usage(view)
    assert not has_impossible_cost(view)


def test_a_negative_total_is_impossible_beside_calls_that_are_not():
    """A total of many calls may be large, but never below 0."""
    calls = (LlmCall(span_id="a", usage=Usage(input=5)),)
    large = AgentTrace(trace_id="t", llm_calls=calls, usage=Usage(total=10 * MAX_CALL_TOKENS))
    assert not has_impossible_usage(large)
    assert has_impossible_usage(AgentTrace(trace_id="t", llm_calls=calls, usage=Usage(total=-1)))
