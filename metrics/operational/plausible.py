"""Counts and costs that cannot be: a wrong one would drown every sum it enters."""

from collections.abc import Sequence

from msgspec.structs import astuple

from scorer.api import AgentTrace, Usage

MAX_COST_USD = 1e9  # more than any agent could spend
MAX_CALL_TOKENS = 1_000_000_000  # a thousand times the longest context window there is


def has_impossible_usage(trace: AgentTrace) -> bool:
    """Whether a model call (or the trace, where no call counts) has a negative or huge count.

    A negative count of the trace is impossible, whatever its calls say.
    """
    usages = [call.usage for call in trace.llm_calls]
    total = [trace.usage] if trace.usage is not None else []
    bounded = usages if any(map(_has_counts, usages)) else usages + total
    return min(_counts(usages + total), default=0) < 0 or (
        max(_counts(bounded), default=0) > MAX_CALL_TOKENS
    )


def has_impossible_cost(trace: AgentTrace) -> bool:
    """Whether the trace, a model call or a tool call reports a negative or huge cost."""
    costs = [trace.cost_usd, *(call.cost_usd for call in trace.llm_calls)]
    costs += [call.cost_usd for call in trace.tool_calls or ()]
    return any(cost is not None and not 0 <= cost <= MAX_COST_USD for cost in costs)


def _counts(usages: Sequence[Usage]) -> list[int]:
    return [count for usage in usages for count in astuple(usage) if count is not None]


def _has_counts(usage: Usage) -> bool:
    return usage.input is not None or usage.output is not None
