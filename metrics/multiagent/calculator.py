"""AgentUnit's calculator: all multi-agent figures of a run at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from metrics.multiagent import graphs
from metrics.multiagent.emergence import EmergentBehaviorDetector
from metrics.multiagent.interactions import InteractionAnalyzer
from metrics.multiagent.network import NetworkAnalyzer


@dataclass(frozen=True, slots=True)
class CoordinationMetrics:
    """How the agents worked together; times in seconds, conflicts per 100 interactions."""

    handoff_success_rate: float
    avg_handoff_time: float
    conflict_rate: float
    conflict_resolution_rate: float
    avg_resolution_time: float
    communication_efficiency: float
    role_adherence: float
    load_balance_score: float


@dataclass(frozen=True, slots=True)
class NetworkMetrics:
    """Who addresses whom; `avg_path_length` is the mean over reachable pairs, 0 without any."""

    density: float
    centralization: float
    avg_path_length: float
    clustering_coefficient: float
    hub_agents: list[str]
    bottleneck_agents: list[str]


@dataclass(frozen=True, slots=True)
class EmergentBehaviorMetrics:
    """Signs of emergent behaviour, each 0 to 1."""

    self_organization_score: float
    specialization_emergence: float
    collective_decision_score: float
    adaptation_rate: float
    swarm_intelligence_score: float


class MultiAgentMetricsCalculator:
    """All figures from interactions, handoffs, conflicts and the roles by agent."""

    def __init__(
        self,
        interactions: Iterable[Any],
        handoffs: Iterable[Any] = (),
        conflicts: Iterable[Any] = (),
        agent_roles: Mapping[str, Any] | None = None,
    ) -> None:
        self._roles = dict(agent_roles or {})
        told = list(interactions)
        self._analyzer = InteractionAnalyzer(told, handoffs, conflicts)
        self._detector = EmergentBehaviorDetector(told, self._roles)
        adjacency: defaultdict[str, set[str]] = defaultdict(set)
        for item in self._analyzer.interactions:
            adjacency[item.source].update(item.targets)
        self.network = NetworkAnalyzer(adjacency, self._roles)

    def calculate_coordination_metrics(self) -> CoordinationMetrics:
        """Return how the agents worked together."""
        success, handoff_s = self._analyzer.calculate_handoff_metrics()
        rate, resolved, resolution_s = self._analyzer.calculate_conflict_metrics()
        return CoordinationMetrics(
            handoff_success_rate=success,
            avg_handoff_time=handoff_s,
            conflict_rate=rate,
            conflict_resolution_rate=resolved,
            avg_resolution_time=resolution_s,
            communication_efficiency=self._analyzer.calculate_communication_efficiency(),
            role_adherence=self._analyzer.calculate_role_adherence(self._roles),
            load_balance_score=self._analyzer.calculate_load_balance(),
        )

    def calculate_network_metrics(self) -> NetworkMetrics:
        """Return the figures of the network of agents."""
        return NetworkMetrics(
            density=self.network.calculate_density(),
            centralization=self.network.calculate_centralization(),
            avg_path_length=graphs.average_path_length(self.network.adjacency),
            clustering_coefficient=self.network.calculate_clustering(),
            hub_agents=self.network.find_hub_agents(),
            bottleneck_agents=self.network.find_bottleneck_agents(),
        )

    def calculate_emergent_behavior_metrics(self) -> EmergentBehaviorMetrics:
        """Return the signs of emergent behaviour."""
        return EmergentBehaviorMetrics(
            self_organization_score=self._detector.detect_self_organization(),
            specialization_emergence=self._detector.detect_specialization(),
            collective_decision_score=self._detector.detect_collective_decision_making(),
            adaptation_rate=self._detector.detect_adaptation_rate(),
            swarm_intelligence_score=self._detector.calculate_swarm_intelligence(),
        )

    def calculate_all(self) -> dict[str, Any]:
        """Return all figures as plain data, by group, and the fault tolerance."""
        return {
            "coordination": asdict(self.calculate_coordination_metrics()),
            "network": asdict(self.calculate_network_metrics()),
            "emergent_behaviors": asdict(self.calculate_emergent_behavior_metrics()),
            "fault_tolerance": self.network.calculate_fault_tolerance(),
        }
