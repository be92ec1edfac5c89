"""swarm_intelligence: signs that a group of agents organises itself."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from metrics.agentunit import MetricResult, score_of, spec_for
from metrics.multiagent import team
from metrics.multiagent.emergence import (
    JOINT,
    EmergentBehaviorDetector,
    entropy,
    entropy_drop,
    speed_up,
)
from scorer.api import AgentTrace, Interaction, Measurement, MetricSpec, Mode, OutputSpec, Unscored

_WEIGHTS = {
    "self_organization": 0.30,
    "specialization": 0.25,
    "collective_decision": 0.25,
    "adaptation_rate": 0.20,
}
_ENOUGH = 20
_TO_ADAPT = 5


class SwarmIntelligence:
    """The weighted mean of four signs, over those for which the trace has data. Experimental.

    `self_organization`: how far the entropy of (sender, type) fell from the first half of the
    interactions to the second, 0.5 when it stayed. `specialization`: the information that sender
    and message type share, over the mean of their entropies; 0 when everybody sends the same.
    `collective_decision`: the share of collaborations and negotiations. `adaptation_rate`: how
    far response times fell, 0.5 when they stayed. Interactions count in order of start; below 20
    of them there is no value.

    Documented: AgentUnit's, in recorded order and from the first interaction on.
    """

    name = "swarm_intelligence"
    spec = MetricSpec(
        name="swarm_intelligence",
        kind="multiagent",
        description="Experimental: signs that the agents organise themselves over a run.",
        system="AgentUnit",
        documented="from one interaction on; specialisation is 1 when all send the same",
        inputs="two agents or more, and 20 interactions",
        outputs=(OutputSpec(), *(OutputSpec(name=name, required=False) for name in _WEIGHTS)),
        in_default=False,
    )

    def __init__(self, *, mode: Mode = "beyond") -> None:
        self._documented = mode == "documented"
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the signs and their weighted mean."""
        if self._documented:
            return score_of(self.evaluate(None, team.log_of(trace), None))
        members = team.team_of(trace)
        if isinstance(members, Unscored):
            return members
        told = members.told
        if len(told) < _ENOUGH:
            return Unscored("too_few_interactions", detail={"interactions": len(told)})
        found = {
            "self_organization": entropy_drop([(item.source, item.type) for item in told]),
            "specialization": _specialization(told),
            "collective_decision": fmean(item.type in JOINT for item in told),
            "adaptation_rate": _adaptation(told),
        }
        known = {name: share for name, share in found.items() if share is not None}
        weight = sum(_WEIGHTS[name] for name in known)
        value = sum(_WEIGHTS[name] * share for name, share in known.items()) / weight
        no_data = [name for name in _WEIGHTS if name not in known]
        detail = {"interactions": len(told), "no_data": no_data}
        return Measurement({"value": min(1.0, value), **known}, detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        interactions = getattr(trace, "interactions", None) or []
        if not interactions:
            return MetricResult(self.name, None, {"error": "no_interactions"})
        found = EmergentBehaviorDetector(interactions, getattr(trace, "agent_roles", None))
        detail = {
            "self_organization": found.detect_self_organization(),
            "specialization": found.detect_specialization(),
            "collective_decision": found.detect_collective_decision_making(),
            "adaptation_rate": found.detect_adaptation_rate(),
        }
        return MetricResult(self.name, found.calculate_swarm_intelligence(), detail)


def _specialization(told: Sequence[Interaction]) -> float | None:
    """Return the normalised mutual information, None where no message tells its type."""
    pairs = [(item.source, item.message_type) for item in told if item.message_type is not None]
    if not pairs:
        return None
    senders = entropy(Counter(sender for sender, _ in pairs).values())
    types = entropy(Counter(kind for _, kind in pairs).values())
    if not senders or not types:
        return 0.0
    shared = senders + types - entropy(Counter(pairs).values())
    return min(1.0, max(0.0, 2 * shared / (senders + types)))


def _adaptation(told: Sequence[Interaction]) -> float | None:
    times = [item.response_s for item in told if item.response_s]
    return speed_up(times) if len(times) >= _TO_ADAPT else None
