"""token_usage: how many tokens a trace used."""

from typing import Any

from metrics.agentunit import MetricResult, documented_score, metadata_of, spec_for
from metrics.operational.plausible import has_impossible_usage
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored, Usage

_PARTS = ("input", "output", "cache_read", "cache_write", "reasoning")
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def _output(name: str, *, required: bool = False) -> OutputSpec:
    return OutputSpec(
        name=name, unit="{token}", range=(0.0, None), direction="lower", required=required
    )


class TokenUsage:
    """Total tokens of the trace, and the parts that were captured.

    `input` includes cached tokens and `output` reasoning tokens, so the parts are no
    partition of the total. A negative count, or one of more than 10^9 in one call, leaves no
    value: it would drown every sum. Documented: AgentUnit's reading of prompt, completion and
    total.
    """

    name = "token_usage"
    spec = MetricSpec(
        name="token_usage",
        kind="operational",
        description="Tokens used by all model calls of the trace.",
        system="AgentUnit",
        documented="unknown is 0; reads prompt, completion and total only",
        outputs=(_output("value", required=True), *(_output(part) for part in _PARTS)),
        needs=("usage",),
    )

    def __init__(self, *, mode: Mode = "beyond") -> None:
        self._documented = mode == "documented"
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the total; a part that was not captured is left out."""
        if self._documented:
            return documented_score(self, trace)
        total = _total(trace.usage)
        if trace.usage is None or total is None:
            return Unscored("no_usage")
        if has_impossible_usage(trace):
            return Unscored("implausible_usage")
        values: dict[str, float | bool] = {"value": float(total)}
        for part in _PARTS:
            count = getattr(trace.usage, part)
            if count is not None:
                values[part] = float(count)
        return Measurement(values)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition.

        Raises:
            AttributeError: the trace's usage is None.
            TypeError: a count is None.
        """
        metadata = metadata_of(trace)
        if "usage" in metadata:
            usage = metadata["usage"]
            counts = {name: usage.get(name, 0) for name in _COUNTS}
        else:
            counts = _outcome_counts(getattr(outcome, "usage", None))
        prompt, completion, total = counts.values()
        if total == 0 and (prompt > 0 or completion > 0):
            counts["total_tokens"] = prompt + completion
        return MetricResult(self.name, float(counts["total_tokens"]), counts)


def _total(usage: Usage | None) -> int | None:
    if usage is None:
        return None
    if usage.total is not None:
        return usage.total
    parts = [part for part in (usage.input, usage.output) if part is not None]
    return sum(parts) if parts else None


def _outcome_counts(usage: Any) -> dict[str, Any]:
    if usage is None:
        return dict.fromkeys(_COUNTS, 0)
    if isinstance(usage, dict):
        return {name: usage.get(name, 0) for name in _COUNTS}
    return {name: getattr(usage, name, 0) for name in _COUNTS}
