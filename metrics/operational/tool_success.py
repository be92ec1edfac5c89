"""tool_success: the share of tool calls that worked."""

import json
from collections.abc import Sequence
from typing import Any

from metrics.agentunit import MetricResult, documented_score, spec_for, tool_payloads
from metrics.operational.control_calls import is_control
from scorer.api import (
    AgentTrace,
    Measurement,
    MetricSpec,
    Mode,
    OutputSpec,
    Threshold,
    ToolCall,
    Unscored,
)

_MAX_TOOLS = 50
_MAX_NAME = 128
_MAX_ENVELOPE = 65_536


class ToolSuccess:
    """Successful tool calls / tool calls.

    A call failed when its span says so (status or `error.type`) or when its result is an error
    envelope: `isError` true, or a truthy `error` at the top level. A call that tells neither a
    status nor a result is left out and counted in the detail as `unknown`. So are, as
    `control`, calls by which a model steers the run instead of using a tool: handing over to an
    agent, giving the final answer. Documented: AgentUnit's share of the status text `success`,
    which falls back to the outcome's success when no tool was called.
    """

    name = "tool_success"
    spec = MetricSpec(
        name="tool_success",
        kind="operational",
        description="Share of tool calls that succeeded.",
        system="AgentUnit",
        documented="only the status `success` counts, or none; without calls 1 or 0 by the outcome",
        outputs=(
            OutputSpec(),
            OutputSpec(
                name="retried_then_succeeded",
                unit="{call}",
                range=(0.0, None),
                direction="none",
                required=False,
            ),
        ),
        needs=("tool_calls",),
        default_threshold=Threshold(min=0.9),
        threshold_reason="one failed call in ten is where retries start to dominate a run",
    )

    def __init__(self, *, mode: Mode = "beyond") -> None:
        self._documented = mode == "documented"
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share of successful calls; `retried_then_succeeded` if any failed."""
        if self._documented:
            return documented_score(self, trace)
        called = trace.tool_calls or ()
        tools = [call for call in called if not is_control(call, trace.handoffs)]
        if not tools:
            return Unscored("no_tool_calls")
        known = [call for call in tools if _is_known(call)]
        if not known:
            return Unscored("no_tool_outcome", detail={"unknown": len(tools)})
        left_out = {"unknown": len(tools) - len(known), "control": len(called) - len(tools)}
        return _measured(known, {name: count for name, count in left_out.items() if count})

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        calls = tool_payloads(trace)
        if calls:
            good = sum(call.get("status", "success") == "success" for call in calls)
            value = good / len(calls)
        else:
            value = 1.0 if getattr(outcome, "success", False) else 0.0
        return MetricResult(self.name, value, {"tool_calls": calls})


def _measured(known: Sequence[ToolCall], left_out: dict[str, int]) -> Measurement:
    calls = sorted(known, key=lambda call: call.start_ns or 0)
    failed = [_failed(call) for call in calls]
    values: dict[str, float | bool] = {"value": 1 - sum(failed) / len(calls)}
    if any(failed):
        values["retried_then_succeeded"] = float(_recovered(calls, failed))
    by_tool = _by_tool(calls, failed)
    return Measurement(
        values, explanation=_explain(by_tool), detail={"by_tool": by_tool, **left_out}
    )


def _is_known(call: ToolCall) -> bool:
    """Whether anything says how the call ended."""
    return call.status is not None or call.result is not None or bool(call.error_type)


def _failed(call: ToolCall) -> bool:
    return call.status == "error" or bool(call.error_type) or _is_error_envelope(call.result)


def _is_error_envelope(result: Any) -> bool:
    if isinstance(result, str):
        result = _parsed(result)
    if not isinstance(result, dict):
        return False
    flagged = result.get("isError") is True or result.get("is_error") is True
    return flagged or bool(result.get("error"))


def _parsed(text: str) -> Any:
    """Parse a result that came as JSON text; anything else cannot be an envelope."""
    if text.lstrip()[:1] != "{" or len(text) > _MAX_ENVELOPE or "rror" not in text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _recovered(calls: Sequence[ToolCall], failed: Sequence[bool]) -> int:
    """Count the failed calls after which the same tool succeeded."""
    recovered = 0
    succeeded_later: set[str] = set()
    for call, bad in zip(reversed(calls), reversed(failed), strict=True):
        if not bad:
            succeeded_later.add(call.name)
        elif call.name in succeeded_later:
            recovered += 1
    return recovered


def _by_tool(calls: Sequence[ToolCall], failed: Sequence[bool]) -> dict[str, dict[str, int]]:
    by_tool: dict[str, dict[str, int]] = {}
    for call, bad in zip(calls, failed, strict=True):
        name = call.name[:_MAX_NAME]
        if name not in by_tool and len(by_tool) >= _MAX_TOOLS:
            continue
        counts = by_tool.setdefault(name, {"calls": 0, "failed": 0})
        counts["calls"] += 1
        counts["failed"] += bad
    return by_tool


def _explain(by_tool: dict[str, dict[str, int]]) -> str | None:
    bad = [
        f"{name} failed {counts['failed']} of {counts['calls']}"
        for name, counts in by_tool.items()
        if counts["failed"]
    ]
    return "; ".join(bad[:5]) or None
