"""Metrics by name, in the running process: AgentUnit's `register_metric` and `resolve_metrics`.

What is registered is known to this process alone: in the service that means `scoring.workers: 0`.
A metric that is to run in scoring processes has an entry point. A registered metric wins over an
installed one of its name, which AgentUnit may not have: `latency`, for one.
"""

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final

from scorer.errors import ConfigError

DEFAULT_METRICS: Final = (
    "faithfulness",
    "answer_correctness",
    "tool_success",
    "cost",
    "token_usage",
)
"""The metrics that AgentUnit runs unless told otherwise."""

_TAKEN: Final = frozenset({*DEFAULT_METRICS, "hallucination_rate", "retrieval_quality"})
_METHODS: Final = ("score", "combine", "entries", "evaluate", "compute")
_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_registered: dict[str, Any] = {}
registered: Mapping[str, Any] = MappingProxyType(_registered)
"""What is registered, by name."""


def register_metric(name: str, metric: Any) -> None:
    """Register a metric, a class or an instance.

    Raises:
        ValueError: the name is empty, or that of another registered metric or of a default one.
        TypeError: it has no method of a metric.
    """
    if not name:
        raise ValueError("a metric is registered under a name")
    if name in _TAKEN or _registered.get(name, metric) is not metric:
        raise ValueError(f"there is a metric named {name!r} already")
    if not any(callable(getattr(metric, method, None)) for method in _METHODS):
        raise TypeError(f"metric {name!r} has none of the methods {', '.join(_METHODS)}")
    _registered[name] = metric


def resolve_metrics(names: Iterable[str] | None = None) -> list[Any]:
    """Return a metric for each name, `DEFAULT_METRICS` for none; classes are made without options.

    Each has a `name`, and `evaluate` unless it has only methods of Spanscore's own. A metric that
    comes with `compute` gets `evaluate` from that.

    Raises:
        ConfigError: no metric has that name.
    """
    return [_resolved(name) for name in tuple(names or ()) or DEFAULT_METRICS]


def _resolved(name: str) -> Any:
    found = _registered.get(name)
    if found is None:
        points = {point.name: point for point in entry_points(group="spanscore.metrics")}
        if name not in points:
            known = ", ".join(sorted({*points, *_registered}))
            raise ConfigError(f"no metric named {name!r}; known: {known}")
        found = points[name].load()
    metric = found() if isinstance(found, type) else found
    if not hasattr(metric, "evaluate") and hasattr(metric, "compute"):
        return _Computed(metric)
    return metric


class _Computed:
    """An older AgentUnit metric, under the names of the newer ones."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self.name = getattr(metric, "name", None) or snake_case(type(metric).__name__)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> Any:
        """Compute."""
        return self._metric.compute(case, trace, outcome)


def snake_case(name: str) -> str:
    """Return the name of a class as a metric is named: `HTTPLatency` is `http_latency`."""
    return _HUMPS.sub("_", name).lower()
