import json

import pytest

from scorer.dialects.langfuse import DIALECT
from scorer.model.agent_trace import Document, Handoff, Message, RequestedCall, Usage

TYPE = "langfuse.observation.type"
IN = "langfuse.observation.input"
OUT = "langfuse.observation.output"
GIVEN = {"session.id": "s", "user.id": "u"}


def read(span, attributes, **fields):
    return DIALECT.read(span("1", attributes, scope="langfuse-sdk", **fields), ())


def run(span, failing=False):
    """Return the spans of an agent that calls a model, and a tool that works or fails."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    outcome = {OUT: "r"}
    if failing:
        outcome = {
            "langfuse.observation.level": "ERROR",
            "langfuse.observation.status_message": "no such a",
        }
    return (
        span(
            "1",
            {**GIVEN, TYPE: "agent", IN: '{"args": ["q"], "kwargs": {}}', OUT: "done"},
            name="w",
        ),
        span(
            "2",
            {
                TYPE: "generation",
                IN: '{"messages": [{"role": "user", "content": "q"}]}',
                OUT: json.dumps({"role": "assistant", "content": None, "tool_calls": [call]}),
                "langfuse.observation.model.name": "m",
                "langfuse.observation.usage_details": json.dumps(
                    {"prompt_tokens": 5, "completion_tokens": 2}
                ),
            },
            parent="1",
        ),
        span(
            "3",
            {TYPE: "tool", IN: '{"args": [], "kwargs": {"a": 1}}', **outcome},
            parent="1",
            name="f",
        ),
    )


def test_a_run_is_read_as_a_whole(span, view):
    """Agent, model call and tool of the SDK's decorators and its OpenAI client."""
    result = view(*run(span))
    assert (result.question, result.answer) == ("q", "done")
    assert [agent.name for agent in result.agents] == ["w"]
    assert (result.models, result.usage) == (("m",), Usage(5, 2, 7))
    assert (result.session_id, result.user_id, result.has_error) == ("s", "u", False)
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")


def test_the_level_tells_a_failed_tool(span, view):
    """The span status stays unset."""
    result = view(*run(span, failing=True))
    (call,) = result.tool_calls
    assert (call.status, call.result, result.has_error) == ("error", "no such a", True)


def test_cached_tokens_are_part_of_the_input(span, view):
    """The LangChain handler subtracts them; the total shows it."""
    details = '{"input": 29, "output": 20, "total": 65, "input_cache_read": 16}'
    attributes = {TYPE: "generation", "langfuse.observation.usage_details": details}
    assert view(span("1", attributes)).usage == Usage(45, 20, 65, 16)


def test_tool_definitions_among_the_messages_are_taken_out(span):
    """The LangChain handler gives them the role of a tool."""
    offered = {"role": "tool", "content": {"type": "function", "function": {"name": "f"}}}
    messages = json.dumps([{"role": "user", "content": "q"}, offered])
    facts = read(span, {TYPE: "generation", IN: messages})
    assert facts.input_messages == (Message("user", "q"),)
    assert [tool.name for tool in facts.tool_definitions] == ["f"]


def test_a_chain_that_bears_the_name_of_an_agent_is_one(span):
    """LangChain agents are told by their metadata."""
    attributes = {TYPE: "chain", "langfuse.observation.metadata.lc_agent_name": '"w"'}
    assert read(span, attributes, name="w").role == "agent"
    inner = read(span, attributes, name="model")
    assert (inner.role, inner.agent_name) == ("chain", "w")


def test_costs_are_the_total_or_the_sum(span):
    """A map in US dollars."""
    key = "langfuse.observation.cost_details"
    assert read(span, {TYPE: "generation", key: '{"input": 1, "total": 3}'}).cost_usd == 3
    assert read(span, {TYPE: "generation", key: '{"input": 1, "output": 1}'}).cost_usd == 2
    assert read(span, {TYPE: "generation", key: "no"}).cost_usd is None


def test_a_span_with_a_model_is_a_model_call(span):
    """SDKs up to 3.3.0 mark generations as spans."""
    attributes = {TYPE: "span", "langfuse.observation.model.name": "m"}
    assert read(span, attributes).role == "llm"


def test_a_retriever_returns_documents(span):
    """As LangChain or the user's function returned them."""
    attributes = {TYPE: "retriever", OUT: '[{"id": "d", "content": "a"}]'}
    assert read(span, attributes).documents == (Document("a", "d", None, 0, "1"),)


def test_an_upload_is_referred_to(span):
    """The SDK replaces inline media by a token."""
    token = "@@@langfuseMedia:type=image/png|id=x|source=base64_data_uri@@@"
    part = {"type": "image_url", "image_url": {"url": token}}
    messages = json.dumps([{"role": "user", "content": [part]}])
    (media,) = read(span, {TYPE: "generation", IN: messages}).media
    assert (media.kind, media.ref, media.mime_type) == ("image", token, "image/png")


def test_a_langchain_tool_call_has_its_id(span):
    """It ties the execution to the request."""
    attributes = {TYPE: "tool", "langfuse.observation.metadata.tool_call_id": '"c1"'}
    assert read(span, attributes).tool_call_id == "c1"


def test_a_handing_over_that_is_recorded_is_one(span):
    """By the names of the OpenAI Agents SDK."""
    facts = read(span, {TYPE: "chain", IN: '{"from_agent": "a"}', OUT: '{"to_agent": "b"}'})
    assert (facts.role, facts.handoff) == ("handoff", Handoff("a", "b"))


@pytest.mark.parametrize("kind", ["span", "event", 3, None])
def test_other_types_are_steps_of_the_sdk_only(span, kind):
    """On a span of another library the attribute says nothing about its role."""
    assert read(span, {TYPE: kind}).role == "chain"
    assert DIALECT.read(span("1", {TYPE: kind}), ()).role is None


def test_requested_calls_are_read(span):
    """Of the message that the model returned."""
    call = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    reply = json.dumps({"role": "assistant", "content": "", "tool_calls": [call]})
    facts = read(span, {TYPE: "generation", OUT: reply})
    assert facts.output_messages == (
        Message("assistant", None, (RequestedCall("f", {"a": 1}, "c1"),)),
    )
