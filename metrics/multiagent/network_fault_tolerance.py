"""network_fault_tolerance: does the team hold together when one agent fails?"""

from typing import Any

from msgspec.structs import replace

from metrics.agentunit import MetricResult, score_of, spec_for
from metrics.multiagent import graphs, team
from metrics.multiagent.calculator import MultiAgentMetricsCalculator
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored


class NetworkFaultTolerance:
    """The share of agents whose failure leaves the others connected with each other.

    Agents are linked when one addressed the other; the roster and whoever appears count.
    `edge_connectivity` is how many links must fail before somebody is cut off, over the most that
    it could be; it is left out above `max_edge_agents` agents, since it takes far longer than the
    rest. Two agents that talk always score 1: without one, the other is all that is left.

    Documented: AgentUnit's, from density and relative bottlenecks; it may exceed 1.

    Raises:
        ValueError: `max_edge_agents` is negative.
    """

    name = "network_fault_tolerance"
    spec = MetricSpec(
        name="network_fault_tolerance",
        kind="multiagent",
        description="Share of agents whose failure leaves the other agents connected.",
        system="AgentUnit",
        documented="0.6 density + 0.4 share of agents that are no bottleneck; may exceed 1",
        inputs="two agents or more, and what passes between them",
        outputs=(OutputSpec(), OutputSpec(name="edge_connectivity", required=False)),
        in_default=False,
    )

    def __init__(self, *, mode: Mode = "beyond", max_edge_agents: int = 20) -> None:
        if max_edge_agents < 0:
            raise ValueError(f"max_edge_agents must not be negative, not {max_edge_agents!r}")
        self._documented = mode == "documented"
        self._max_edge_agents = max_edge_agents
        self.spec = spec_for(self.spec, mode)
        if self._documented:
            self.spec = replace(self.spec, outputs=(OutputSpec(range=(0.0, None)),))
        else:
            graphs.load()

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share; the detail names the single points of failure."""
        if self._documented:
            return score_of(self.evaluate(None, team.log_of(trace), None))
        found = team.team_of(trace)
        if isinstance(found, Unscored):
            return found
        agents, told = found
        links = ((item.source, target) for item in told for target in item.targets)
        graph = graphs.undirected(agents, links)
        weak = graphs.single_points_of_failure(graph)
        values: dict[str, float | bool] = {"value": 1 - len(weak) / len(agents)}
        if len(agents) <= self._max_edge_agents:
            values["edge_connectivity"] = graphs.edge_connectivity(graph) / (len(agents) - 1)
        named = team.shown([agent for agent in agents if agent in weak])
        detail = {
            "agents": len(agents),
            "links": graph.number_of_edges(),
            "single_points_of_failure": named,
        }
        explanation = f"Without {', '.join(named[:5])} others are cut off." if named else None
        return Measurement(values, explanation=explanation, detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        interactions = getattr(trace, "interactions", None) or []
        roles = getattr(trace, "agent_roles", None) or {}
        if not interactions or not roles:
            return MetricResult(self.name, None, {"error": "insufficient_network_data"})
        network = MultiAgentMetricsCalculator(interactions, agent_roles=roles).network
        detail = {
            "density": network.calculate_density(),
            "centralization": network.calculate_centralization(),
            "clustering": network.calculate_clustering(),
            "hub_agents": network.find_hub_agents(),
            "bottleneck_count": len(network.find_bottleneck_agents()),
        }
        return MetricResult(self.name, network.calculate_fault_tolerance(), detail)
