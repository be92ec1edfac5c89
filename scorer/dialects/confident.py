"""DeepEval and Confident AI: `confident.span.*`, and `confident.trace.*` on the root."""

from typing import Any

from scorer.dialects.documents import returned_documents
from scorer.dialects.fields import Field, Fields, id_field, text_field
from scorer.dialects.product import Product
from scorer.dialects.values import first_text, integer, real
from scorer.model.agent_trace import Usage
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_TYPE = "confident.span.type"
_KINDS: dict[str, SpanRole] = {
    "llm": "llm",
    "agent": "agent",
    "tool": "tool",
    "retriever": "retrieval",
    "base": "chain",
}
_TRACE_OUT = "confident.trace.output"
_CONTEXT = ("confident.span.retrieval_context", "confident.span.context")
_TOKENS = ("confident.llm.input_token_count", "confident.llm.output_token_count")
_PRICES = ("confident.llm.cost_per_input_token", "confident.llm.cost_per_output_token")


def _role(span: Span) -> SpanRole | None:
    named = first_text(span.attributes, _TYPE)
    if named is not None:
        return _KINDS.get(named.lower())
    has_trace = any(key in span.attributes for key in ("confident.trace.input", _TRACE_OUT))
    return "workflow" if has_trace else "chain"


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    if role == "tool":
        name = first_text(span.attributes, "confident.tool.name", "confident.span.name")
        return {"tool_name": name or span.name}
    if role == "agent":
        name = first_text(span.attributes, "confident.agent.name", "confident.span.name")
        return {"agent_name": name}
    return {}


def _documents(span: Span) -> Any:
    for key in _CONTEXT:
        found = returned_documents(span.attributes.get(key), span.span_id)
        if found:
            return found
    return returned_documents(span.attributes.get("confident.span.output"), span.span_id)


def _usage(span: Span) -> Usage | None:
    given, made = (integer(span.attributes.get(key)) for key in _TOKENS)
    return None if given is None and made is None else Usage(given, made)


def _cost(span: Span) -> float | None:
    """Return the cost in USD: both prices are of one token."""
    counts = [real(span.attributes.get(key)) for key in _TOKENS]
    prices = [real(span.attributes.get(key)) for key in _PRICES]
    parts = [c * p for c, p in zip(counts, prices, strict=True) if c is not None and p is not None]
    return sum(parts) if parts else None


DIALECT = Product(
    "confident",
    keys=(
        _TYPE,
        "confident.span.name",
        "confident.span.input",
        "confident.span.output",
        "confident.trace.name",
        "confident.trace.input",
        _TRACE_OUT,
        "confident.trace.thread_id",
    ),
    role=_role,
    inputs=("confident.span.input", "confident.trace.input"),
    outputs=("confident.span.output", _TRACE_OUT),
    fields=Fields(
        text_field("request_model", "confident.llm.model"),
        text_field("provider", "confident.span.provider"),
        Field("usage", _TOKENS, _usage),
        Field("cost_usd", _PRICES, _cost),
        Field("documents", _CONTEXT, _documents),
        id_field("session_id", "confident.trace.thread_id"),
        id_field("user_id", "confident.trace.user_id"),
    ),
    more=_more,
)
