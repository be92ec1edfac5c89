"""coordination_efficiency: how well the agents of a run worked together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from metrics.agentunit import MetricResult, score_of, spec_for
from metrics.multiagent import team
from metrics.multiagent.calculator import MultiAgentMetricsCalculator
from metrics.multiagent.interactions import activity, allows, balance, evenness, mean
from scorer.api import (
    Agent,
    AgentTrace,
    Conflict,
    Interaction,
    Measurement,
    MetricSpec,
    Mode,
    OutputSpec,
    Unscored,
)

_WEIGHTS = {
    "handoff_success_rate": 0.25,
    "conflict_resolution_rate": 0.20,
    "communication_efficiency": 0.25,
    "role_adherence": 0.15,
    "load_balance_score": 0.15,
}


class CoordinationEfficiency:
    """The weighted mean of five components, over those for which the trace has data.

    `handoff_success_rate`: handoffs and delegations that went well. `conflict_resolution_rate`:
    conflicts that were settled. `communication_efficiency`: 0.5 successful interactions, 0.3
    promptness (`response_target_s` over the mean response time, at most 1), 0.2 evenness of the
    pairs that talk. `role_adherence`: delegations and responses that the declared role of the
    sender allows. `load_balance_score`: 1 - deviation / mean of the activity of all agents, idle
    ones included. The weights of what the trace cannot tell go to the others.

    Documented: AgentUnit's, in which what is absent counts as perfect and idle agents do not
    count.

    Raises:
        ValueError: `response_target_s` is not above 0.
    """

    name = "coordination_efficiency"
    spec = MetricSpec(
        name="coordination_efficiency",
        kind="multiagent",
        description="How well the agents worked together: handoffs, conflicts, talk, roles, load.",
        system="AgentUnit",
        documented="what is absent counts as perfect; load over the agents that appeared",
        inputs="two agents or more, and what passes between them",
        outputs=(OutputSpec(), *(OutputSpec(name=name, required=False) for name in _WEIGHTS)),
        in_default=False,
    )

    def __init__(self, *, mode: Mode = "beyond", response_target_s: float = 5.0) -> None:
        if not response_target_s > 0:
            raise ValueError(f"response_target_s must be above 0, not {response_target_s!r}")
        self._documented = mode == "documented"
        self._target_s = float(response_target_s)
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the components and their weighted mean."""
        if self._documented:
            return score_of(self.evaluate(None, team.log_of(trace), None))
        found = team.team_of(trace)
        if isinstance(found, Unscored):
            return found
        agents, told = found
        known = self._components(trace, told, agents)
        weight = sum(_WEIGHTS[name] for name in known)
        value = sum(_WEIGHTS[name] * share for name, share in known.items()) / weight
        detail = {
            "agents": len(agents),
            "interactions": len(told),
            "no_data": [name for name in _WEIGHTS if name not in known],
        }
        return Measurement({"value": min(1.0, value), **known}, detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        interactions = getattr(trace, "interactions", None) or []
        if not interactions:
            return MetricResult(self.name, None, {"error": "no_interactions"})
        found = MultiAgentMetricsCalculator(
            interactions,
            getattr(trace, "handoffs", None) or [],
            getattr(trace, "conflicts", None) or [],
            getattr(trace, "agent_roles", None) or {},
        ).calculate_coordination_metrics()
        detail = {name: getattr(found, name) for name in _WEIGHTS}
        return MetricResult(self.name, sum(_WEIGHTS[n] * detail[n] for n in _WEIGHTS), detail)

    def _components(
        self, trace: AgentTrace, told: Sequence[Interaction], agents: Sequence[str]
    ) -> dict[str, float]:
        """Return the components that the trace tells, at least the load balance."""
        by_name = {agent.name: agent for agent in trace.agents}
        found = {
            "handoff_success_rate": _success([i for i in told if i.type in team.HANDOFFS]),
            "conflict_resolution_rate": _resolved(trace.conflicts),
            "communication_efficiency": self._communication(told),
            "role_adherence": _adherence(told, by_name),
            "load_balance_score": _load(told, agents),
        }
        return {name: share for name, share in found.items() if share is not None}

    def _communication(self, told: Sequence[Interaction]) -> float | None:
        times = [item.response_s for item in told if item.response_s]
        pairs = Counter((item.source, to) for item in told for to in item.targets)
        parts = (
            (0.5, _success(told)),
            (0.3, min(1.0, self._target_s / mean(times)) if times else None),
            (0.2, evenness(list(pairs.values())) if len(pairs) > 1 else None),
        )
        known = [(weight, share) for weight, share in parts if share is not None]
        if not known:
            return None
        return sum(weight * share for weight, share in known) / sum(weight for weight, _ in known)


def _success(told: Sequence[Interaction]) -> float | None:
    known = [item.success for item in told if item.success is not None]
    return fmean(known) if known else None


def _resolved(conflicts: Sequence[Conflict]) -> float | None:
    known = [item.resolved for item in conflicts if item.resolved is not None]
    return fmean(known) if known else None


def _adherence(told: Sequence[Interaction], by_name: Mapping[str, Agent]) -> float | None:
    judged = [
        allowed
        for item in told
        if item.source in by_name and (allowed := _allowed(item, by_name[item.source])) is not None
    ]
    return fmean(judged) if judged else None


def _allowed(item: Interaction, sender: Agent) -> bool | None:
    """Say whether the role of the sender allows it; None where its role does not tell."""
    if item.type == "delegation":
        return sender.can_delegate
    if item.type == "response" and sender.authority_level is not None:
        return allows(item.type, sender.authority_level, can_delegate=False)
    return None


def _load(told: Sequence[Interaction], agents: Sequence[str]) -> float:
    counts = activity((item.source, item.targets) for item in told)
    return balance([counts[agent] for agent in agents])
