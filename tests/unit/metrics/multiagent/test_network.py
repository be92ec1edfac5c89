import pytest

from metrics.multiagent.network import NetworkAnalyzer

MESH = NetworkAnalyzer({"a": "bc", "b": "ac", "c": "ab"}, "abc")
STAR = NetworkAnalyzer({"a": "bcd", "b": "a", "c": "a", "d": "a"}, "abcd")


def test_a_full_mesh_by_hand():
    """All 6 links; every agent is as busy as the busiest, so every one is a bottleneck."""
    assert (MESH.calculate_density(), MESH.calculate_centralization()) == (1.0, 0.0)
    assert MESH.calculate_clustering() == 1.0
    assert MESH.find_hub_agents() == MESH.find_bottleneck_agents() == ["a", "b", "c"]
    assert MESH.calculate_fault_tolerance() == pytest.approx(0.6)


def test_a_star_by_hand():
    """6 of 12 links; out-degrees 3, 1, 1, 1: (2 + 2 + 2) / (3 * 2); one bottleneck of four."""
    assert (STAR.calculate_density(), STAR.calculate_centralization()) == (0.5, 1.0)
    assert STAR.calculate_clustering() == 0.0
    assert STAR.find_hub_agents() == STAR.find_bottleneck_agents() == ["a"]
    assert STAR.calculate_fault_tolerance() == pytest.approx(0.6 * 0.5 + 0.4 * 3 / 4)


def test_a_hub_is_relative_to_the_largest_out_degree():
    """1 of 3 is enough for a threshold of 0.3."""
    assert STAR.find_hub_agents(threshold=0.3) == ["a", "b", "c", "d"]


def test_small_and_silent_networks():
    """One agent has density 1; below three there is no centralization and no bottleneck."""
    assert NetworkAnalyzer({}, ["a"]).calculate_density() == 1.0
    assert NetworkAnalyzer({}, []).calculate_fault_tolerance() == 1.0
    pair = NetworkAnalyzer({"a": "b", "b": "a"}, "ab")
    assert (pair.calculate_centralization(), pair.calculate_clustering()) == (0.0, 0.0)
    assert pair.find_bottleneck_agents() == []
    silent = NetworkAnalyzer({}, "abc")
    assert (silent.find_hub_agents(), silent.find_bottleneck_agents()) == ([], [])


def test_senders_outside_the_roster_count_in_the_density():
    """So it may exceed 1: 3 links over 2 * 1."""
    assert NetworkAnalyzer({"x": "abc"}, "ab").calculate_density() == 1.5


def test_what_an_agent_tells_itself_links_no_neighbours():
    """Of the six ordered pairs around a, a -> b and a -> c are links, and b -> b is no pair."""
    network = NetworkAnalyzer({"a": "abc", "b": "b"}, "abc")
    assert network.calculate_clustering() == pytest.approx(2 / 6 / 3)
