import pytest

from metrics.multiagent.coordination_efficiency import CoordinationEfficiency
from scorer.api import Agent, AgentTrace, Conflict, Handoff, Interaction, Unscored


def says(source, *targets, **more):
    return Interaction(source=source, targets=targets, **more)


def trace(*interactions, agents=(), **more):
    named = tuple(a if isinstance(a, Agent) else Agent(a) for a in agents)
    return AgentTrace(trace_id="t", interactions=interactions, agents=named, **more)


def score(*interactions, options=None, **more):
    return CoordinationEfficiency(**(options or {})).score(trace(*interactions, **more))


def test_every_component_by_hand():
    """All five have data, so the weights are those of the original."""
    result = score(
        says("a", "b", type="delegation", success=True, response_s=10.0),
        says("a", "c", type="handoff", success=False),
        says("b", "a", type="response", success=True),
        says("a", "b", success=True),
        agents=(Agent("a", can_delegate=True), Agent("b", authority_level=2.0), "c", "d"),
        conflicts=(Conflict(resolved=True), Conflict(resolved=False), Conflict()),
    )
    # handoffs 1 of 2; conflicts 1 of 2 known; talk .5 * 3/4 + .3 * 5/10 + .2 * (4/3)/2 = .6583;
    # roles 1 of 2; activity a 4, b 3, c 1, d 0: mean 2, deviation sqrt(2.5)
    talk = 0.5 * 0.75 + 0.3 * 0.5 + 0.2 * (4 / 3) / 2
    load = 1 - 2.5**0.5 / 2
    assert result.values == pytest.approx(
        {
            "value": 0.25 * 0.5 + 0.20 * 0.5 + 0.25 * talk + 0.15 * 0.5 + 0.15 * load,
            "handoff_success_rate": 0.5,
            "conflict_resolution_rate": 0.5,
            "communication_efficiency": talk,
            "role_adherence": 0.5,
            "load_balance_score": load,
        }
    )
    assert result.detail == {"agents": 4, "interactions": 4, "no_data": []}


def test_what_the_trace_cannot_tell_is_left_out_not_perfect():
    """One message of unknown outcome: only the load is known, with idle agents in it."""
    result = score(says("a", "b"), agents="abcd")
    # activity 1, 1, 0, 0: mean and deviation 1/2
    assert result.values == {"value": 0.0, "load_balance_score": 0.0}
    assert result.detail["no_data"] == [
        "handoff_success_rate",
        "conflict_resolution_rate",
        "communication_efficiency",
        "role_adherence",
    ]


def test_a_handoff_without_an_interaction_counts_as_one():
    """Its outcome is unknown; its load is not."""
    result = score(agents="ab", handoffs=(Handoff("a", "b"), Handoff(None, "b")))
    assert result.values == {"value": 1.0, "load_balance_score": 1.0}
    assert result.detail["interactions"] == 1


@pytest.mark.parametrize(
    ("sender", "kind", "share"),
    [
        (Agent("a", can_delegate=False), "delegation", 0.0),
        (Agent("a", can_delegate=True), "delegation", 1.0),
        (Agent("a", authority_level=9.0), "delegation", None),
        (Agent("a", authority_level=4.9), "response", 0.0),
        (Agent("a", authority_level=5.0), "response", 1.0),
        (Agent("a", can_delegate=True), "response", None),
        (Agent("a", can_delegate=True, authority_level=1.0), "request", None),
    ],
)
def test_a_role_is_judged_only_by_what_it_declares(sender, kind, share):
    """No default authority, no default permission."""
    result = score(says("a", "b", type=kind), agents=(sender, "b"))
    assert result.values.get("role_adherence") == share


def test_the_response_target_is_an_option():
    """10 s on average: 1/2 of a target of 5 s, all of one of 10 s."""
    message = says("a", "b", response_s=10.0)
    assert score(message).values["communication_efficiency"] == 0.5
    options = {"response_target_s": 10}
    assert score(message, options=options).values["communication_efficiency"] == 1.0
    with pytest.raises(ValueError, match="response_target_s must be above 0"):
        CoordinationEfficiency(response_target_s=0)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (trace(), "fewer_than_two_agents"),
        (trace(agents="a"), "fewer_than_two_agents"),
        (trace(says("a", "a")), "fewer_than_two_agents"),
        (trace(agents="ab"), "no_interactions"),
        (trace(says("a", "a"), agents="ab"), "no_interactions"),
    ],
)
def test_without_a_team_that_talks_there_is_no_value(given, reason):
    """Never 0, never 1."""
    assert CoordinationEfficiency().score(given) == Unscored(reason)


def test_documented_mode_takes_what_is_absent_for_perfect():
    """The original on a live trace: 1 for one message, no value without any."""
    metric = CoordinationEfficiency(mode="documented")
    assert metric.score(trace(says("a", "b"), agents="abcd")).values == {"value": 1.0}
    assert metric.score(trace()).reason == "not_measurable"
    assert metric.score(trace()).detail == {"error": "no_interactions"}


@pytest.mark.parametrize("mode", ["beyond", "documented"])
def test_the_longest_times_there_are_have_a_mean(mode):
    """Their sum is no number, but the agents are slow, not unknown: promptness is 0."""
    slow = says("a", "b", response_s=1.7e308, success=True)
    metric = CoordinationEfficiency(mode=mode)
    assert 0 < metric.score(trace(slow, slow)).values["value"] < 1


def test_documented_mode_counts_what_agents_tell_themselves():
    """As the original does; by the better definition nothing passes between agents."""
    alone = trace(says("a", "a"), agents="a")
    assert CoordinationEfficiency(mode="documented").score(alone).values == {"value": 1.0}
