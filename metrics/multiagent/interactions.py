"""AgentUnit's analysis of interactions: handoffs, conflicts, communication, load, roles."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import fmean, pstdev
from typing import Any

from metrics.multiagent import records

_TARGET_S = 5.0
_RESPONDS_FROM = 5.0  # the authority that a response takes


class InteractionAnalyzer:
    """Shares and times of recorded interactions; what was not recorded counts as perfect."""

    def __init__(
        self,
        interactions: Iterable[Any],
        handoffs: Iterable[Any] = (),
        conflicts: Iterable[Any] = (),
    ) -> None:
        self.interactions = records.sent(interactions)
        self.handoffs = records.passed(handoffs)
        self.conflicts = records.clashes(conflicts)

    def calculate_handoff_metrics(self) -> tuple[float, float]:
        """Return the share of successful handoffs and their mean time in seconds."""
        if not self.handoffs:
            return 1.0, 0.0
        rate = fmean(item.success for item in self.handoffs)
        return rate, mean([item.handoff_time for item in self.handoffs])

    def calculate_conflict_metrics(self) -> tuple[float, float, float]:
        """Return conflicts per 100 interactions, the share resolved, and the seconds it took."""
        rate = 100.0 * len(self.conflicts) / max(1, len(self.interactions))
        if not self.conflicts:
            return rate, 1.0, 0.0
        times = [item.resolution_time for item in self.conflicts if item.resolved]
        return rate, len(times) / len(self.conflicts), mean(times) if times else 0.0

    def calculate_communication_efficiency(self) -> float:
        """Return 0.5 success + 0.3 promptness (5 s is prompt) + 0.2 evenness of the pairs."""
        if not self.interactions:
            return 1.0
        success = fmean(item.success for item in self.interactions)
        times = [item.response_time for item in self.interactions if item.response_time > 0]
        prompt = min(1.0, _TARGET_S / mean(times)) if times else 1.0
        return 0.5 * success + 0.3 * prompt + 0.2 * evenness(self._pairs())

    def calculate_load_balance(self) -> float:
        """Return 1 - deviation / mean of the activity of the agents that appeared, at least 0."""
        return balance(list(activity((i.source, i.targets) for i in self.interactions).values()))

    def calculate_role_adherence(self, agent_roles: Mapping[str, Any]) -> float:
        """Return the share of interactions that the role of the sender allows."""
        known = records.roles(agent_roles)
        judged = [
            allows(item.type, known[item.source].authority_level, known[item.source].can_delegate)
            for item in self.interactions
            if item.source in known
        ]
        return fmean(judged) if judged else 1.0

    def _pairs(self) -> list[int]:
        pairs = Counter((item.source, to) for item in self.interactions for to in item.targets)
        return list(pairs.values())


def mean(times: Sequence[float]) -> float:
    """Return the mean of at least one number, also where their sum is beyond every float."""
    try:
        return fmean(times)
    except OverflowError:
        return fsum(time / len(times) for time in times)


def activity(messages: Iterable[tuple[str, Sequence[str]]]) -> Counter[str]:
    """Return how often each agent took part: once per recipient, for both sides."""
    found: Counter[str] = Counter()
    for source, targets in messages:
        for target in targets:
            found[source] += 1
            found[target] += 1
    return found


def allows(kind: str, authority: float, can_delegate: bool) -> bool:
    """Say whether a role may send an interaction of this type."""
    if kind == "delegation":
        return can_delegate
    return kind != "response" or authority >= _RESPONDS_FROM


def evenness(counts: Sequence[int]) -> float:
    """Return the mean count over the largest: 1 when no pair talks more than another."""
    return fmean(counts) / max(counts) if counts else 1.0


def balance(counts: Sequence[int]) -> float:
    """Return max(0, 1 - population deviation / mean), 1 where nothing was counted."""
    usual = fmean(counts) if counts else 0.0
    return max(0.0, 1.0 - pstdev(counts) / usual) if usual else 1.0
