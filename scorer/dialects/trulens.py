"""TruLens: `ai.observability.*`. Its evaluations are known elsewhere (`evaluators`)."""

from typing import Any

from scorer.dialects.documents import returned_documents
from scorer.dialects.fields import Field, Fields, id_field, text_field
from scorer.dialects.product import Product
from scorer.dialects.values import decoded, first_text, integer, real, text
from scorer.model.agent_trace import Usage
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_A = "ai.observability."
_TYPE = _A + "span_type"
_KINDS: dict[str, SpanRole] = {
    "record_root": "workflow",
    "nested_record_root": "chain",
    "retrieval": "retrieval",
    "reranking": "rerank",
    "generation": "llm",
    "graph_task": "chain",
    "graph_node": "chain",
    "workflow_step": "chain",
    "agent": "agent",
    "tool": "tool",
    "mcp": "tool",
    "guardrail": "guardrail",
    "eval_root": "evaluator",
    "eval": "evaluator",
    "eval_decision": "evaluator",
}
_COUNTS = (
    _A + "cost.num_prompt_tokens",
    _A + "cost.num_completion_tokens",
    _A + "cost.num_tokens",
    _A + "cost.num_reasoning_tokens",
)
_PASSAGES = (_A + "retrieval.retrieved_contexts", _A + "reranking.output_ranks")
_ERRORS = (_A + "call.error", _A + "record_root.error")
_RECEIVERS = frozenset({"self", "cls"})
_FUNCTION = _A + "call.function"


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    attributes = span.attributes
    found: dict[str, Any] = {"failed": True} if _error(span) else {}
    if role == "tool":
        found["tool_name"] = first_text(attributes, _A + "mcp.tool_name") or _function(span)
        found["tool_arguments"] = _arguments(span)
    elif role == "agent":
        named = first_text(attributes, _A + "workflow.agent_name")
        found["agent_name"] = named or _function(span)
    return found


def _error(span: Span) -> str | None:
    return first_text(span.attributes, *_ERRORS)


def _function(span: Span) -> str:
    name = first_text(span.attributes, _FUNCTION) or span.name
    return name.rpartition(".")[2] or span.name


def _arguments(span: Span) -> Any:
    value = span.attributes.get(_A + "mcp.input_arguments", span.attributes.get(_A + "call.kwargs"))
    fields = decoded(value)
    if not isinstance(fields, dict):
        return value
    return {key: item for key, item in fields.items() if key not in _RECEIVERS}


def _usage(span: Span) -> Usage | None:
    given, made, total, reasoning = (integer(span.attributes.get(key)) for key in _COUNTS)
    if given is None and made is None and total is None:
        return None
    return Usage(given, made, total, reasoning=reasoning)


def _cost(span: Span) -> float | None:
    currency = text(span.attributes.get(_A + "cost.cost_currency"))
    return real(span.attributes.get(_A + "cost.cost")) if currency in (None, "USD") else None


def _documents(span: Span) -> Any:
    found = (returned_documents(span.attributes.get(key), span.span_id) for key in _PASSAGES)
    return next((item for item in found if item), None)


DIALECT = Product(
    "trulens",
    keys=(_TYPE,),
    kind=(_TYPE,),
    kinds=_KINDS,
    inputs=(_A + "record_root.input", _A + "retrieval.query_text", _A + "call.kwargs"),
    outputs=(_A + "record_root.output", _A + "mcp.output_content", _A + "call.return"),
    fields=Fields(
        text_field("request_model", _A + "cost.model"),
        Field("usage", _COUNTS, _usage),
        Field("cost_usd", (_A + "cost.cost",), _cost),
        Field("documents", _PASSAGES, _documents),
        Field("error_message", _ERRORS, _error),
        id_field("session_id", _A + "conversation_id"),
    ),
    more=_more,
)
