"""AgentUnit's signs of emergent behaviour."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log2
from statistics import fmean
from typing import Any

from metrics.multiagent import records
from metrics.multiagent.interactions import mean

JOINT = frozenset({"collaboration", "negotiation"})
_TO_ORGANISE = 10
_TO_ADAPT = 5


class EmergentBehaviorDetector:
    """Self-organisation, specialisation, collective decisions and adaptation, each 0 to 1.

    The order of the interactions is the order given; roles are accepted and not read.
    """

    def __init__(
        self, interactions: Iterable[Any], agent_roles: Mapping[str, Any] | None = None
    ) -> None:
        self.interactions = records.sent(interactions)
        self.agent_roles = dict(agent_roles or {})

    def detect_self_organization(self) -> float:
        """Return how far the entropy of (sender, type) fell; 0 below ten interactions."""
        if len(self.interactions) < _TO_ORGANISE:
            return 0.0
        return entropy_drop([(item.source, item.type) for item in self.interactions])

    def detect_specialization(self) -> float:
        """Return the mean concentration of the message types of each sender."""
        by_sender: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for item in self.interactions:
            by_sender[item.source][item.message_type] += 1
        return fmean(map(_concentration, by_sender.values())) if by_sender else 0.0

    def detect_collective_decision_making(self) -> float:
        """Return the share of collaborations and negotiations."""
        if not self.interactions:
            return 0.0
        return fmean(item.type in JOINT for item in self.interactions)

    def detect_adaptation_rate(self) -> float:
        """Return how far response times fell; 0.5 with fewer than five interactions or times."""
        times = [item.response_time for item in self.interactions if item.response_time > 0]
        return speed_up(times) if len(times) >= _TO_ADAPT else 0.5

    def calculate_swarm_intelligence(self) -> float:
        """Return 0.30, 0.25, 0.25 and 0.20 of the four in this order."""
        return (
            0.30 * self.detect_self_organization()
            + 0.25 * self.detect_specialization()
            + 0.25 * self.detect_collective_decision_making()
            + 0.20 * self.detect_adaptation_rate()
        )


def entropy_drop(keys: Sequence[Any]) -> float:
    """Return 0.5 + the relative fall of entropy from the first half to the second, in 0 to 1."""
    half = len(keys) // 2
    early = entropy(Counter(keys[:half]).values())
    return _relative_fall(early, entropy(Counter(keys[half:]).values()))


def speed_up(times: Sequence[float]) -> float:
    """Return 0.5 + the relative fall of the mean from the first half to the second, in 0 to 1."""
    half = len(times) // 2
    return _relative_fall(mean(times[:half]), mean(times[half:]))


def entropy(counts: Iterable[int]) -> float:
    """Return the entropy in bits of a distribution given as counts."""
    known = list(counts)
    total = sum(known)
    # Sorted, so that the order of what was counted cannot change the last digit.
    return -sum(n / total * log2(n / total) for n in sorted(known))


def _relative_fall(early: float, late: float) -> float:
    if early == 0:
        return 0.5
    return min(1.0, max(0.0, 0.5 + (early - late) / early))


def _concentration(counts: Counter[str]) -> float:
    total = counts.total()
    return sum((n / total) ** 2 for n in counts.values())
