"""Token and cost totals of a trace, without counting anything twice.

Only model calls are summed. Sums on agent or workflow spans repeat them, and may even
accumulate over the life of an agent object; they are used only when no model call has a
count, and then from the outermost spans only.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import astuple

from scorer.dialects.tree import Node
from scorer.model.agent_trace import LlmCall, Usage

_NONE = Usage()


def inclusive(usage: Usage) -> Usage:
    """Return the usage with cached tokens counted as input.

    Some providers report input without cached tokens. That shows when more was read from the
    cache than was put in, or when the total exceeds input + output by exactly the cached ones.
    """
    if usage.input is None or not (usage.cache_read or usage.cache_write):
        return usage
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    rest = None
    if usage.total is not None and usage.output is not None:
        rest = usage.total - usage.output - usage.input
    if (usage.cache_read or 0) <= usage.input and rest != cached:
        return usage
    total = usage.input + cached
    return Usage(
        total,
        usage.output,
        usage.total if rest == cached else None,
        usage.cache_read,
        usage.cache_write,
        usage.reasoning,
    )


def total_usage(calls: Sequence[LlmCall], nodes: Sequence[Node]) -> Usage | None:
    """Return the sum over the model calls, else over the outermost spans with a count."""
    counted = [call.usage for call in calls if call.usage != _NONE]
    if not counted:
        counted = [inclusive(usage) for usage in _outermost(nodes, "usage")]
    return _sum(counted) if counted else None


def total_cost(calls: Sequence[LlmCall], nodes: Sequence[Node]) -> float | None:
    """Return the reported cost in USD of the model calls, else of the outermost spans."""
    costs = [call.cost_usd for call in calls if call.cost_usd is not None]
    costs = costs or _outermost(nodes, "cost_usd")
    return sum(costs) if costs else None


def _outermost(nodes: Sequence[Node], field: str) -> list[Any]:
    """Return the values of a field, leaving out those below a span that has one."""
    if all(getattr(node.facts, field) is None for node in nodes):
        return []
    covered: set[int] = set()
    found = []
    for node in nodes:
        value = None if node.facts.role == "embedding" else getattr(node.facts, field)
        inside = id(node.parent) in covered
        if value is not None and not inside:
            found.append(value)
        if value is not None or inside:
            covered.add(id(node))
    return found


def _sum(usages: Sequence[Usage]) -> Usage:
    total = usages[0] if len(usages) == 1 else _added(usages)
    if total.input is not None and total.output is not None:
        return Usage(
            total.input,
            total.output,
            total.input + total.output,
            total.cache_read,
            total.cache_write,
            total.reasoning,
        )
    return total


def _added(usages: Sequence[Usage]) -> Usage:
    return Usage(*map(_sum_of, zip(*map(astuple, usages), strict=True)))


def _sum_of(reported: Iterable[int | None]) -> int | None:
    counts = [count for count in reported if count is not None]
    return sum(counts) if counts else None
