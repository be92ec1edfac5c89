"""Where a figure of a trace's resources comes from, for whoever looks into one score."""

from typing import Any

from scorer.api import AgentTrace


def source_of(trace: AgentTrace, field: str) -> str:
    """Return `span_attribute`, `resource_attribute` or `otlp_metrics: NAME`."""
    return trace.resources.sources.get(field, "reported")


def coverage_of(trace: AgentTrace, field: str) -> dict[str, Any]:
    """Return for which shares of the time readings speak, as detail; empty where none do."""
    coverage = trace.resources.coverage.get(field)
    if coverage is None:
        return {}
    return {"measured_share": coverage.measured, "held_share": coverage.held}


def told(trace: AgentTrace, field: str, what: str) -> str | None:
    """Return a sentence on what readings told, and of how much of the time; None = none did."""
    coverage = trace.resources.coverage.get(field)
    if coverage is None:
        return None
    source = source_of(trace, field).removeprefix("otlp_metrics: ")
    text = f"{what} by OTLP metric {source}: measured for {coverage.measured:.0%} of the time"
    return text + (f", its last reading held on for {coverage.held:.0%}" if coverage.held else "")
