"""AgentOps: `agentops.*` of its decorators. Its model spans hold `gen_ai.*`, which others read.

A span `tool_call.NAME` below a model span is a call that the model asked for, not one that ran;
its kind is written in another way, and is not among those here.
"""

from typing import Any

from scorer.dialects.product import Product
from scorer.dialects.values import first_text
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_KIND = "agentops.span.kind"
_NAME = "operation.name"
_KINDS: dict[str, SpanRole] = {
    "session": "workflow",
    "workflow": "workflow",
    "agent": "agent",
    "task": "chain",
    "operation": "chain",
    "chain": "chain",
    "tool": "tool",
    "llm": "llm",
    "guardrail": "guardrail",
}
_ENTITIES = ("entity", "session", "workflow", "agent", "task", "operation", "tool", "guardrail")


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    name = first_text(span.attributes, _NAME, "agentops.entity.name")
    if role == "tool":
        return {"tool_name": name or span.name.removesuffix(".tool")}
    return {"agent_name": name} if role == "agent" else {}


DIALECT = Product(
    "agentops",
    keys=(_KIND,),
    kind=(_KIND,),
    kinds=_KINDS,
    inputs=tuple(f"agentops.{entity}.input" for entity in _ENTITIES),
    outputs=tuple(f"agentops.{entity}.output" for entity in _ENTITIES),
    more=_more,
)
