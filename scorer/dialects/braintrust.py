"""Braintrust: `braintrust.*`, whose values are JSON documents."""

from typing import Any

from scorer.dialects.fields import Fields, value_field
from scorer.dialects.product import Product
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import decoded, first_id, first_text, mapping, text
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_ABOUT = "braintrust.span_attributes"
_METADATA = "braintrust.metadata"
_IN = ("braintrust.input_json", "braintrust.input")
_OUT = ("braintrust.output_json", "braintrust.output")
_KINDS: dict[str, SpanRole] = {
    "llm": "llm",
    "tool": "tool",
    "function": "chain",
    "task": "chain",
    "automation": "workflow",
    "eval": "evaluator",
    "score": "evaluator",
    "classifier": "evaluator",
}
_SESSION = ("session_id", "thread_id", "conversation_id")


def _role(span: Span) -> SpanRole | None:
    about = mapping(decoded(span.attributes.get(_ABOUT)))
    named = text(about.get("type")) or first_text(span.attributes, _ABOUT + ".type")
    return "chain" if named is None else _KINDS.get(named.lower(), "chain")


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    metadata = mapping(decoded(span.attributes.get(_METADATA)))
    found: dict[str, Any] = {
        "session_id": first_id(metadata, *_SESSION),
        "user_id": first_id(metadata, "user_id"),
    }
    if role == "llm":
        found["response_model"] = text(metadata.get("model"))
        found["provider"] = text(metadata.get("provider"))
        if isinstance(metadata.get("tools"), list):
            found["tool_definitions"] = read_definitions(metadata["tools"])
    elif role == "tool":
        found["tool_name"] = span.name
    return found


DIALECT = Product(
    "braintrust",
    keys=(_ABOUT, _ABOUT + ".type", "braintrust.metrics", *_IN, *_OUT),
    role=_role,
    inputs=_IN,
    outputs=_OUT,
    fields=Fields(value_field("usage", "braintrust.metrics", usage_in)),
    more=_more,
)
