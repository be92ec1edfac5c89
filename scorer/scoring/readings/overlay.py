"""Readings as metrics see them: fields of `AgentTrace.resources`."""

from collections.abc import Sequence

from msgspec.structs import replace

from scorer.api import AgentTrace
from scorer.model.reading import Measured
from scorer.scoring.readings.names import HOST_CPU


def with_readings(view: AgentTrace, readings: Sequence[Measured]) -> AgentTrace:
    """Return a view whose resources are those that were read, else those that spans report.

    What was read of the machine here comes last.
    """
    told = view.resources
    taken = [r for r in readings if r.source != HOST_CPU or getattr(told, r.field) is None]
    if not taken:
        return view
    resources = replace(
        told,
        **{item.field: item.value for item in taken},
        sources={**told.sources, **{item.field: _source(item) for item in taken}},
        coverage={item.field: item.coverage for item in taken},
    )
    return replace(view, resources=resources)


def _source(item: Measured) -> str:
    return item.source if item.source == HOST_CPU else f"otlp_metrics: {item.source}"
