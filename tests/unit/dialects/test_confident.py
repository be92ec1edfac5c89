import pytest


def test_a_run_is_read(span, view):
    """The trace is on the root, everything else on the spans."""
    root = {
        "confident.trace.input": "q",
        "confident.trace.output": "a",
        "confident.trace.thread_id": "t",
        "confident.trace.user_id": "u",
    }
    retriever = {
        "confident.span.type": "retriever",
        "confident.span.input": "q",
        "confident.span.retrieval_context": ["d1", "d2"],
    }
    model = {
        "confident.span.type": "llm",
        "confident.span.input": '[{"role": "user", "content": "q"}]',
        "confident.span.output": "a",
        "confident.llm.model": "m",
        "confident.llm.input_token_count": 10,
        "confident.llm.output_token_count": 5,
        "confident.llm.cost_per_input_token": 0.01,
        "confident.llm.cost_per_output_token": 0.02,
    }
    tool = {
        "confident.span.type": "tool",
        "confident.tool.name": "f",
        "confident.span.input": '{"a": 1}',
        "confident.span.output": "r",
    }
    agent = {"confident.span.type": "agent", "confident.agent.name": "helper"}
    seen = view(
        span("1", root),
        span("2", agent, parent="1"),
        span("3", retriever, parent="2"),
        span("4", tool, parent="2"),
        span("5", model, parent="2"),
    )
    assert (seen.question, seen.answer, seen.agent) == ("q", "a", "helper")
    assert [document.text for document in seen.contexts] == ["d1", "d2"]
    assert (seen.usage.input, seen.usage.output, seen.models) == (10, 5, ("m",))
    assert seen.cost_usd == pytest.approx(0.2)
    assert (seen.session_id, seen.user_id) == ("t", "u")
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("f", {"a": 1}, "r")


def test_agents_that_may_be_handed_to_are_no_handoffs(span, view):
    """The list of an agent's handoffs is what it may do."""
    agent = {
        "confident.span.type": "agent",
        "confident.agent.name": "a",
        "confident.agent.agent_handoffs": ["b"],
    }
    assert view(span("1", agent)).handoffs == ()


def test_what_is_broken_says_nothing(span, view):
    """An unknown type has no role, a count that is none is none."""
    attributes = {"confident.span.type": "new", "confident.llm.input_token_count": "many"}
    seen = view(span("1", attributes))
    assert (seen.usage, seen.is_agent) == (None, False)
