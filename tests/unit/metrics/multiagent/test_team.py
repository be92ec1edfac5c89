from metrics.multiagent.team import interactions_of, log_of, roster, shown
from scorer.api import Agent, AgentTrace, Conflict, Handoff, Interaction

EARLY = Interaction(source="b", targets=("c",), start_ns=1, message_type="plan", response_s=2.0)
LATE = Interaction(source="a", targets=("b",), type="handoff", success=False, start_ns=5)
TRACE = AgentTrace(
    trace_id="t",
    agents=(Agent("z", can_delegate=True), Agent("a")),
    interactions=(LATE, EARLY),
    handoffs=(Handoff("a", "b"), Handoff(None, "q"), Handoff("x", "x")),
    conflicts=(Conflict(resolved=True, resolution_s=4.0), Conflict()),
)


def test_interactions_come_by_start_and_each_handoff_once():
    """One that an interaction tells, has no giver or goes nowhere adds nothing."""
    assert interactions_of(TRACE) == [EARLY, LATE]


def test_the_roster_is_the_declared_agents_and_whoever_appears():
    """In a fixed order."""
    assert roster(TRACE, interactions_of(TRACE)) == ["z", "a", "b", "c"]


def test_the_log_holds_only_what_was_captured():
    """For the rest the original has its own defaults."""
    log = log_of(TRACE)
    assert log.interactions[0] == {
        "from_agent": "b",
        "to_agent": ["c"],
        "interaction_type": "request",
        "message_type": "plan",
        "response_time": 2.0,
    }
    assert log.handoffs == [{"success": False}]
    assert log.conflicts == [{"resolved": True, "resolution_time": 4.0}, {}]
    assert log.agent_roles == {"z": {"can_delegate": True}, "a": {}}


def test_names_are_masked_and_cut():
    """A name may hold anything."""
    assert shown(["ann@example.com"]) != ["ann@example.com"]
    assert len(shown(["x" * 1000])[0]) < 100
    assert len(shown(["x"] * 100)) == 20
