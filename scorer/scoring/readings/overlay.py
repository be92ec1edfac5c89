"""Readings as metrics see them: fields of `AgentTrace.resources`."""

from collections.abc import Sequence

from msgspec.structs import replace

from scorer.api import AgentTrace
from scorer.model.reading import Measured


def with_readings(view: AgentTrace, readings: Sequence[Measured]) -> AgentTrace:
    """Return a view whose resources are those that were read, else those that spans report."""
    if not readings:
        return view
    resources = replace(
        view.resources,
        **{item.field: item.value for item in readings},
        sources={
            **view.resources.sources,
            **{item.field: f"otlp_metrics: {item.source}" for item in readings},
        },
        coverage={item.field: item.coverage for item in readings},
    )
    return replace(view, resources=resources)
