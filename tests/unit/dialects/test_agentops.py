KIND = "agentops.span.kind"


def test_decorated_functions_are_read(span, view):
    """The session holds question and answer, its spans the agents and tools."""
    tool = {
        KIND: "tool",
        "operation.name": "weather",
        "agentops.tool.input": '{"args": [], "kwargs": {"city": "Oslo"}}',
    }
    seen = view(
        span(
            "1",
            {
                KIND: "session",
                "agentops.entity.input": '{"args": ["q"], "kwargs": {}}',
                "agentops.entity.output": "a",
            },
        ),
        span("2", {KIND: "agent", "operation.name": "helper"}, parent="1"),
        span("3", {**tool, "agentops.tool.output": "rain"}, parent="2"),
    )
    assert (seen.question, seen.answer) == ("q", "a")
    assert [agent.name for agent in seen.agents] == ["helper"]
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("weather", {"city": "Oslo"}, "rain")


def test_a_call_that_the_model_asked_for_is_no_run(span, view):
    """Its kind is written in another way."""
    asked = {KIND: "AgentOpsSpanKindValues.TOOL", "tool.name": "weather"}
    assert view(span("1", asked, name="tool_call.weather")).tool_calls is None


def test_a_failed_tool_is_an_error(span, view):
    """By its status; what is no text names nothing."""
    (call,) = view(
        span("1", {KIND: "tool", "operation.name": 1}, name="f.tool", status=2)
    ).tool_calls
    assert (call.name, call.status) == ("f", "error")
