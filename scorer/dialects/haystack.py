"""Haystack's own spans: `haystack.*`, as its OpenTelemetry tracer writes them."""

from typing import Any

from scorer.dialects.documents import returned_documents
from scorer.dialects.product import Product, present
from scorer.dialects.values import boolean, decoded, first_id, first_text, integer, mapping, text
from scorer.model.agent_trace import Usage
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_TYPE = "haystack.component.type"
_ROLES: dict[str, SpanRole] = {
    "haystack.pipeline.run": "workflow",
    "haystack.async_pipeline.run": "workflow",
    "haystack.agent.run": "agent",
    "haystack.agent.step": "chain",
    "haystack.agent.step.llm": "llm",
    "haystack.agent.step.tool": "tool",
    "haystack.chat_generator.run": "llm",
}
_OUT = (
    "haystack.component.output",
    "haystack.agent.step.llm.output",
    "haystack.agent.step.tool.output",
    "haystack.agent.output",
    "haystack.pipeline.output_data",
)
_IN = (
    "haystack.component.input",
    "haystack.agent.step.llm.input",
    "haystack.agent.step.tool.input",
    "haystack.agent.input",
    "haystack.pipeline.input_data",
)
# The end of the name of a component's class says what it does.
_CLASSES: tuple[tuple[str, SpanRole], ...] = (
    ("Generator", "llm"),
    ("Retriever", "retrieval"),
    ("WebSearch", "retrieval"),
    ("Ranker", "rerank"),
    ("Embedder", "embedding"),
    ("Agent", "agent"),
)


def _role(span: Span) -> SpanRole | None:
    named = text(span.attributes.get(_TYPE))
    if named is not None:
        return next((role for end, role in _CLASSES if named.endswith(end)), "chain")
    role = _ROLES.get(span.name)
    if role is None and "haystack.tool.name" in span.attributes:
        return "tool"
    return role


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    attributes = span.attributes
    if role == "tool":
        return {
            "tool_name": first_text(attributes, "haystack.tool.name") or span.name,
            "tool_call_id": first_id(attributes, "haystack.tool.call.id"),
            "tool_status": "error" if boolean(attributes.get("haystack.tool.error")) else None,
        }
    if role == "agent":
        return {"agent_name": first_text(attributes, "haystack.component.name")}
    returned = mapping(decoded(present(attributes, _OUT)))
    if role == "llm":
        return _model(returned)
    if role in ("retrieval", "rerank"):
        return {"documents": returned_documents(returned, span.span_id)}
    return {}


def _model(returned: Any) -> dict[str, Any]:
    """Return what the replies say in their metadata."""
    replies = returned.get("replies")
    reply = mapping(replies[0]) if isinstance(replies, list) and replies else {}
    metas = returned.get("meta")  # of the generators that reply with plain texts
    meta = mapping(metas[0]) if isinstance(metas, list) and metas else mapping(reply.get("meta"))
    usage = mapping(meta.get("usage"))
    counts = [
        integer(usage.get(key)) for key in ("prompt_tokens", "completion_tokens", "total_tokens")
    ]
    reason = text(meta.get("finish_reason"))
    return {
        "response_model": text(meta.get("model")),
        "usage": Usage(*counts) if counts.count(None) < len(counts) else None,
        "finish_reasons": (reason,) if reason else None,
    }


DIALECT = Product(
    "haystack",
    keys=(
        _TYPE,
        "haystack.component.name",
        "haystack.tool.name",
        "haystack.agent.step",
        *_IN,
        *_OUT,
    ),
    role=_role,
    inputs=_IN,
    outputs=_OUT,
    more=_more,
)
