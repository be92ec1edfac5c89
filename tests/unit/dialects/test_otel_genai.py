import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.dialects import otel_genai
from scorer.dialects.otel_genai import DIALECT
from scorer.model.agent_trace import Document, Handoff, Message, Usage
from scorer.model.span import Resource, Scope, Span


def read(span, attributes, **fields):
    return DIALECT.read(span("1", attributes, **fields), ())


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("chat", "llm"),
        ("generate_content", "llm"),
        ("invoke_agent", "agent"),
        ("invoke_workflow", "workflow"),
        ("execute_tool", "tool"),
        ("embeddings", "embedding"),
        ("retrieval", "retrieval"),
        ("agent_handoff", "handoff"),
        ("create_agent", None),
        ("unknown", None),
        (["chat"], None),
    ],
)
def test_the_operation_names_the_role(span, operation, role):
    """An operation that is not known gives no role, whatever else is there."""
    attributes = {"gen_ai.operation.name": operation, "gen_ai.agent.name": "a"}
    assert read(span, attributes).role == role


def test_without_an_operation_the_keys_show_the_role(span):
    """Older tool and model spans have no operation name."""
    assert read(span, {"gen_ai.tool.name": "f", "gen_ai.tool.call.id": "1"}).role == "tool"
    assert read(span, {"gen_ai.request.model": "m", "gen_ai.usage.output_tokens": 1}).role == "llm"
    assert read(span, {"mcp.method.name": "tools/call"}).role == "tool"
    assert read(span, {"gen_ai.agent.name": "a"}).role is None


def test_it_matches_only_spans_of_the_conventions(span, log):
    """Plain HTTP spans are left alone."""
    assert DIALECT.matches(span("1", {"gen_ai.system": "openai"}), ())
    assert DIALECT.matches(span("1", events=[("gen_ai.choice", {})]), ())
    assert DIALECT.matches(span("1"), [log("1", "gen_ai.user.message", {})])
    assert not DIALECT.matches(span("1", {"http.method": "GET"}, events=[("x", {})]), ())


def test_system_instructions_come_before_the_messages(span):
    """The Responses API keeps the system prompt apart."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": '[{"role": "user", "content": "q"}]',
        "gen_ai.system_instructions": '[{"type": "text", "content": "s"}]',
    }
    assert read(span, attributes).input_messages == (Message("system", "s"), Message("user", "q"))


def test_an_empty_message_list_says_nothing(span):
    """An agent span may export "[]" where nothing was captured."""
    assert read(span, {"gen_ai.input.messages": "[]"}).input_messages is None


def test_a_tool_name_on_a_model_span_is_a_request_only(span):
    """OpenLIT puts the requested tool on the chat span."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.tool.name": "f"}
    assert read(span, attributes).tool_name is None


def test_aggregated_usage_is_marked(span):
    """The sum of an agent's calls must not be added to them."""
    facts = read(span, {"gen_ai.aggregated_usage.input_tokens": 5})
    assert (facts.usage, facts.usage_is_aggregate) == (Usage(5), True)


@pytest.mark.parametrize(
    ("attributes", "cost"),
    [
        ({"operation.cost": 0.1}, 0.1),
        ({"gen_ai.usage.cost": 0.2, "gen_ai.usage.input_tokens": 5}, 0.2),
        ({"gen_ai.usage.cost": 0, "gen_ai.usage.input_tokens": 5}, None),
        ({}, None),
    ],
)
def test_a_zero_cost_of_counted_tokens_is_unknown(span, attributes, cost):
    """A price list without the model writes 0, which is no price."""
    assert read(span, attributes).cost_usd == cost


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.handoff.from_agent": "a", "gen_ai.handoff.to_agent": "b"},
        {
            "gen_ai.agent.handoff.source.name": "a",
            "gen_ai.agent.handoff.target.name": "b",
        },
    ],
)
def test_a_handoff_is_read_from_every_proposal(span, attributes):
    """No key is standard yet."""
    assert read(span, attributes).handoff == Handoff("a", "b")


def test_documents_may_have_no_text(span):
    """The convention asks for id and score only."""
    attributes = {"gen_ai.retrieval.documents": '[{"id": "d1", "score": 0.5}]'}
    assert read(span, attributes).documents == (Document(None, "d1", 0.5, 0, "1"),)


def test_the_context_variable_of_a_prompt_template_is_a_document(span):
    """It holds the text that the retrieval span lacks."""
    documents = read(span, {"gen_ai.prompt.variable.context": "text"}).documents
    assert documents == (Document("text", span_id="1"),)


def test_session_and_user_have_several_keys_in_order(span):
    """The conversation id wins over a general session id."""
    facts = read(span, {"session.id": "s", "gen_ai.conversation.id": "c", "enduser.id": "u"})
    assert (facts.session_id, facts.user_id) == ("c", "u")


@pytest.mark.parametrize("value", [["stop"], '["stop"]', "stop"])
def test_finish_reasons_are_a_list_in_any_form(span, value):
    """Arrays, JSON text and scalars occur."""
    assert read(span, {"gen_ai.response.finish_reasons": value}).finish_reasons == ("stop",)


_VALUES = st.one_of(
    st.sampled_from(["chat", "execute_tool", "invoke_agent", "retrieval", "[]", "N/A", " ", ""]),
    st.just('[{"role": "user", "parts": [{"type": "text", "content": "q"}]}]'),
    st.integers(-1, 9),
    st.lists(st.sampled_from(["stop", ""]), max_size=2),
)
_KEYS = sorted(
    {
        "gen_ai.operation.name",
        "gen_ai.system_instructions",
        "gen_ai.prompt",
        "gen_ai.completion",
        "gen_ai.aggregated_usage.input_tokens",
        "gen_ai.usage.cost",
        "gen_ai.retrieval.documents",
        "session.id",
        "padding",
        *(key for key in otel_genai._KEYS),
    }
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=8))
def test_the_quicker_way_reads_the_same(attributes):
    """What is prepared for the keys of a span gives the facts that reading it gives."""
    given_span = Span(
        "aa",
        "1",
        "",
        "s",
        1,
        1,
        2,
        attributes,
        (),
        (),
        0,
        "",
        0,
        0,
        0,
        0,
        Resource({}, ""),
        Scope(),
    )
    prepared = DIALECT.prepared(frozenset(attributes))
    assert prepared(given_span) == DIALECT.read(given_span, ())


def test_what_openlit_calls_otherwise_is_read(span):
    """The input and the outcome of a run, and of a tool."""
    run = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.workflow.input": '{"question": "q"}',
        "gen_ai.agent.final_result": "a",
    }
    facts = read(span, run)
    assert (facts.input_text, facts.output_text) == ('{"question": "q"}', "a")
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.input": "{}"}
    facts = read(span, {**tool, "gen_ai.tool.result": "r"})
    assert (facts.tool_arguments, facts.tool_result) == ("{}", "r")


def test_the_total_cost_of_litellm_is_a_cost(span):
    """Its second version names it so."""
    assert read(span, {"gen_ai.system": "x", "litellm.cost.total": 0.5}).cost_usd == 0.5
