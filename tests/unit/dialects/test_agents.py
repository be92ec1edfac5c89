from scorer.model.agent_trace import Handoff

CHAT = {"gen_ai.operation.name": "chat"}
KIND = "openinference.span.kind"


def agent(name, **more):
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, **more}


def tool(name, arguments="{}"):
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": arguments,
    }


def names(view):
    return [agent.name for agent in view.agents]


def test_agents_are_listed_once_in_order(span, view):
    """A graph node and its compiled graph are the same agent."""
    result = view(span("1", agent("a")), span("2", agent("A"), parent="1"), span("3", agent("b")))
    assert names(result) == ["a", "b"]
    assert result.agent == "a"


def test_an_agent_without_a_name_is_named_by_its_span(span, view):
    """Frameworks decorate the name in their own ways."""
    for name in ("helper.run", "helper._execute_core", "agent_run [helper]", "invoke_agent helper"):
        assert names(view(span("1", {KIND: "AGENT"}, name=name))) == ["helper"]
    assert (
        names(view(span("1", {"gen_ai.operation.name": "invoke_agent"}, name="invoke_agent"))) == []
    )


def test_an_agent_that_only_runs_agents_is_a_workflow(span, view):
    """The graph around the agents asks no model itself."""
    result = view(
        span("1", agent("graph")), span("2", agent("a"), parent="1"), span("3", CHAT, parent="2")
    )
    assert names(result) == ["a"]
    assert result.handoffs == ()


def test_a_workflow_that_calls_models_and_tools_itself_is_an_agent(span, view):
    """Older LangGraph traces know no agents."""
    flow = {"traceloop.span.kind": "workflow", "traceloop.entity.name": "helper"}
    chat = {"llm.request.type": "chat"}
    act = {"traceloop.span.kind": "tool", "traceloop.entity.name": "f"}
    spans = (span("1", flow), span("2", chat, parent="1"))
    assert names(view(*spans, span("3", act, parent="1"))) == ["helper"]
    assert names(view(*spans)) == []


def test_a_name_on_a_model_span_is_no_agent(span, view):
    """SDKs put made-up agent names on every span."""
    assert names(view(span("1", {**CHAT, "gen_ai.agent.name": "SDK Agent"}))) == []


def test_a_handoff_span_names_both_or_the_next_agent_is_the_target(span, view):
    """Some know the target only later."""
    both = {"gen_ai.handoff.from_agent": "a", "gen_ai.handoff.to_agent": "b"}
    assert view(span("1", both)).handoffs == (Handoff("a", "b"),)
    half = {"gen_ai.operation.name": "handoff", "gen_ai.handoff.from_agent": "a"}
    result = view(span("1", agent("a")), span("2", half, parent="1"), span("3", agent("b")))
    assert result.handoffs == (Handoff("a", "b"),)


def test_a_transfer_tool_hands_over(span, view):
    """The target is in the name or in the arguments."""
    spans = (span("1", agent("a")), span("9", agent("Billing Agent")))
    for call in (
        tool("transfer_to_billing_agent"),
        tool("handoff", '{"to_agent": "billing agent"}'),
    ):
        result = view(*spans, span("2", call, parent="1"))
        assert result.handoffs == (Handoff("a", "Billing Agent"),)


def test_a_transfer_that_names_nobody_goes_to_the_agent_that_runs_next(span, view):
    """Arguments are not captured everywhere; `agent` in the name of the tool is no name."""
    spans = (span("1", agent("a")), span("9", agent("b")), span("a", agent("c")))
    for name in ("transfer_to_agent", "handoff"):
        result = view(*spans, span("2", tool(name), parent="1"))
        assert result.handoffs == (Handoff("a", "b"),)
        assert names(result) == ["a", "b", "c"]
    assert view(span("1", agent("a")), span("2", tool("handoff"), parent="1")).handoffs == ()


def test_a_transfer_of_something_else_is_no_handoff(span, view):
    """Banks transfer too."""
    call = tool("transfer_to_account", '{"amount": 5}')
    assert view(span("1", agent("a")), span("2", call, parent="1")).handoffs == ()


def test_an_agent_inside_a_tool_call_of_another_was_handed_over_to(span, view):
    """Delegation needs no marker."""
    result = view(
        span("1", agent("a")),
        span("2", tool("ask_expert"), parent="1"),
        span("3", agent("b"), parent="2"),
        span("4", CHAT, parent="3"),
    )
    assert result.handoffs == (Handoff("a", "b"),)


def test_agents_one_after_another_hand_over_nothing(span, view):
    """A pipeline is no delegation."""
    assert view(span("1", agent("a")), span("2", agent("b"))).handoffs == ()


def test_a_handoff_alone_makes_its_agents_known(span, view):
    """Without agent spans the source may stay unknown."""
    result = view(span("1", tool("handoff", '{"to_agent": "b"}')))
    assert result.handoffs == (Handoff(None, "b"),)
    assert names(result) == ["b"]


def test_a_step_of_a_library_is_no_agent(span, view):
    """Its name begins with that of the library, and there is no other."""
    crew = {"gen_ai.operation.name": "invoke_agent"}
    result = view(
        span("1", crew, name="crewai.workflow", scope="opentelemetry.instrumentation.crewai"),
        span("2", agent("writer"), parent="1", name="writer.agent"),
        span("3", CHAT, parent="2"),
    )
    assert (names(result), result.handoffs) == (["writer"], ())


def test_a_model_is_no_agent(span, view):
    """The run of an agent without a name is called after its model."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "m"}
    assert names(view(span("1", attributes, name="invoke_agent m"))) == []


def test_a_step_of_a_prebuilt_graph_is_no_agent(span, view):
    """Some take each node for one; a sole agent may be called so."""
    root, step = span("1", agent("helper")), span("2", agent("model"), parent="1")
    assert names(view(root, step)) == ["helper"]
    assert names(view(step)) == ["model"]
    working = span("3", CHAT, parent="1"), span("4", CHAT, parent="2")
    assert names(view(root, step, *working)) == ["helper", "model"]


def test_a_chain_that_speaks_in_its_name_is_an_agent(span, view):
    """LangGraph's agents sign their replies."""
    reply = '{"messages": [{"role": "assistant", "name": "helper", "content": "a"}]}'
    chain = {KIND: "CHAIN", "output.value": reply}
    assert names(view(span("1", chain, name="helper"))) == ["helper"]
    assert names(view(span("1", chain, name="other"))) == []
    assert names(view(span("1", {KIND: "CHAIN", "output.value": '"helper"'}, name="helper"))) == []


def test_who_hands_over_is_the_agent_that_ran_before(span, view):
    """The tool that hands over may run below none."""
    result = view(
        span("1", agent("a"), start=1),
        span("2", tool("transfer_to_b"), start=5),
        span("3", agent("b"), start=7),
    )
    assert result.handoffs == (Handoff("a", "b"),)


def test_the_name_of_a_library_may_be_written_otherwise(span, view):
    """Case and underscores aside; the model is known from the agent's span."""
    attributes = {KIND: "AGENT", "llm.model_name": "m", "input.value": "q"}
    scope = "openinference.instrumentation.claude_agent_sdk"
    result = view(span("1", attributes, name="ClaudeAgentSDK.query", scope=scope))
    assert (names(result), result.models, result.question) == ([], ("m",), "q")
