from dataclasses import dataclass
from enum import Enum

import pytest

from metrics.multiagent import MultiAgentMetricsCalculator, NetworkMetrics


class Kind(Enum):
    COLLABORATION = "collaboration"


@dataclass
class Said:
    from_agent: str
    to_agent: str
    interaction_type: Kind = Kind.COLLABORATION


def test_it_reads_objects_as_well_as_maps():
    """With an enumeration for the type."""
    calculator = MultiAgentMetricsCalculator([Said("a", "b"), {"from_agent": "b", "to_agent": "c"}])
    assert calculator.calculate_emergent_behavior_metrics().collective_decision_score == 0.5


def test_the_path_length_is_the_mean_over_reachable_pairs():
    """a-b 1, b-c 1, a-c 2; nothing leads back."""
    told = [Said("a", "b"), Said("b", "c")]
    found = MultiAgentMetricsCalculator(told, agent_roles={"a": {}}).calculate_network_metrics()
    assert isinstance(found, NetworkMetrics)
    assert found.avg_path_length == pytest.approx(4 / 3)
    assert MultiAgentMetricsCalculator([]).calculate_network_metrics().avg_path_length == 0.0


def test_conflicts_are_counted_per_hundred_interactions():
    """Times only of those that were settled."""
    found = MultiAgentMetricsCalculator(
        [Said("a", "b")] * 4,
        conflicts=[{"resolved": True, "resolution_time": 2.0}, {"resolution_time": 9.0}],
    ).calculate_coordination_metrics()
    assert (found.conflict_rate, found.conflict_resolution_rate) == (50.0, 0.5)
    assert found.avg_resolution_time == 2.0
