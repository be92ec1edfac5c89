import pytest

from metrics.multiagent.graphs import (
    average_path_length,
    edge_connectivity,
    single_points_of_failure,
    undirected,
)


@pytest.mark.parametrize(
    ("agents", "links", "weak"),
    [
        ("abc", ("ab", "bc"), "b"),
        ("abc", ("ab", "bc", "ca"), ""),
        ("abc", ("ab",), "ab"),  # only without c are the others connected
        ("abcd", ("ab",), "abcd"),
        ("abcd", ("ab", "cd"), "abcd"),
        ("ab", ("ab",), ""),
    ],
)
def test_a_single_point_of_failure_parts_the_others(agents, links, weak):
    """In a graph of one part and of several."""
    graph = undirected(agents, [(link[0], link[1]) for link in links])
    assert single_points_of_failure(graph) == set(weak)


def test_loops_and_repetitions_are_no_links():
    """The graph is simple and has no direction."""
    graph = undirected("a", [("a", "a"), ("a", "b"), ("b", "a")])
    assert (graph.number_of_edges(), edge_connectivity(graph)) == (1, 1)
    assert edge_connectivity(undirected("abc", [("a", "b")])) == 0


def test_the_path_length_follows_the_direction():
    """a-b, b-c, a-c over 4 steps; unreachable pairs do not count."""
    assert average_path_length({"a": ["b"], "b": ["c"]}) == pytest.approx(4 / 3)
    assert average_path_length({}) == 0.0
