"""Laminar: `lmnr.*`. It also takes in OpenLLMetry and `gen_ai.*`, which others read."""

from typing import Any

from scorer.dialects.fields import Field, Fields, id_field
from scorer.dialects.product import Product
from scorer.dialects.values import first_text, real
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_TYPE = "lmnr.span.type"
_ASSOCIATION = "lmnr.association.properties."
_KINDS: dict[str, SpanRole] = {
    "default": "chain",
    "llm": "llm",
    "tool": "tool",
    "executor": "workflow",
    "pipeline": "workflow",
    "evaluator": "evaluator",
    "human_evaluator": "evaluator",
}
_COSTS = ("gen_ai.usage.cost", "gen_ai.usage.input_cost", "gen_ai.usage.output_cost")


def _role(span: Span) -> SpanRole | None:
    named = first_text(span.attributes, _TYPE)
    if named == "CACHED":  # a replayed span; what it was stands beside it
        named = first_text(span.attributes, "lmnr.span.original_type")
    return None if named is None else _KINDS.get(named.lower())


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    return {"tool_name": span.name} if role == "tool" else {}


def _cost(span: Span) -> float | None:
    total, *parts = (real(span.attributes.get(key)) for key in _COSTS)
    known = [part for part in parts if part is not None]
    if total is None and known:
        total = sum(known)
    return total or None  # 0 = the price is not known


DIALECT = Product(
    "laminar",
    keys=(
        _TYPE,
        "lmnr.span.input",
        "lmnr.span.output",
        "lmnr.span.path",
        _ASSOCIATION + "session_id",
        _ASSOCIATION + "user_id",
    ),
    role=_role,
    inputs=("lmnr.span.input",),
    outputs=("lmnr.span.output",),
    fields=Fields(
        Field("cost_usd", _COSTS, _cost),
        id_field("session_id", _ASSOCIATION + "session_id"),
        id_field("user_id", _ASSOCIATION + "user_id"),
    ),
    more=_more,
)
