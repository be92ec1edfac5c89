"""resource_utilization: is what a trace is given used, and not overused?"""

from collections.abc import Mapping
from typing import Any

from metrics.agentunit import MetricResult, documented_score, mean_or_zero, measured_of, spec_for
from metrics.sustainability.energy import not_negative
from metrics.sustainability.origin import coverage_of, source_of, told
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored

_MB_PER_GB = 1024
_LOW = 0.5  # of the target: less is waste
_HIGH = 1.2  # more is overload
_MAX_PERCENT = 1e6
_MAX_GB = 1e6


class ResourceUtilization:
    """The mean over the measured resources of how near each is to its target.

    With r = used / target a resource scores 1 from 0.5 to 1.2, r / 0.5 below, and 1 - (r - 1.2)
    above, at least 0. Processor, memory and GPU are what OTLP metrics of the agent's process say
    (`process.cpu.utilization`, `process.memory.usage`, `hw.gpu.utilization` and others), else what
    the spans or their resource report (`spanscore.cpu_percent`, `.memory_mb`, `.gpu_percent`); the
    others do not count, nor does one whose target is set to 0. `cpu`, `memory` and `gpu` are the
    scores of each. Documented: AgentUnit's definition, in which an unmeasured resource scores 0.
    """

    name = "resource_utilization"
    spec = MetricSpec(
        name="resource_utilization",
        kind="sustainability",
        description="Use of processor, memory and GPU against targets (1 = as meant).",
        system="AgentUnit",
        documented="what is not measured counts as unused; a step at 1.2 times the target",
        inputs="use of processor, memory or GPU (OTLP metrics or spans)",
        outputs=(
            OutputSpec(),
            OutputSpec(name="cpu", required=False),
            OutputSpec(name="memory", required=False),
            OutputSpec(name="gpu", required=False),
        ),
        in_default=False,
        uses_readings=True,
        version="2",
    )

    def __init__(
        self,
        *,
        mode: Mode = "beyond",
        target_cpu_percent: float = 80.0,
        target_memory_gb: float = 4.0,
        target_gpu_percent: float = 80.0,
    ) -> None:
        self._documented = mode == "documented"
        given = {
            "cpu": ("target_cpu_percent", target_cpu_percent),
            "memory": ("target_memory_gb", target_memory_gb),
            "gpu": ("target_gpu_percent", target_gpu_percent),
        }
        self._targets = {
            name: target if self._documented else not_negative(option, target)
            for name, (option, target) in given.items()
        }
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the mean over what was measured, and each resource."""
        if self._documented:
            return documented_score(self, trace)
        used = {name: _used(trace, name) for name, target in self._targets.items() if target}
        measured = {name: value for name, value in used.items() if value is not None}
        if not measured:
            return Unscored("no_resources")
        if not all(0 <= v <= _limit(name) for name, v in measured.items()):
            return Unscored("implausible_resources")
        values: dict[str, float | bool] = {
            name: _fitness(value / self._targets[name]) for name, value in measured.items()
        }
        detail = {
            name: {
                _named("used", name): value,
                _named("target", name): self._targets[name],
                "source": source_of(trace, _FIELDS[name]),
                **coverage_of(trace, _FIELDS[name]),
            }
            for name, value in measured.items()
        }
        mean = sum(map(float, values.values())) / len(values)
        sentences = [told(trace, _FIELDS[name], name) for name in measured]
        explanation = "; ".join(filter(None, sentences)) or None
        return Measurement({"value": mean, **values}, explanation=explanation, detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition.

        Raises:
            TypeError: a measured value is None or no number.
        """
        metadata = measured_of(trace)
        detail = {}
        for name, target in self._targets.items():
            used = _documented_used(metadata, name)
            detail[name] = {
                _named("used", name): used,
                _named("target", name): target,
                "score": _documented_fitness(used, target),
            }
        value = mean_or_zero([float(item["score"]) for item in detail.values()])
        return MetricResult(self.name, value, detail)


_FIELDS: Mapping[str, str] = {"cpu": "cpu_percent", "memory": "memory_mb", "gpu": "gpu_percent"}


def _named(what: str, resource: str) -> str:
    return f"{what}_gb" if resource == "memory" else f"{what}_percent"


def _limit(resource: str) -> float:
    return _MAX_GB if resource == "memory" else _MAX_PERCENT


def _used(trace: AgentTrace, resource: str) -> float | None:
    value: float | None = getattr(trace.resources, _FIELDS[resource])
    return value / _MB_PER_GB if value is not None and resource == "memory" else value


def _fitness(ratio: float) -> float:
    if ratio < _LOW:
        return ratio / _LOW
    return min(1.0, max(0.0, 1 - (ratio - _HIGH)))


def _documented_used(metadata: Mapping[str, Any], resource: str) -> Any:
    value = metadata.get(_FIELDS[resource], 0.0)
    return value / _MB_PER_GB if resource == "memory" else value


def _documented_fitness(used: float, target: float) -> float:
    if not target:
        return 1.0 if used == 0 else 0.0
    ratio = used / target
    if ratio > _HIGH:
        return max(0.0, 1 - (ratio - 1))
    return max(0.0, ratio / _LOW) if ratio < _LOW else 1.0
