import pytest

from scorer.dialects.openllmetry import DIALECT
from scorer.model.agent_trace import Document, Message, RequestedCall, ToolDefinition, Usage


def read(span, attributes, **fields):
    return DIALECT.read(span("1", attributes, **fields), ())


def test_indexed_prompts_and_completions_are_messages(span):
    """The keys of the versions before 2026."""
    attributes = {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "q",
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.tool_calls.0.id": "c1",
        "gen_ai.prompt.1.tool_calls.0.name": "f",
        "gen_ai.prompt.1.tool_calls.0.arguments": '{"a": 1}',
        "gen_ai.prompt.2.role": "tool",
        "gen_ai.prompt.2.tool_call_id": "c1",
        "gen_ai.prompt.2.content": "r",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "a",
        "gen_ai.completion.0.finish_reason": "stop",
        "llm.request.functions.0.name": "f",
        "llm.request.functions.0.parameters": '{"type": "object"}',
    }
    facts = read(span, attributes)
    assert facts.role == "llm"
    assert facts.input_messages == (
        Message("user", "q"),
        Message("assistant", None, (RequestedCall("f", {"a": 1}, "c1"),)),
        Message("tool", "r", tool_call_id="c1"),
    )
    assert facts.output_messages == (Message("assistant", "a"),)
    assert facts.finish_reasons == ("stop",)
    assert facts.tool_definitions == (ToolDefinition("f", {"type": "object"}),)


def test_a_quoted_empty_completion_is_no_text(span):
    """Tool-call turns are recorded with the two characters of an empty JSON string."""
    attributes = {
        "llm.request.type": "chat",
        "gen_ai.completion.0.content": '""',
        "gen_ai.completion.0.tool_calls.0.name": "f",
    }
    expected = (Message("assistant", None, (RequestedCall("f"),)),)
    assert read(span, attributes).output_messages == expected


def test_content_blocks_in_a_prompt_are_opened(span):
    """Multi-part content is recorded as JSON text."""
    attributes = {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": '[{"type": "text", "text": "q"}]',
    }
    assert read(span, attributes).input_messages == (Message("user", "q"),)


@pytest.mark.parametrize(
    ("entity", "arguments"),
    [
        ('{"args": [], "kwargs": {"a": 1}}', {"a": 1}),
        ('{"args": ["x"], "kwargs": {"a": 1}}', {"args": ["x"], "a": 1}),
        ('{"input_str": "{\'a\': 1}", "inputs": {"a": 1}}', {"a": 1}),
        ('{"input_str": "{\'a\': 1}", "tags": []}', "{'a': 1}"),
    ],
)
def test_the_input_of_a_tool_is_unwrapped(span, entity, arguments):
    """The SDK records Python calls, LangChain a string beside its metadata."""
    attributes = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "f",
        "traceloop.entity.input": entity,
        "traceloop.entity.output": '"r"',
    }
    facts = read(span, attributes)
    assert (facts.tool_name, facts.tool_arguments, facts.tool_result) == ("f", arguments, "r")


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({"traceloop.span.kind": "workflow"}, "workflow"),
        ({"traceloop.span.kind": "task"}, "chain"),
        ({"traceloop.span.kind": "unknown", "llm.request.type": "embedding"}, "embedding"),
        ({"traceloop.span.kind": ["agent"]}, None),
    ],
)
def test_kind_and_request_type_give_the_role(span, attributes, role):
    """The span kind first, then the type of the request."""
    assert read(span, attributes).role == role


def test_results_of_a_vector_database_are_documents(span):
    """They are events of the query span."""
    events = (
        ("db.query.result", {"db.query.result.id": "d1", "db.query.result.document": "one"}),
        ("db.query.result", {"db.query.result.metadata": '{"text": "two"}'}),
    )
    facts = read(span, {}, events=events)
    assert facts.role == "retrieval"
    assert facts.documents == (
        Document("one", "d1", None, 0, "1"),
        Document("two", rank=1, span_id="1"),
    )


def test_totals_session_and_user_are_read(span):
    """Association properties carry the identity."""
    attributes = {
        "gen_ai.usage.prompt_tokens": 5,
        "gen_ai.usage.completion_tokens": 2,
        "gen_ai.usage.cache_read_input_tokens": 1,
        "llm.usage.total_tokens": 7,
        "traceloop.association.properties.session_id": "s",
        "traceloop.association.properties.user_id": "u",
    }
    facts = read(span, attributes)
    assert facts.usage == Usage(5, 2, 7, 1)
    assert (facts.session_id, facts.user_id) == ("s", "u")


def test_a_completion_of_null_is_no_text(span):
    """Where a tool is called there are no words."""
    attributes = {"llm.request.type": "chat", "gen_ai.completion.0.content": "null"}
    assert read(span, attributes).output_messages is None


def test_an_entity_may_be_a_structure(span):
    """OTLP has maps and lists too."""
    attributes = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.input": {"args": [], "kwargs": {"a": 1}},
        "traceloop.entity.output": {},
    }
    facts = read(span, attributes)
    assert (facts.tool_arguments, facts.output_text) == ({"a": 1}, None)


def test_the_keys_before_2024_are_read(span):
    """All of them begin with `llm.`; kinds and roles are the same."""
    attributes = {
        "llm.request.type": "chat",
        "llm.vendor": "OpenAI",
        "llm.request.model": "m",
        "llm.response.model": "m-1",
        "llm.prompts.0.role": "user",
        "llm.prompts.0.content": "q",
        "llm.completions.0.content": "a",
        "llm.completions.0.finish_reason": "stop",
        "llm.usage.prompt_tokens": 9,
        "llm.usage.completion_tokens": 2,
        "llm.usage.total_tokens": 11,
    }
    facts = read(span, attributes)
    assert facts.input_messages == (Message("user", "q"),)
    assert facts.output_messages == (Message("assistant", "a"),)
    assert facts.usage == Usage(9, 2, 11)
    assert (facts.request_model, facts.response_model, facts.provider) == ("m", "m-1", "OpenAI")
