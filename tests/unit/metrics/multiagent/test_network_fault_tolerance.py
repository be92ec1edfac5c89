import pytest

from metrics.multiagent.network_fault_tolerance import NetworkFaultTolerance
from scorer.api import Agent, AgentTrace, Handoff, Interaction, Unscored


def team(links, agents="", **more):
    """`links` such as "ab bc": a addresses b, b addresses c."""
    told = tuple(Interaction(source=link[0], targets=tuple(link[1:])) for link in links.split())
    named = tuple(map(Agent, agents))
    return AgentTrace(trace_id="t", interactions=told, agents=named, **more)


@pytest.mark.parametrize(
    ("links", "agents", "value", "connectivity"),
    [
        ("ab", "", 1.0, 1.0),
        ("ab bc ca", "", 1.0, 1.0),  # a mesh of three: 2 links to cut of 2
        ("ab ac ad", "", 3 / 4, 1 / 3),  # a star: all depends on a
        ("ab ba ac ca ad da", "", 3 / 4, 1 / 3),  # both ways it is the same star
        ("abcd", "", 3 / 4, 1 / 3),  # a broadcast
        ("ab bc cd", "", 1 / 2, 1 / 3),  # a chain: b and c
        ("ab bc cd da", "", 1.0, 2 / 3),  # a ring
        ("ab aa", "c", 1 / 3, 0.0),  # c stands apart: only without it are the others connected
        ("ab cd", "", 0.0, 0.0),
        ("ab", "cd", 0.0, 0.0),
    ],
)
def test_it_is_the_share_of_agents_that_the_others_can_do_without(
    links, agents, value, connectivity
):
    """And how many links must fail, over n - 1."""
    result = NetworkFaultTolerance().score(team(links, agents))
    assert result.values == pytest.approx({"value": value, "edge_connectivity": connectivity})


def test_the_single_points_of_failure_are_named():
    """In the detail and in words."""
    result = NetworkFaultTolerance().score(team("ab bc cd"))
    assert result.detail == {"agents": 4, "links": 3, "single_points_of_failure": ["b", "c"]}
    assert result.explanation == "Without b, c others are cut off."
    assert NetworkFaultTolerance().score(team("ab bc ca")).explanation is None


def test_handoffs_are_links():
    """As the normalised view lists them."""
    trace = team("ab", handoffs=(Handoff("b", "c"), Handoff("a", "b")))
    assert NetworkFaultTolerance().score(trace).detail["links"] == 2


def test_a_large_team_gets_no_edge_connectivity():
    """It takes far longer than the rest; the bound is an option."""
    assert (
        "edge_connectivity"
        not in NetworkFaultTolerance(max_edge_agents=2).score(team("ab bc")).values
    )
    assert (
        "edge_connectivity" in NetworkFaultTolerance(max_edge_agents=3).score(team("ab bc")).values
    )
    with pytest.raises(ValueError, match="max_edge_agents must not be negative"):
        NetworkFaultTolerance(max_edge_agents=-1)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (team(""), "fewer_than_two_agents"),
        (team("aa"), "fewer_than_two_agents"),
        (team("", "ab"), "no_interactions"),
    ],
)
def test_without_a_team_that_talks_there_is_no_value(given, reason):
    """Never 0, never 1."""
    assert NetworkFaultTolerance().score(given) == Unscored(reason)


def test_documented_mode_may_exceed_one():
    """The original divides the links of all senders by those of the declared agents."""
    metric = NetworkFaultTolerance(mode="documented")
    assert metric.score(team("pqrs qprs", "ab")).values == pytest.approx({"value": 0.6 * 3 + 0.4})
    assert metric.spec.outputs[0].range == (0.0, None)
    assert metric.score(team("ab")).detail == {"error": "insufficient_network_data"}
