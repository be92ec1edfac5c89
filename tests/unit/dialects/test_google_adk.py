import json

from scorer.dialects.google_adk import DIALECT
from scorer.model.agent_trace import Handoff, Message, Usage

PREFIX = "gcp.vertex.agent."


def exchange(contents, parts, count):
    """Return what ADK records of a model call."""
    request = {
        "model": "m",
        "config": {
            "system_instruction": "s",
            "tools": [{"function_declarations": [{"name": "f"}]}],
        },
        "contents": contents,
    }
    usage = {"prompt_token_count": count, "candidates_token_count": 2}
    answer = {"content": {"role": "model", "parts": parts}, "usage_metadata": usage}
    return {
        PREFIX + "llm_request": json.dumps(request),
        PREFIX + "llm_response": json.dumps(answer),
        PREFIX + "session_id": "s1",
    }


def spans_of(span, result):
    """Return the spans of an agent with a tool that gives this result."""
    user = {"role": "user", "parts": [{"text": "q"}]}
    call = {"function_call": {"id": "c1", "name": "f", "args": {"a": 1}}}
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "w"}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "f",
        "gen_ai.tool.call.id": "c1",
        PREFIX + "llm_request": "{}",
        PREFIX + "tool_call_args": '{"a": 1}',
        PREFIX + "tool_response": json.dumps(result),
    }
    inner = {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
    }
    return (
        span("1", name="invocation"),
        span("2", agent, parent="1"),
        span("3", exchange([user], [call], 5), parent="2", name="call_llm"),
        span("4", inner, parent="3"),
        span("5", tool, parent="2"),
        span("6", exchange([user], [{"text": "a"}], 7), parent="2", name="call_llm"),
    )


def test_a_run_is_read_as_a_whole(span, view):
    """`call_llm` and the span below it are one call."""
    result = view(*spans_of(span, {"result": "r"}))
    assert (result.question, result.answer, result.session_id) == ("q", "a", "s1")
    assert result.usage == Usage(12, 4, 16)
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")
    assert [tool.name for tool in result.tool_definitions] == ["f"]


def test_an_error_envelope_is_a_failure(span, view):
    """ADK returns what a callback made of the exception."""
    (call,) = view(*spans_of(span, {"error": "no"})).tool_calls
    assert (call.status, call.result) == ("error", "no")


def test_empty_maps_are_no_content(span):
    """ADK writes them on tool spans, and without capture."""
    attributes = {PREFIX + "llm_request": "{}", PREFIX + "llm_response": "{}"}
    facts = DIALECT.read(span("1", attributes, name="call_llm"), ())
    assert (facts.role, facts.input_messages, facts.output_messages) == ("llm", None, None)


def test_the_system_instruction_is_a_message(span):
    """It stands in the configuration of the request."""
    attributes = exchange([{"role": "user", "parts": [{"text": "q"}]}], [], 1)
    facts = DIALECT.read(span("1", attributes, name="call_llm"), ())
    assert facts.input_messages == (Message("system", "s"), Message("user", "q"))


def test_a_transfer_without_content_goes_to_the_next_agent(span, view):
    """Its arguments would say to whom."""
    agent = {"gen_ai.operation.name": "invoke_agent"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "transfer_to_agent"}
    result = view(
        span("1", {**agent, "gen_ai.agent.name": "a"}),
        span("2", tool, parent="1"),
        span("3", {**agent, "gen_ai.agent.name": "b"}),
    )
    assert result.handoffs == (Handoff("a", "b"),)
    assert [item.name for item in result.agents] == ["a", "b"]
