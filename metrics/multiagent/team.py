"""The agents of a trace and what passed between them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from metrics.privacy.masking import quoted
from scorer.api import Agent, AgentTrace, Interaction, Unscored

_MAX_NAME = 64
_MAX_NAMES = 20
HANDOFFS = frozenset({"handoff", "delegation"})


class Team(NamedTuple):
    """The names of the agents of a trace, two at least, and what passed between them."""

    agents: list[str]
    told: list[Interaction]


def team_of(trace: AgentTrace) -> Team | Unscored:
    """Return the agents of a trace and their interactions, or why there is nothing to score."""
    told = interactions_of(trace)
    agents = roster(trace, told)
    if len(agents) < 2:
        return Unscored("fewer_than_two_agents")
    return Team(agents, told) if told else Unscored("no_interactions")


def interactions_of(trace: AgentTrace) -> list[Interaction]:
    """Return the interactions by start time, with the handoffs that they leave out.

    What goes to no other agent (an agent that addresses itself) is left out.
    """
    told = [item for item in trace.interactions if any(t != item.source for t in item.targets)]
    return _with_handoffs(told, trace)


def _with_handoffs(told: Sequence[Interaction], trace: AgentTrace) -> list[Interaction]:
    known = {(item.source, target) for item in told for target in item.targets}
    passed = [
        Interaction(source=handoff.source, targets=(handoff.target,), type="handoff")
        for handoff in trace.handoffs
        if handoff.source is not None
        and handoff.target is not None
        and handoff.source != handoff.target
        and (handoff.source, handoff.target) not in known
    ]
    return sorted([*told, *passed], key=lambda item: item.start_ns)


def roster(trace: AgentTrace, interactions: Sequence[Interaction]) -> list[str]:
    """Return the declared agents, then those that only appear in interactions."""
    seen = dict.fromkeys(agent.name for agent in trace.agents)
    for item in interactions:
        seen.update(dict.fromkeys((item.source, *item.targets)))
    return list(seen)


def log_of(trace: AgentTrace) -> SimpleNamespace:
    """Return the trace as AgentUnit's metrics read it, with what agents tell themselves."""
    told = _with_handoffs(trace.interactions, trace)
    return SimpleNamespace(
        interactions=[_interaction(item) for item in told],
        handoffs=[
            _without_none(success=item.success, handoff_time=item.response_s)
            for item in told
            if item.type in HANDOFFS
        ],
        conflicts=[
            _without_none(resolved=item.resolved, resolution_time=item.resolution_s)
            for item in trace.conflicts
        ],
        agent_roles={agent.name: _role(agent) for agent in trace.agents},
    )


def shown(names: Sequence[str]) -> list[str]:
    """Return names for the detail of a score: masked, cut, and not too many."""
    return [quoted(name, _MAX_NAME) for name in names[:_MAX_NAMES]]


def _interaction(item: Interaction) -> dict[str, Any]:
    return _without_none(
        from_agent=item.source,
        to_agent=list(item.targets),
        interaction_type=item.type,
        message_type=item.message_type,
        success=item.success,
        response_time=item.response_s,
    )


def _role(agent: Agent) -> dict[str, Any]:
    return _without_none(authority_level=agent.authority_level, can_delegate=agent.can_delegate)


def _without_none(**fields: Any) -> dict[str, Any]:
    """Return the fields that were captured; the original has its own defaults for the others."""
    return {name: value for name, value in fields.items() if value is not None}
