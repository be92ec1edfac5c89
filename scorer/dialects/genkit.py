"""Genkit: `genkit:*`, with inputs and outputs as JSON."""

from typing import Any

from scorer.dialects.fields import Fields, id_field
from scorer.dialects.product import Product
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import decoded, first_text, integer, mapping, text
from scorer.model.agent_trace import Usage
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_SUBTYPE = "genkit:metadata:subtype"
_IN = "genkit:input"
_OUT = "genkit:output"
_NAME = "genkit:name"
_KINDS: dict[str, SpanRole] = {
    "model": "llm",
    "background-model": "llm",
    "tool": "tool",
    "tool.v2": "tool",
    "retriever": "retrieval",
    "reranker": "rerank",
    "embedder": "embedding",
    "evaluator": "evaluator",
    "flow": "workflow",
    "agent": "agent",
    "prompt": "chain",
    "executable-prompt": "chain",
    "util": "chain",
}
_COUNTS = (
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "cachedContentTokens",
    "",
    "thoughtsTokens",
)


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    attributes = span.attributes
    name = first_text(attributes, _NAME) or span.name
    found: dict[str, Any] = {}
    if attributes.get("genkit:state") == "error":
        found["failed"] = True
    if role == "tool":
        found["tool_name"] = name
    elif role == "agent":
        found["agent_name"] = name
    elif role == "llm":
        found.update(_model(span, name))
    return found


def _model(span: Span, name: str) -> dict[str, Any]:
    given = mapping(decoded(span.attributes.get(_IN)))
    returned = mapping(decoded(span.attributes.get(_OUT)))
    usage = mapping(returned.get("usage"))
    counts = [integer(usage.get(key)) for key in _COUNTS]
    reason = text(returned.get("finishReason"))
    provider, _, model = name.rpartition("/")
    return {
        "request_model": model,
        "provider": provider or None,
        "usage": Usage(*counts) if counts.count(None) < len(counts) else None,
        "finish_reasons": (reason,) if reason else None,
        "tool_definitions": read_definitions(given["tools"]) if "tools" in given else None,
    }


DIALECT = Product(
    "genkit",
    keys=(_SUBTYPE, _IN, _OUT, "genkit:type", _NAME),
    kind=(_SUBTYPE, "genkit:type"),
    kinds=_KINDS,
    inputs=(_IN,),
    outputs=(_OUT,),
    fields=Fields(id_field("session_id", "genkit:sessionId", "genkit:metadata:sessionId")),
    more=_more,
)
