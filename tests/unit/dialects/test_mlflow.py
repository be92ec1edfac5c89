import json

import pytest

from scorer.dialects.mlflow import DIALECT
from scorer.model.agent_trace import Document, Handoff, Usage

TYPE = "mlflow.spanType"
IN = "mlflow.spanInputs"
OUT = "mlflow.spanOutputs"


def read(span, kind, given=None, returned=None, **more):
    values = {TYPE: kind, IN: given, OUT: returned, **more}
    attributes = {key: json.dumps(value) for key, value in values.items() if value is not None}
    return DIALECT.read(span("1", attributes, name="n"), ())


def spans_of(span, *, failing=False):
    """Return the spans of an agent that calls a model, and a tool that works or fails."""
    reply = {"id": "r1", "choices": [{"message": {"role": "assistant", "content": "a"}}]}
    request = {"messages": [{"role": "user", "content": "q"}]}
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 1}
    error = {"status": 2, "events": [("exception", {"exception.message": "no"})]} if failing else {}
    tool = {TYPE: '"TOOL"', IN: '{"a": 1}'} | ({} if failing else {OUT: '"r"'})
    return (
        span("1", {TYPE: '"AGENT"', IN: '{"question": "q"}', OUT: '"a"'}, name="w"),
        span("2", tool, parent="1", name="f", **error),
        span(
            "3",
            {
                TYPE: '"CHAT_MODEL"',
                IN: json.dumps(request),
                OUT: json.dumps(reply),
                "mlflow.llm.model": '"m"',
                "mlflow.chat.tokenUsage": json.dumps(usage),
            },
            parent="1",
        ),
    )


def test_a_run_is_read_as_a_whole(span, view):
    """Every value stands in the attributes as a JSON text."""
    result = view(*spans_of(span))
    assert (result.question, result.answer) == ("q", "a")
    assert [agent.name for agent in result.agents] == ["w"]
    assert (result.models, result.usage) == (("m",), Usage(5, 2, 7, 1))
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")


def test_a_failed_tool_is_told_by_its_exception(span, view):
    """There is no output then."""
    result = view(*spans_of(span, failing=True))
    (call,) = result.tool_calls
    assert (call.status, call.result, result.has_error) == ("error", "no", True)


@pytest.mark.parametrize(
    ("kind", "role"),
    [("RETRIEVER", "retrieval"), ("UNKNOWN", "chain"), ("EVALUATOR", "evaluator"), ("x", None)],
)
def test_the_type_gives_the_role(span, kind, role):
    """It may be any text; users name types of their own."""
    assert read(span, kind).role == role


def test_a_retriever_returns_documents(span):
    """In the form of LangChain."""
    documents = [{"page_content": "a", "metadata": {}, "id": "d"}]
    assert read(span, "RETRIEVER", returned=documents).documents == (
        Document("a", "d", None, 0, "1"),
    )


def test_a_handing_over_is_no_chain(span):
    """The autologging of the OpenAI Agents SDK records it as a step."""
    facts = read(span, "CHAIN", {"from_agent": "a"}, {"to_agent": "b"})
    assert (facts.role, facts.handoff) == ("handoff", Handoff("a", "b"))


def test_the_response_ties_duplicates(span):
    """The client's own instrumentation sees the same id."""
    assert read(span, "CHAT_MODEL", returned={"id": "r1"}).response_id == "r1"


def test_identity_and_cost_are_json_too(span):
    """Session and user may stand on the root."""
    more = {"session.id": "s", "mlflow.trace.user": "u", "mlflow.llm.cost": {"total_cost": 0.5}}
    facts = read(span, "AGENT", **more)
    assert (facts.session_id, facts.user_id, facts.cost_usd) == ("s", "u", 0.5)


def test_the_metadata_of_langchain_is_read(span):
    """Autologging records it as it is."""
    metadata = {"lc_agent_name": "n", "thread_id": "t", "user_id": "u"}
    facts = read(span, "CHAIN", metadata=metadata)
    assert (facts.role, facts.agent_name) == ("agent", "n")
    assert (facts.session_id, facts.user_id) == ("t", "u")
    other = read(span, "CHAIN", metadata={"lc_agent_name": "helper"})
    assert (other.role, other.agent_name) == ("chain", "helper")
