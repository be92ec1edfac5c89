"""Invariants of the multi-agent metrics, over generated teams."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from metrics.multiagent import graphs
from metrics.multiagent.coordination_efficiency import CoordinationEfficiency
from metrics.multiagent.network_fault_tolerance import NetworkFaultTolerance
from metrics.multiagent.swarm_intelligence import SwarmIntelligence
from scorer.api import Agent, AgentTrace, Conflict, Interaction, Measurement

METRICS = (CoordinationEfficiency(), SwarmIntelligence(), NetworkFaultTolerance())
NAMES = "abcdef"
RENAMED = dict(zip(NAMES, ("zoe", "yan", "A", "b b", "0", "Ω"), strict=True))
NAME = st.sampled_from(NAMES)
SECONDS = st.none() | st.floats(0, 1e6)
INTERACTION = st.builds(
    Interaction,
    source=NAME,
    targets=st.lists(NAME, min_size=1, max_size=3).map(tuple),
    type=st.sampled_from(["request", "response", "delegation", "negotiation", "handoff"]),
    message_type=st.sampled_from([None, "x", "y"]),
    success=st.sampled_from([None, True, False]),
    response_s=SECONDS,
    start_ns=st.integers(0, 50),
)
AGENTS = st.lists(NAME, unique=True).map(
    lambda names: tuple(Agent(name, None, float(ord(name) % 10), name < "c") for name in names)
)
CONFLICTS = st.lists(st.builds(Conflict, resolved=st.sampled_from([None, True, False])), max_size=3)
TEAM = st.builds(
    AgentTrace,
    trace_id=st.just("t"),
    interactions=st.lists(INTERACTION, max_size=40).map(tuple),
    agents=AGENTS,
    conflicts=CONFLICTS.map(tuple),
)
LINKS = st.lists(st.tuples(NAME, NAME).filter(lambda pair: pair[0] != pair[1]), min_size=1)


@given(TEAM)
def test_every_output_is_a_share(team):
    """Whatever the team does."""
    for metric in METRICS:
        result = metric.score(team)
        if isinstance(result, Measurement):
            assert all(0 <= value <= 1 for value in result.values.values())


@given(TEAM)
def test_who_is_called_what_changes_no_value(team):
    """Agents are told apart by name, and nothing else is read from it."""
    renamed = replace(
        team,
        agents=tuple(replace(agent, name=RENAMED[agent.name]) for agent in team.agents),
        interactions=tuple(
            replace(
                item, source=RENAMED[item.source], targets=tuple(map(RENAMED.get, item.targets))
            )
            for item in team.interactions
        ),
    )
    for metric in METRICS:
        before, after = metric.score(team), metric.score(renamed)
        assert getattr(after, "values", None) == getattr(before, "values", None)


@given(LINKS, st.integers(0))
def test_a_link_less_never_raises_fault_tolerance(links, which):
    """Nor does it raise the edge connectivity."""
    less = links[: which % len(links)] + links[which % len(links) + 1 :]
    if not less:
        return
    full, reduced = fault_tolerance(links), fault_tolerance(less)
    assert reduced["value"] <= full["value"]
    assert reduced["edge_connectivity"] <= full["edge_connectivity"]


@given(LINKS, LINKS)
def test_more_single_points_of_failure_never_raise_fault_tolerance(some, others):
    """Of two teams of one size, the one with more of them scores less."""
    teams = [graphs.undirected(NAMES, links) for links in (some, others)]
    weak = [len(graphs.single_points_of_failure(team)) for team in teams]
    values = [fault_tolerance(links)["value"] for links in (some, others)]
    assert (weak[0] > weak[1]) == (values[0] < values[1])


@given(LINKS)
def test_a_point_of_failure_is_one_whose_removal_disconnects(links):
    """As found by taking each agent out in turn."""
    nx = graphs.load()
    graph = graphs.undirected(NAMES, links)
    rest = {name: graph.subgraph(set(NAMES) - {name}) for name in NAMES}
    expected = {name for name in NAMES if not nx.is_connected(rest[name])}
    assert graphs.single_points_of_failure(graph) == expected


def fault_tolerance(links):
    told = tuple(Interaction(source=a, targets=(b,)) for a, b in links)
    trace = AgentTrace(trace_id="t", interactions=told, agents=tuple(map(Agent, NAMES)))
    return NetworkFaultTolerance().score(trace).values
