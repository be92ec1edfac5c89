"""What a run used: energy, carbon, processor and memory, by our own attributes.

No convention has span attributes for these, so they are ours, `spanscore.energy_kwh` and so on.
A span speaks for all below it: of energy and carbon the outermost reports are added up, of shares
of a processor the mean over the time of these spans is taken, of memory the largest. The resource
of the root can tell what holds for the process (shares, memory, intensity), but not an amount: it
would be charged to every trace.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from scorer.dialects.tree import Node, Tree
from scorer.dialects.values import real, text
from scorer.model.agent_trace import Resources

_PREFIX = "spanscore."
_SUMMED = ("energy_kwh", "carbon_kg")
_OVER_TIME = ("cpu_percent", "gpu_percent", "grid_intensity")
_FIELDS = (*_SUMMED, *_OVER_TIME, "memory_mb")
_KEYS = tuple(_PREFIX + field for field in _FIELDS)
_NOTHING = Resources()
_Report = tuple[Node, float]


def find_resources(tree: Tree) -> Resources:
    """Return what the spans, else the resource of the root, report."""
    resource = tree.local_root.span.resource.attributes if tree.local_root is not None else {}
    region = text(resource.get("cloud.region"))
    told = {
        key for node in tree.nodes if node.notable for key in node.span.attributes.keys() & _KEYS
    }
    if not told and region is None and resource.keys().isdisjoint(_KEYS):
        return _NOTHING
    values: dict[str, float] = {}
    sources: dict[str, str] = {}
    for field in _FIELDS:
        if _PREFIX + field in told:
            reports = list(_outermost(tree.nodes, _PREFIX + field))
            values[field] = _combined(field, reports)
            sources[field] = "span_attribute"
        elif _PREFIX + field in resource and field not in _SUMMED:
            values[field] = _number(resource[_PREFIX + field])
            sources[field] = "resource_attribute"
    return replace(Resources(region=region, sources=sources), **values)


def _outermost(nodes: Sequence[Node], key: str) -> Iterator[_Report]:
    """Yield the spans that report a value, leaving out those below one that does."""
    covered: set[int] = set()
    for node in nodes:  # parents come first
        reports = key in node.span.attributes
        inside = id(node.parent) in covered
        if reports and not inside:
            yield node, _number(node.span.attributes[key])
        if reports or inside:
            covered.add(id(node))


def _combined(field: str, reports: Sequence[_Report]) -> float:
    values = [value for _, value in reports]
    if any(math.isnan(value) for value in values):
        return math.nan
    if field in _SUMMED:
        # With both signs the sum could look possible though a part is not.
        return math.nan if min(values) < 0 else _sum(values)
    return max(values) if field == "memory_mb" else _mean_over_time(reports)


def _mean_over_time(reports: Sequence[_Report]) -> float:
    times = [max(0, node.span.end_ns - node.span.start_ns) for node, _ in reports]
    values = [value for _, value in reports]
    if min(values) < 0:
        return math.nan
    # Dividing first keeps every share within the range of the values.
    if not sum(times):
        return _sum([value / len(values) for value in values])
    whole = sum(times)
    return _sum([value * (time / whole) for value, time in zip(values, times, strict=True)])


def _sum(values: Sequence[float]) -> float:
    """Return the sum, the largest number there is where it is beyond that."""
    try:
        return math.fsum(values)
    except OverflowError:
        return sys.float_info.max


def _number(value: Any) -> float:
    """Return a finite number, NaN for what is none."""
    number = real(value)
    return math.nan if number is None else number
