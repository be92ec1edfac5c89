"""Langfuse SDKs and its LangChain handler: `langfuse.observation.*`, `langfuse.trace.*`."""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.dialects.fields import Field, Fields, id_field, text_field, value_field
from scorer.dialects.messages import Content
from scorer.dialects.observation import handed_over, observed
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import decoded, first_text, identifier, mapping, real, text
from scorer.model.agent_trace import ToolDefinition
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_TYPE = "langfuse.observation.type"
_IN = "langfuse.observation.input"
_OUT = "langfuse.observation.output"
_LEVEL = "langfuse.observation.level"
_MODEL = "langfuse.observation.model.name"
_USAGE = "langfuse.observation.usage_details"
_COST = "langfuse.observation.cost_details"
_METADATA = "langfuse.observation.metadata."
_TRACE_IN = "langfuse.trace.input"
_TRACE_OUT = "langfuse.trace.output"
_KEYS = frozenset({_TYPE, _IN, _OUT, _LEVEL, _MODEL, _USAGE, _TRACE_IN, _TRACE_OUT})
_ROLES: dict[str, SpanRole] = {
    "generation": "llm",
    "embedding": "embedding",
    "agent": "agent",
    "tool": "tool",
    "retriever": "retrieval",
    "chain": "chain",
    "guardrail": "guardrail",
    "evaluator": "evaluator",
}
_SCOPE = "langfuse"


class Langfuse:
    """Reads the attributes of the Langfuse SDKs."""

    name = "langfuse"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span is an observation of Langfuse."""
        return not _KEYS.isdisjoint(span.attributes)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what Langfuse says about the span."""
        attributes = span.attributes
        content = Content()
        role = _role(span)
        facts = _FIELDS.read(span)
        given, definitions = _without_definitions(attributes.get(_IN, attributes.get(_TRACE_IN)))
        returned = attributes.get(_OUT, attributes.get(_TRACE_OUT))
        facts.update(observed(role, given, returned, content, span.span_id))
        if definitions is not None:
            facts["tool_definitions"] = definitions
        if role == "tool":
            facts["tool_name"] = text(span.name)
            facts["tool_call_id"] = identifier(decoded(attributes.get(_METADATA + "tool_call_id")))
        elif role == "chain" and (handoff := handed_over(given, returned)) is not None:
            facts["role"], facts["handoff"] = "handoff", handoff
        return SpanFacts(
            **{
                "role": role,
                "agent_name": _agent(span, role),
                "media": tuple(content.media) or None,
                "truncated": content.truncated or None,
                **facts,
            }
        )


def _role(span: Span) -> SpanRole | None:
    attributes = span.attributes
    kind = attributes.get(_TYPE)
    role = _ROLES.get(kind) if isinstance(kind, str) else None
    if role is None and _MODEL in attributes:
        return "llm"  # SDKs up to 3.3.0 mark generations as plain spans
    if role is None and span.scope.name.startswith(_SCOPE):
        role = "chain"
    if role == "chain" and _named(attributes) == span.name:
        return "agent"  # the LangChain handler tells agents by name alone
    return role


def _agent(span: Span, role: SpanRole | None) -> str | None:
    return text(span.name) if role == "agent" else _named(span.attributes)


def _named(attributes: Attributes) -> str | None:
    return text(decoded(attributes.get(_METADATA + "lc_agent_name")))


def _without_definitions(given: Any) -> tuple[Any, tuple[ToolDefinition, ...] | None]:
    """Take the tool definitions out of the messages, where the LangChain handler puts them."""
    if not isinstance(given, str) or '"function"' not in given:
        return given, None
    messages = decoded(given)
    if not isinstance(messages, list):
        return given, None
    offered = [item for item in messages if _is_definition(item)]
    if not offered:
        return given, None
    kept = [item for item in messages if not _is_definition(item)]
    return kept, read_definitions([item["content"] for item in offered])


def _is_definition(item: Any) -> bool:
    fields = mapping(item)
    content = mapping(fields.get("content"))
    return fields.get("role") == "tool" and isinstance(content.get("function"), dict)


def _cost(value: Any) -> float | None:
    costs: Mapping[str, Any] = mapping(decoded(value))
    total = real(costs.get("total"))
    if total is not None:
        return total
    parts = [cost for part in costs.values() if (cost := real(part)) is not None]
    return sum(parts) if parts else None


def _failed(value: Any) -> bool | None:
    return True if value == "ERROR" else None


def _message(span: Span) -> str | None:
    # A steering state update is told in the same place, on the level DEFAULT.
    failed = span.attributes.get(_LEVEL) == "ERROR"
    return first_text(span.attributes, "langfuse.observation.status_message") if failed else None


_FIELDS = Fields(
    text_field("response_model", _MODEL),
    value_field("usage", _USAGE, usage_in),
    value_field("cost_usd", _COST, _cost),
    value_field("failed", _LEVEL, _failed),
    Field("error_message", ("langfuse.observation.status_message",), _message),
    id_field("session_id", "session.id", "langfuse.session.id"),
    id_field("user_id", "user.id", "langfuse.user.id"),
)
DIALECT = Langfuse()
