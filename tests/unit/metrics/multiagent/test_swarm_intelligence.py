import pytest

from metrics.multiagent.swarm_intelligence import SwarmIntelligence
from scorer.api import Agent, AgentTrace, Interaction, Unscored


def talk(count=20, **fields):
    """a and b in turn; a field given as a function gets the number of the interaction."""
    return [
        Interaction(
            source="ab"[i % 2],
            targets=("ba"[i % 2],),
            start_ns=i + 1,
            **{name: field(i) if callable(field) else field for name, field in fields.items()},
        )
        for i in range(count)
    ]


def score(interactions, **more):
    trace = AgentTrace(trace_id="t", interactions=tuple(interactions), **more)
    return SwarmIntelligence().score(trace)


def test_a_steady_team_without_message_types_or_times():
    """Entropy stays: 0.5; nobody decides together: 0. So .3 * .5 / (.3 + .25)."""
    result = score(talk())
    assert result.values == pytest.approx(
        {"value": 0.15 / 0.55, "self_organization": 0.5, "collective_decision": 0.0}
    )
    assert result.detail == {"interactions": 20, "no_data": ["specialization", "adaptation_rate"]}


def test_specialisation_is_what_sender_and_message_type_share():
    """0 when all send the same or each sends everything; 1 when each has a type of its own."""
    own = score(talk(message_type=lambda i: "xy"[i % 2]))
    same = score(talk(message_type="x"))
    mixed = score(talk(message_type=lambda i: "xy"[i // 2 % 2]))
    found = [result.values["specialization"] for result in (own, same, mixed)]
    assert found == pytest.approx([1.0, 0.0, 0.0])


def test_adaptation_and_decisions_by_hand():
    """Times fall from 4 to 3 s: 0.5 + 1/4; 5 of 20 negotiate."""
    result = score(
        talk(
            type=lambda i: "negotiation" if i % 4 == 0 else "request",
            response_s=lambda i: 4.0 if i < 10 else 3.0,
        )
    )
    assert result.values["adaptation_rate"] == 0.75
    assert result.values["collective_decision"] == 0.25


def test_interactions_count_in_order_of_start():
    """Not in the order in which they are listed."""
    told = talk(response_s=lambda i: 4.0 if i < 10 else 2.0)
    assert score(reversed(told)) == score(told)
    assert score(told).values["adaptation_rate"] == 1.0


@pytest.mark.parametrize(
    ("interactions", "agents", "result"),
    [
        ([], "", Unscored("fewer_than_two_agents")),
        ([], "ab", Unscored("no_interactions")),
        (talk(19), "ab", Unscored("too_few_interactions", detail={"interactions": 19})),
    ],
)
def test_without_enough_talk_there_is_no_value(interactions, agents, result):
    """Twenty interactions are the least."""
    assert score(interactions, agents=tuple(map(Agent, agents))) == result


def test_documented_mode_scores_from_the_first_interaction():
    """The original on a live trace: 0.25 * 1 for one message type, 0.2 * 0.5 for no times."""
    trace = AgentTrace(trace_id="t", interactions=tuple(talk(2)))
    metric = SwarmIntelligence(mode="documented")
    assert metric.score(trace).values == pytest.approx({"value": 0.35})
    assert metric.score(AgentTrace(trace_id="t")).detail == {"error": "no_interactions"}
