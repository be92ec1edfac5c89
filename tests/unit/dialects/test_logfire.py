import json

import pytest

from scorer.dialects.logfire import DIALECT
from scorer.model.agent_trace import Handoff, Message, Usage

TEMPLATE = "logfire.msg_template"
USER = {"event.name": "gen_ai.user.message", "content": "q", "role": "user"}
REPLY = {"event.name": "gen_ai.assistant.message", "content": "a", "role": "assistant"}


def read(span, attributes, **fields):
    return DIALECT.read(span("1", attributes, **fields), ())


def spans_of(span, *, failing=False):
    """Return the spans of an agent that calls a model, and a tool that works or fails."""
    chat = {
        TEMPLATE: "Responses API with {gen_ai.request.model!r}",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
        "events": json.dumps([USER, REPLY]),
    }
    tool = {TEMPLATE: "Function: {name}", "name": "f", "input": '{"a": 1}', "output": "r"}
    agent = {TEMPLATE: "Agent run: {name!r}", "name": "w"}
    root = {TEMPLATE: "OpenAI Agents trace: {name}", "metadata": '{"user_id":"u"}'}
    root["group_id"] = "[Scrubbed due to 'session']"
    fields = {"scope": "logfire.openai_agents"}
    return (
        span("1", root, **fields),
        span("2", agent, parent="1", **fields),
        span("3", tool, parent="2", status=2 if failing else 0, **fields),
        span("4", chat, parent="2", **fields),
    )


def test_a_run_is_read_as_a_whole(span, view):
    """A scrubbed session is none."""
    result = view(*spans_of(span))
    assert (result.question, result.answer, result.usage) == ("q", "a", Usage(5, 2, 7))
    assert [agent.name for agent in result.agents] == ["w"]
    assert (result.session_id, result.user_id, result.has_error) == (None, "u", False)
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")


def test_a_failed_tool_is_told_by_its_status(span, view):
    """Its output is what the model was told."""
    result = view(*spans_of(span, failing=True))
    (call,) = result.tool_calls
    assert (call.status, call.result, result.has_error) == ("error", "r", True)


def test_a_handing_over_names_both_agents(span):
    """A span of its own."""
    facts = read(span, {TEMPLATE: "Handoff: x", "from_agent": "a", "to_agent": "b"})
    assert (facts.role, facts.handoff) == ("handoff", Handoff("a", "b"))


@pytest.mark.parametrize(
    ("template", "role"),
    [
        ("Turn {turn} for agent w", "chain"),
        ("Guardrail {name!r} triggered={triggered}", "guardrail"),
        ("MCP: list tools", None),
        (3, None),
    ],
)
def test_the_template_gives_the_role(span, template, role):
    """The span is named after it as well, unless it was renamed."""
    assert read(span, {TEMPLATE: template}).role == role


def test_a_client_call_is_request_and_response(span):
    """The instrumentation of OpenAI and Anthropic clients."""
    attributes = {
        "request_data": '{"messages": [{"role": "user", "content": "q"}], "model": "m"}',
        "response_data": '{"message": {"role": "assistant", "content": "a"},'
        ' "usage": {"prompt_tokens": 5, "completion_tokens": 2}}',
    }
    facts = read(span, attributes)
    assert (facts.role, facts.usage) == ("llm", Usage(5, 2))
    assert facts.input_messages == (Message("user", "q"),)
    assert facts.output_messages == (Message("assistant", "a"),)
