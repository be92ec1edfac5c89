"""Graph questions, answered by networkx.

It is imported when the first of these is asked for (or by `load`): importing it takes 0.1 s, and
most processes look at no graph.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from statistics import fmean
from typing import Any


@cache
def load() -> Any:
    """Return networkx."""
    import networkx as nx  # noqa: PLC0415 - see above

    return nx


def undirected(agents: Iterable[str], links: Iterable[tuple[str, str]]) -> Any:
    """Return the simple graph of the agents and of who is linked with whom, without loops."""
    graph = load().Graph()
    graph.add_nodes_from(agents)
    graph.add_edges_from((a, b) for a, b in links if a != b)
    return graph


def average_path_length(adjacency: Mapping[str, Iterable[str]]) -> float:
    """Return the mean number of steps over all pairs that can be reached, 0 without any."""
    graph = load().DiGraph()
    graph.add_edges_from((a, b) for a, targets in adjacency.items() for b in targets)
    steps = [
        length
        for source, lengths in load().all_pairs_shortest_path_length(graph)
        for target, length in lengths.items()
        if target != source
    ]
    return fmean(steps) if steps else 0.0


def single_points_of_failure(graph: Any) -> set[str]:
    """Return the agents without which the others are not connected with each other."""
    parts = load().number_connected_components(graph)
    if parts == 1:
        return set(load().articulation_points(graph))
    # Of two parts, one that is a single agent: without it the others are connected.
    return {agent for agent in graph if not (parts == 2 and graph.degree(agent) == 0)}


def edge_connectivity(graph: Any) -> int:
    """Return how many links must fail before some agents are cut off; 0 when some are."""
    return int(load().edge_connectivity(graph))
