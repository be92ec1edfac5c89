import json

import pytest

from scorer.dialects.openinference import DIALECT
from scorer.model.agent_trace import Document, Message, RequestedCall, ToolDefinition, Usage


def read(span, kind, attributes=None, **fields):
    attributes = {"openinference.span.kind": kind, **(attributes or {})}
    return DIALECT.read(span("1", attributes, **fields), ())


def test_flattened_messages_are_put_together(span):
    """Text in content or in content parts, tool calls, results and names."""
    prefix, part = "llm.input_messages.", "message.contents.1.message_content."
    attributes = {
        prefix + "0.message.role": "user",
        prefix + "0.message.contents.0.message_content.text": "what",
        prefix + "0." + part + "image.image.url": "https://h/i.png",
        prefix + "1.message.role": "assistant",
        prefix + "1.message.tool_calls.0.tool_call.id": "c1",
        prefix + "1.message.tool_calls.0.tool_call.function.name": "f",
        prefix + "1.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
        prefix + "10.message.role": "tool",
        prefix + "10.message.tool_call_id": "c1",
        prefix + "10.message.content": "r",
        "llm.output_messages.0.message.role": "model",
        "llm.output_messages.0.message.content": "a",
    }
    facts = read(span, "LLM", attributes)
    assert facts.input_messages == (
        Message("user", "what"),
        Message("assistant", None, (RequestedCall("f", {"a": 1}, "c1"),)),
        Message("tool", "r", tool_call_id="c1"),
    )
    assert facts.output_messages == (Message("assistant", "a"),)
    assert [media.ref for media in facts.media] == ["https://h/i.png"]


def test_a_role_without_content_is_no_message(span):
    """Attribute limits leave the role of a message and drop its text."""
    assert read(span, "CHAIN", {"llm.input_messages.0.message.role": "user"}).input_messages is None


def test_a_model_span_without_flattened_messages_is_read_from_its_payload(span):
    """The raw request and response are there too."""
    attributes = {
        "input.value": '{"messages": [{"role": "user", "content": "q"}]}',
        "output.value": '{"choices": [{"message": {"role": "assistant", "content": "a"}}]}',
    }
    facts = read(span, "LLM", attributes)
    assert facts.input_messages == (Message("user", "q"),)
    assert facts.output_messages == (Message("assistant", "a"),)


def test_redacted_values_are_absent(span):
    """Hidden content is not content."""
    facts = read(span, "LLM", {"input.value": "__REDACTED__", "output.value": "__REDACTED__"})
    assert (facts.input_text, facts.output_text, facts.input_messages) == (None, None, None)


@pytest.mark.parametrize(
    ("kind", "name", "attributes", "role"),
    [
        ("AGENT", "x", {}, "agent"),
        ("AGENT", "transfer_to_x_agent", {"tool.name": "transfer_to_x_agent"}, "tool"),
        ("TOOL", "handoff to b", {"input.value": "a", "output.value": "b"}, "handoff"),
        ("CHAIN", "helper", {"metadata": '{"lc_agent_name": "helper"}'}, "agent"),
        ("CHAIN", "model", {"metadata": '{"lc_agent_name": "helper"}'}, "chain"),
        ("RETRIEVER", "x", {}, "retrieval"),
        ("EVALUATOR", "x", {}, "evaluator"),
        ("SOMETHING", "x", {}, None),
        (7, "x", {}, None),
    ],
)
def test_the_kind_gives_the_role_unless_the_span_knows_better(span, kind, name, attributes, role):
    """Kinds that instrumentations get wrong are put right by what else they say."""
    assert read(span, kind, attributes, name=name).role == role


@pytest.mark.parametrize(
    ("attributes", "arguments"),
    [
        ({"input.value": '{"a": 1}'}, '{"a": 1}'),
        ({"input.value": '{"args": [], "kwargs": {"a": 1}}'}, {"a": 1}),
        ({"input.value": '{"kwargs": {"a": 1, "ctx": "<x.C object at 0x7f>"}}'}, {"a": 1}),
        ({"tool.parameters": '{"a": 1}'}, '{"a": 1}'),
        ({"tool.parameters": '{"properties": {}, "type": "object"}'}, None),
        ({}, None),
    ],
)
def test_tool_arguments_are_the_input_without_its_wrapping(span, attributes, arguments):
    """`tool.parameters` holds arguments or a schema; a schema is no argument."""
    assert read(span, "TOOL", attributes).tool_arguments == arguments


def test_counts_cost_and_identity_are_read(span):
    """The token and cost keys of the specification."""
    attributes = {
        "llm.token_count.prompt": 10,
        "llm.token_count.completion": 2,
        "llm.token_count.total": 12,
        "llm.token_count.prompt_details.cache_read": 4,
        "llm.cost.total": 0.5,
        "session.id": 7,
        "metadata": '{"user_id": "u"}',
        "llm.model_name": "m",
        "llm.finish_reason": "stop",
        "output.value": '{"id":"r1","choices":[]}',
        "llm.tools.0.tool.json_schema": '{"name": "f", "parameters": {}}',
    }
    facts = read(span, "LLM", attributes)
    assert facts.usage == Usage(10, 2, 12, 4)
    assert (facts.cost_usd, facts.session_id, facts.user_id) == (0.5, "7", "u")
    assert (facts.response_model, facts.finish_reasons, facts.response_id) == ("m", ("stop",), "r1")
    assert facts.tool_definitions == (ToolDefinition("f", {}),)


def test_a_failed_call_names_its_model_in_the_parameters(span):
    """Without a response there is no `llm.model_name`."""
    facts = read(span, "LLM", {"llm.invocation_parameters": '{"model": "m"}'})
    assert facts.request_model == "m"


def test_documents_are_read_in_order(span):
    """Reranked documents replace the ones that went in."""
    attributes = {
        "retrieval.documents.0.document.content": "one",
        "retrieval.documents.0.document.id": "d1",
        "retrieval.documents.0.document.score": 0.5,
    }
    expected = Document("one", "d1", 0.5, 0, "1")
    assert read(span, "RETRIEVER", attributes).documents == (expected,)


def test_cut_json_marks_the_span_as_truncated(span):
    """An attribute limit cuts the raw payload."""
    assert read(span, "CHAIN", {"output.value": '{"messages": [{"role'}).truncated is True
    assert read(span, "CHAIN", {"output.value": "plain"}).truncated is None


def test_results_of_functions_are_messages_of_tools(span):
    """AutoGen's message holds them as JSON under keys of their own."""
    prefix = "llm.input_messages.0."
    result = '{"name": "f", "content": "r", "call_id": "c1", "is_error": false}'
    attributes = {prefix + "message.role": "function", prefix + "function.0": result}
    assert read(span, "LLM", attributes).input_messages == (
        Message("tool", "r", tool_call_id="c1", name="f"),
    )


@pytest.mark.parametrize("name", ["f", "f.run", "f.__call__", "f.acall"])
def test_a_tool_is_not_named_after_its_method(span, name):
    """DSPy and CrewAI name the span after what they call."""
    assert read(span, "TOOL", name=name).tool_name == "f"


def test_the_model_may_be_known_from_the_response_alone(span):
    """Some record neither the request's nor the response's as an attribute."""
    facts = read(span, "LLM", {"output.value": '{"id": "r", "model": "m", "choices": []}'})
    assert (facts.response_model, facts.response_id) == ("m", "r")
    named = {"llm.model_name": "n", "output.value": '{"model": "m"}'}
    assert read(span, "LLM", named).response_model == "n"


def test_an_agent_may_be_named_by_its_node(span):
    """Where the name of the span begins with the node's id."""
    node = {"graph.node.id": "helper"}
    assert read(span, "AGENT", node, name="helper.on_messages_stream").agent_name == "helper"
    assert read(span, "AGENT", {"graph.node.id": "7f"}, name="helper").agent_name is None


def test_a_structure_is_read_as_its_json(span):
    """OTLP has maps and lists too; what says the same is read the same."""
    texts = {
        "input.value": '{"args": [], "kwargs": {"city": "Oslo"}}',
        "output.value": '{"answer": "a"}',
        "metadata": '{"user_id": "u"}',
    }
    structures = {key: json.loads(value) for key, value in texts.items()}
    for kind in ("TOOL", "CHAIN", "LLM"):
        given, other = read(span, kind, structures), read(span, kind, texts)
        assert given.tool_arguments == other.tool_arguments
        assert given.user_id == other.user_id == "u"
        assert json.loads(given.output_text) == json.loads(other.output_text)


def test_the_parts_of_a_cost_are_added_up(span):
    """Where the total is not told."""
    parts = {"llm.cost.prompt": 0.25, "llm.cost.completion": 0.5}
    assert read(span, "LLM", parts).cost_usd == 0.75
    assert read(span, "LLM", {**parts, "llm.cost.total": 1}).cost_usd == 1
    assert read(span, "LLM").cost_usd is None


def test_the_steps_of_instructor_are_no_tools(span):
    """It gives them that kind; below them a model is called."""
    fields = {"name": "instructor.patch", "scope": "openinference.instrumentation.instructor"}
    assert read(span, "TOOL", **fields).role == "chain"


def test_calls_may_stand_among_the_contents(span):
    """The Claude Agent SDK's do."""
    prefix = "llm.output_messages.0.message."
    call = prefix + "contents.1.tool_call."
    attributes = {
        prefix + "role": "assistant",
        prefix + "contents.0.message_content.text": "I look",
        prefix + "contents.1.message_content.type": "tool_use",
        call + "id": "c1",
        call + "function.name": "f",
        call + "function.arguments": '{"a": 1}',
    }
    (message,) = read(span, "AGENT", attributes).output_messages
    assert message.tool_calls == (RequestedCall("f", {"a": 1}, "c1"),)


def test_the_id_of_a_response_may_stand_after_white_space(span):
    """A response may be printed over several lines."""
    for recorded in ('{"id": "r1", "x": 1}', '{\n  "id": "r1"\n}', '{"id":"r1"}'):
        assert read(span, "LLM", {"output.value": recorded}).response_id == "r1"
