"""composite: one number out of the other scores of a trace."""

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

from metrics.agentunit import CompositeMetric, MetricResult, mean_or_zero, spec_for
from scorer.api import (
    AgentTrace,
    Direction,
    Measurement,
    MetricSpec,
    Mode,
    Range,
    Score,
    Threshold,
    Unscored,
)

_NAME = "composite"
_MAX_NAMED = 3
_DEFAULT_KINDS = frozenset({"quality", "operational", "privacy"})
# One says 1 minus what the other says: together they would count one thing twice.
_COMPLEMENTS = {"hallucination_rate": "faithfulness"}
_LATER = "it is scored after all others, from accounts"
_UNUSABLE = "it has no bounded range with a better end, so it cannot be averaged"


class Composite:
    """Weighted mean of scores, each mapped to 0 (worst) to 1 (best) by its range and direction.

    `children` names the metrics; without it, every scored trace metric of kind quality,
    operational or privacy with range 0 to 1 counts, but hallucination_rate only where there is
    no faithfulness, of which it is the complement. `weights` (default 1) is keyed by metric.
    A child that failed or does not apply is left out and listed in the detail, unless
    `require_all`: then there is no value. Documented: AgentUnit's plain mean of the values as
    they are, 0 without any; `metrics` are the AgentUnit metrics that `evaluate` runs.

    Raises:
        ValueError: a weight is negative, or a named child cannot be averaged.
    """

    name = _NAME
    spec = MetricSpec(
        name=_NAME,
        kind="quality",
        description="Weighted mean of the other scores of the trace.",
        system="AgentUnit",
        documented="plain mean of the values as they are; 0 without any",
        inputs="other scores of the trace",
        default_threshold=Threshold(min=0.7),
        threshold_reason="with the default children, several of them are then at their own limit",
    )

    def __init__(
        self,
        *,
        mode: Mode = "beyond",
        children: Sequence[str] = (),
        weights: Mapping[str, float] | None = None,
        require_all: bool = False,
        metrics: Sequence[Any] = (),
    ) -> None:
        self._documented = mode == "documented"
        self._children = tuple(children)
        self._weights = dict(weights or {})
        self._require_all = require_all
        self._metrics = tuple(metrics)
        self.spec = spec_for(self.spec, mode)
        for name, weight in self._weights.items():
            if not 0 <= weight < float("inf"):
                raise ValueError(f"weights.{name} must be a number of at least 0, not {weight!r}")
            if self._children and name not in self._children:
                raise ValueError(f"weights.{name}: it is none of the children")
        if _NAME in self._children:
            raise ValueError(f"children: {_NAME}: it cannot be a part of itself")
        if not self._documented:
            _refuse_unusable(self._children)

    def combine(self, trace: AgentTrace, scores: Sequence[Score]) -> Measurement | Unscored:  # noqa: ARG002 - the protocol's signature
        """Combine the primary outputs of the other metrics of the trace."""
        candidates = _candidates(scores, self._children)
        if self._documented:
            return _documented(candidates)
        if not self._children:
            candidates = _without_complements(candidates)
        failed = [name for name, score in candidates.items() if score.status == "failed"]
        missing = [name for name in self._children if not _is_scored(candidates.get(name))]
        refused = [name for name, score in candidates.items() if not _is_usable(score)]
        if self._children and refused:
            return Unscored("unbounded_child", status="failed", detail={"children": refused})
        if self._require_all and (missing or failed):
            return Unscored("child_missing", detail={"children": sorted({*missing, *failed})})
        used = {
            name: score
            for name, score in candidates.items()
            if _is_scored(score) and name not in refused and self._weight(name) > 0
        }
        if not used:
            return Unscored("no_usable_child", detail={"failed": failed, "missing": missing})
        return self._measured(used, failed, missing)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:
        """Compute AgentUnit's composite of `metrics`; whatever one raises passes through."""
        return CompositeMetric(self._metrics).evaluate(case, trace, outcome)

    def _weight(self, name: str) -> float:
        return self._weights.get(name, 1.0)

    def _measured(
        self, used: Mapping[str, Score], failed: Sequence[str], missing: Sequence[str]
    ) -> Measurement:
        parts = {name: _goodness(score) for name, score in used.items()}
        weights = {name: self._weight(name) for name in parts}
        value = sum([weights[name] * part for name, part in parts.items()]) / sum(weights.values())
        return Measurement(
            {"value": min(1.0, max(0.0, value))},
            explanation=_explain(parts),
            detail={
                "children": {
                    name: {"value": part, "weight": weights[name]} for name, part in parts.items()
                },
                "failed": list(failed),
                "missing": list(missing),
            },
        )


def _explain(parts: Mapping[str, float]) -> str:
    counted = f"{len(parts)} score{'s' * (len(parts) > 1)}"
    low = min(parts.values())
    if low == max(parts.values()):
        return f"{counted}, {'all' if len(parts) > 1 else 'which is'} {low:.4g}"
    lowest = [name for name, part in parts.items() if part == low]
    verb = "are" if len(lowest) > 1 else "is"
    return f"{counted}; the lowest {verb} {', '.join(lowest[:_MAX_NAMED])} ({low:.4g})"


def _refuse_unusable(children: Sequence[str]) -> None:
    """Refuse a named child, where it is installed, that has no bounded range or is made later."""
    if not children:
        return
    points = {point.name: point for point in entry_points(group="spanscore.metrics")}
    for name in children:
        if name in points:
            child = points[name].load()
            if hasattr(child, "entries"):
                raise ValueError(f"children: {name}: {_LATER}")
            output = child.spec.outputs[0]
            if not _is_bounded(output.range, output.direction):
                raise ValueError(f"children: {name}: {_UNUSABLE}")


def _is_bounded(bounds: Range | None, direction: Direction) -> bool:
    if bounds is None or direction == "none":
        return False
    low, high = bounds
    return low is not None and high is not None and low < high


def _candidates(scores: Sequence[Score], children: Sequence[str]) -> dict[str, Score]:
    """Return the first primary trace score of each metric that may be a child."""
    found: dict[str, Score] = {}
    for score in scores:
        if score.output != "value" or score.metric == _NAME or score.scope != "trace":
            continue
        default = score.kind in _DEFAULT_KINDS and score.range == (0.0, 1.0)
        if score.metric in children if children else default:
            found.setdefault(score.metric, score)
    return found


def _without_complements(candidates: Mapping[str, Score]) -> dict[str, Score]:
    return {
        name: score
        for name, score in candidates.items()
        if _COMPLEMENTS.get(name) not in candidates
    }


def _is_scored(score: Score | None) -> bool:
    return score is not None and score.status == "scored" and score.value is not None


def _is_usable(score: Score) -> bool:
    return _is_bounded(score.range, score.direction)


def _goodness(score: Score) -> float:
    """Map a score to 0 (worst) to 1 (best)."""
    assert score.value is not None
    low, high = score.range or (0.0, 1.0)
    assert low is not None
    assert high is not None
    share = (min(max(score.value, low), high) - low) / (high - low)
    return 1 - share if score.direction == "lower" else share


def _documented(candidates: Mapping[str, Score]) -> Measurement | Unscored:
    failed = [name for name, score in candidates.items() if score.status == "failed"]
    if failed:
        # In the original a child that raises takes the composite down.
        return Unscored("child_failed", status="failed", detail={"children": failed})
    values = {name: score.value for name, score in candidates.items()}
    return Measurement({"value": mean_or_zero(values.values())}, detail={"children": values})
