"""MLflow 3 tracing: `mlflow.spanType`, `mlflow.spanInputs`, `mlflow.spanOutputs`.

Every attribute value is itself a JSON text, so even a plain string stands in quotes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.dialects.fields import Field, Fields, value_field
from scorer.dialects.messages import Content
from scorer.dialects.observation import handed_over, observed
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import decoded, first_id, identifier, mapping, real, text
from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_TYPE = "mlflow.spanType"
_IN = "mlflow.spanInputs"
_OUT = "mlflow.spanOutputs"
_KEYS = frozenset({_TYPE, _IN, _OUT})
_ROLES: dict[str, SpanRole] = {
    "CHAT_MODEL": "llm",
    "LLM": "llm",
    "AGENT": "agent",
    "TOOL": "tool",
    "RETRIEVER": "retrieval",
    "RERANKER": "rerank",
    "EMBEDDING": "embedding",
    "CHAIN": "chain",
    "PARSER": "chain",
    "MEMORY": "chain",
    "TASK": "chain",
    "UNKNOWN": "chain",
    "WORKFLOW": "workflow",
    "EVALUATOR": "evaluator",
    "GUARDRAIL": "guardrail",
}
_SESSION = ("session.id", "mlflow.trace.session")
_USER = ("user.id", "mlflow.trace.user")
# The metadata of LangChain, which autologging records as it is.
_METADATA = "metadata"
_LC_AGENT = "lc_agent_name"
_IN_METADATA = {
    "session_id": ("session_id", "thread_id", "conversation_id"),
    "user_id": ("user_id",),
}


class MlFlow:
    """Reads the attributes of MLflow's tracing and of its autologging."""

    name = "mlflow"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether MLflow made the span."""
        return not _KEYS.isdisjoint(span.attributes)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what MLflow says about the span."""
        attributes = span.attributes
        content = Content()
        metadata = mapping(decoded(attributes.get(_METADATA)))
        role = _role(span, metadata)
        facts = _FIELDS.read(span)
        given, returned = attributes.get(_IN), attributes.get(_OUT)
        handoff = handed_over(given, returned) if role in ("chain", "tool") else None
        if handoff is not None:
            role = "handoff"
        observation = observed(role, given, returned, content, span.span_id)
        facts.update({key: value for key, value in observation.items() if value is not None})
        if role == "llm":
            facts["response_id"] = facts.get("response_id") or _response_id(returned)
        elif role == "tool":
            facts["tool_name"] = text(span.name)
        facts["agent_name"] = text(span.name if role == "agent" else metadata.get(_LC_AGENT))
        for field, keys in _IN_METADATA.items():
            facts[field] = facts.get(field) or first_id(metadata, *keys)
        return SpanFacts(
            role=role,
            handoff=handoff,
            media=tuple(content.media) or None,
            truncated=content.truncated or None,
            **facts,
        )


def _role(span: Span, metadata: Mapping[str, Any]) -> SpanRole | None:
    kind = decoded(span.attributes.get(_TYPE))
    role = _ROLES.get(kind.upper()) if isinstance(kind, str) else None
    if role == "chain" and metadata.get(_LC_AGENT) == span.name:
        return "agent"  # LangChain tells agents by name alone
    return role


def _text(value: Any) -> str | None:
    return text(decoded(value))


def _response_id(returned: Any) -> str | None:
    return identifier(mapping(decoded(returned)).get("id"))


def _first(keys: tuple[str, ...], span: Span) -> str | None:
    found = (identifier(decoded(span.attributes.get(key))) for key in keys)
    return next((value for value in found if value is not None), None)


def _cost(value: Any) -> float | None:
    return real(mapping(decoded(value)).get("total_cost"))


def _definitions(value: Any) -> Any:
    return read_definitions(value) if isinstance(value, (str, list)) else None


_FIELDS = Fields(
    value_field("request_model", "model", _text),
    value_field("response_model", "mlflow.llm.model", _text),
    value_field("provider", "mlflow.llm.provider", _text),
    value_field("usage", "mlflow.chat.tokenUsage", usage_in),
    value_field("cost_usd", "mlflow.llm.cost", _cost),
    value_field("tool_definitions", "mlflow.chat.tools", _definitions),
    Field("session_id", _SESSION, lambda span: _first(_SESSION, span)),
    Field("user_id", _USER, lambda span: _first(_USER, span)),
)
DIALECT = MlFlow()
