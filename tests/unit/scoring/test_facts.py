"""What a trace used and did."""

from scorer.api import AgentTrace, ToolCall, Usage
from scorer.model.score import ToolCount
from scorer.scoring.facts import trace_facts
from scorer.testing import score


def test_unknown_facts_are_absent_and_not_zero():
    """No usage, no cost, no duration: nothing is counted."""
    facts = trace_facts(AgentTrace(trace_id="t"), [])
    assert (facts.tokens, facts.cost_usd, facts.duration_s) == ({}, None, None)


def test_tokens_are_counted_by_type():
    """Only the types that were measured; a measured 0 stays."""
    facts = trace_facts(AgentTrace(trace_id="t", usage=Usage(10, 0, 10, cache_read=4)), [])
    assert facts.tokens == {"input": 10, "output": 0, "cache_read": 4}


def test_a_reported_cost_wins_over_a_priced_one():
    """The metric prices tokens only where the spans say nothing."""
    priced = score(metric="cost", value=0.5)
    assert trace_facts(AgentTrace(trace_id="t", cost_usd=0.0), [priced]).cost_usd == 0
    assert trace_facts(AgentTrace(trace_id="t"), [priced]).cost_usd == 0.5


def test_tool_calls_are_counted_by_name_and_status():
    """A call of which nothing says how it ended is `unknown`."""
    calls = (
        ToolCall(name="a", status="success"),
        ToolCall(name="a", status="success"),
        ToolCall(name="a", status="error"),
        ToolCall(name="b"),
    )
    facts = trace_facts(AgentTrace(trace_id="t", tool_calls=calls), [])
    assert set(facts.tool_calls) == {
        ToolCount("a", "success", 2),
        ToolCount("a", "error", 1),
        ToolCount("b", "unknown", 1),
    }


def test_pii_findings_come_from_their_metric():
    """By type, as its detail counts them."""
    found = score(metric="pii_leakage", detail={"types": {"email": 2}})
    assert trace_facts(AgentTrace(trace_id="t"), [found]).pii_findings == {"email": 2}
