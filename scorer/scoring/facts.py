"""What a trace used and did, for the additive series."""

from collections.abc import Sequence

from scorer.api import AgentTrace, Score
from scorer.model.score import ToolCount, TraceFacts

# A sender may name any number of tools in one trace; characters of a name.
_MAX_TOOLS = 100
_MAX_NAME = 128
# Sums of counts stay exact up to here, and no trace has more.
_MAX_COUNT = 10**15
_USAGE_FIELDS = ("input", "output", "cache_read", "cache_write", "reasoning")


def trace_facts(trace: AgentTrace, scores: Sequence[Score]) -> TraceFacts:
    """Collect the facts; cost is what spans report, else what the cost metric priced."""
    return TraceFacts(
        tokens=_tokens(trace),
        cost_usd=trace.cost_usd if trace.cost_usd is not None else _value(scores, "cost"),
        tool_calls=_tool_calls(trace),
        pii_findings=_pii_findings(scores),
        duration_s=trace.duration_s,
    )


def _tokens(trace: AgentTrace) -> dict[str, int]:
    if trace.usage is None:
        return {}
    counts = {name: getattr(trace.usage, name) for name in _USAGE_FIELDS}
    return {
        name: count
        for name, count in counts.items()
        if count is not None and 0 <= count < _MAX_COUNT
    }


def _tool_calls(trace: AgentTrace) -> tuple[ToolCount, ...]:
    counts: dict[tuple[str, str], int] = {}
    for call in trace.tool_calls or ():
        key = call.name[:_MAX_NAME], call.status or "unknown"
        if key not in counts and len(counts) >= _MAX_TOOLS:
            key = "other", key[1]
        counts[key] = counts.get(key, 0) + 1
    return tuple([ToolCount(tool, status, count) for (tool, status), count in counts.items()])


def _value(scores: Sequence[Score], metric: str) -> float | None:
    for score in scores:
        if score.metric == metric and score.output == "value":
            return score.value
    return None


def _pii_findings(scores: Sequence[Score]) -> dict[str, int]:
    for score in scores:
        if score.metric == "pii_leakage" and score.detail:
            types = score.detail.get("types")
            return dict(types) if isinstance(types, dict) else {}
    return {}
