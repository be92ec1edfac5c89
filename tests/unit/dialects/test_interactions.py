from scorer.model.agent_trace import Agent, Conflict, Interaction

CHAT = {"gen_ai.operation.name": "chat"}


def agent(name, **more):
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, **more}


def team(span, *, status=0, events=(), inside=True):
    """Two agents that both call a model, the second inside the first or beside it."""
    return (
        span("1", agent("boss"), start=1, end=90, events=events),
        span("2", CHAT, parent="1"),
        span("3", agent("clerk"), parent="1" if inside else "", start=10, end=40, status=status),
        span("4", CHAT, parent="3"),
    )


def test_an_agent_that_runs_inside_another_was_delegated_to(span, view):
    """The delegation took as long as the run."""
    (found,) = view(*team(span)).interactions
    assert found == Interaction(
        source="boss",
        targets=("clerk",),
        type="delegation",
        success=True,
        response_s=0.03,
        start_ns=10_000_000,
    )


def test_a_delegation_fails_with_the_run(span, view):
    """By the status of the span of the agent."""
    (found,) = view(*team(span, status=2)).interactions
    assert found.success is False


def test_a_handoff_goes_as_the_agent_that_took_over(span, view):
    """A run beside that of the giver; without a run nothing says how it went."""
    passing = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "transfer_to_clerk"}
    call = span("5", passing, parent="1", start=5)
    (found,) = view(*team(span, inside=False), call).interactions
    assert (found.type, found.source, found.targets, found.success) == (
        "handoff",
        "boss",
        ("clerk",),
        True,
    )
    (found,) = view(*team(span, status=2, inside=False), call).interactions
    assert found.success is False
    nobody = {**passing, "gen_ai.tool.name": "transfer_to_sales_agent"}
    (found,) = view(*team(span, inside=False), span("5", nobody, parent="1")).interactions
    assert (found.targets, found.success) == (("sales_agent",), None)


def test_one_act_counts_once(span, view):
    """A call that transfers and the run inside it are one delegation."""
    passing = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "transfer_to_clerk"}
    found = view(*team(span), span("5", passing, parent="1", start=5)).interactions
    assert [item.type for item in found] == ["delegation"]


def test_events_tell_interactions(span, view):
    """The sender is the agent of the span unless said; what they tell is not derived again."""
    told = {"to": ["Clerk", "auditor"], "type": "Delegation", "message_type": "price"}
    outcome = {"success": "false", "response_time": 1.5}
    events = [("spanscore.interaction", {**told, **outcome})]
    assert view(*team(span, events=events)).interactions == (
        Interaction(
            source="boss",
            targets=("clerk", "auditor"),
            type="delegation",
            message_type="price",
            success=False,
            response_s=1.5,
        ),
    )


def test_other_talk_does_not_stand_for_the_run(span, view):
    """Two agents may negotiate and one run the other."""
    events = [("spanscore.interaction", {"to": "clerk", "type": "negotiation"})]
    found = view(*team(span, events=events)).interactions
    assert [item.type for item in found] == ["negotiation", "delegation"]


def test_events_tell_handoffs_and_conflicts(span, view):
    """With their outcome and how long it took."""
    events = [
        ("spanscore.handoff", {"from": "clerk", "to": "boss", "success": True, "handoff_time": 2}),
        ("spanscore.conflict", {"agents": ["boss", "clerk"], "resolved": True}),
        ("spanscore.conflict", {"resolution_time": 3.0}),
    ]
    result = view(*team(span, inside=False, events=events))
    assert result.interactions == (
        Interaction(
            source="clerk", targets=("boss",), type="handoff", success=True, response_s=2.0
        ),
    )
    assert result.conflicts == (
        Conflict(agents=("boss", "clerk"), resolved=True),
        Conflict(resolution_s=3.0),
    )


def test_an_event_without_a_recipient_tells_nothing(span, view):
    """Nor one with values of odd types."""
    events = [
        ("spanscore.interaction", {}),
        ("spanscore.interaction", {"to": 7}),
        ("spanscore.interaction", {"to": "boss", "success": 3, "response_time": -1, "type": 5}),
    ]
    (found,) = view(*team(span, inside=False, events=events)).interactions
    assert found == Interaction(source="boss", targets=("boss",))


def test_an_agent_alone_has_no_interactions(span, view):
    """Nothing is made up."""
    result = view(span("1", agent("solo")), span("2", CHAT, parent="1"))
    assert (result.interactions, result.conflicts) == ((), ())


def test_a_role_is_told_on_the_span_of_the_agent(span, view):
    """Authority and whether it may delegate."""
    role = {"spanscore.agent.authority_level": 7, "spanscore.agent.can_delegate": True}
    result = view(span("1", agent("solo", **role)), span("2", CHAT, parent="1"))
    assert result.agents == (Agent("solo", None, 7.0, True),)
