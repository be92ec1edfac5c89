"""AgentUnit's analysis of who addresses whom."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

_BOTTLENECK = 0.5


class NetworkAnalyzer:
    """Density, centralization, hubs and bottlenecks of a directed network of agents.

    `adjacency` maps a sender to those it addressed. `agents` is the roster: only its members are
    counted, yet whoever is addressed counts as an out-neighbour, so density may exceed 1.
    """

    def __init__(self, adjacency: Mapping[str, Iterable[str]], agents: Iterable[str]) -> None:
        self.adjacency = {source: set(targets) for source, targets in adjacency.items()}
        self.agents = list(dict.fromkeys(agents))

    def calculate_density(self) -> float:
        """Return the links over all links that the roster could have; 1 for one agent."""
        n = len(self.agents)
        if n <= 1:
            return 1.0
        return sum(map(len, self.adjacency.values())) / (n * (n - 1))

    def calculate_centralization(self) -> float:
        """Return how far the out-degrees fall behind the largest; 0 below three agents."""
        n = len(self.agents)
        if n <= 2:
            return 0.0
        degrees = [len(self._out(agent)) for agent in self.agents]
        return sum(max(degrees) - degree for degree in degrees) / ((n - 1) * (n - 2))

    def calculate_clustering(self) -> float:
        """Return the mean share of linked ordered pairs of neighbours; 0 below three agents."""
        if len(self.agents) <= 2:
            return 0.0
        bits: dict[str, int] = {}
        for target in chain.from_iterable(self.adjacency.values()):
            bits.setdefault(target, 1 << len(bits))
        # As bits, for a team of 1,000 that all talk with each other has 10^9 such pairs.
        around = {a: sum(map(bits.__getitem__, out)) for a, out in self.adjacency.items()}
        shares = (self._linked_neighbours(agent, bits, around) for agent in self.agents)
        return sum(shares) / len(self.agents)

    def find_hub_agents(self, threshold: float = 0.7) -> list[str]:
        """Return the agents with at least `threshold` of the largest out-degree."""
        most = max((len(self._out(agent)) for agent in self.agents), default=0)
        if not most:
            return []
        return [agent for agent in self.agents if len(self._out(agent)) >= threshold * most]

    def find_bottleneck_agents(self) -> list[str]:
        """Return the agents with at least half of the largest in-degree x out-degree."""
        if len(self.agents) <= 2:
            return []
        received = Counter(target for agent in self.agents for target in self._out(agent))
        through = {agent: received[agent] * len(self._out(agent)) for agent in self.agents}
        most = max(through.values())
        return [a for a, b in through.items() if b >= _BOTTLENECK * most] if most else []

    def calculate_fault_tolerance(self) -> float:
        """Return 0.6 density + 0.4 share of agents that are no bottleneck; 1 for one agent."""
        n = len(self.agents)
        if n <= 1:
            return 1.0
        return 0.6 * self.calculate_density() + 0.4 * (1 - len(self.find_bottleneck_agents()) / n)

    def _out(self, agent: str) -> set[str]:
        return self.adjacency.get(agent, set())

    def _linked_neighbours(
        self, agent: str, bits: Mapping[str, int], around: Mapping[str, int]
    ) -> float:
        k = len(self._out(agent))
        if k <= 1:
            return 0.0
        mine = around[agent]
        linked = sum(
            (around.get(other, 0) & mine & ~bits[other]).bit_count() for other in self._out(agent)
        )
        return linked / (k * (k - 1))
