"""Google ADK, schema 1: `gcp.vertex.agent.*` beside the standard keys; `{}` = not captured."""

from collections.abc import Sequence
from typing import Any

from scorer.dialects.fields import Fields, id_field, value_field
from scorer.dialects.messages import Content
from scorer.dialects.observation import present, recorded_messages
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import decoded, mapping, text
from scorer.model.agent_trace import ToolDefinition
from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_REQUEST = "gcp.vertex.agent.llm_request"
_RESPONSE = "gcp.vertex.agent.llm_response"
_ARGUMENTS = "gcp.vertex.agent.tool_call_args"
_RESULT = "gcp.vertex.agent.tool_response"
_SESSION = "gcp.vertex.agent.session_id"
_KEYS = frozenset({_REQUEST, _RESPONSE, _ARGUMENTS, _RESULT, _SESSION})


class GoogleAdk:
    """Reads what ADK adds to the standard keys."""

    name = "google_adk"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span carries a key of ADK."""
        return not _KEYS.isdisjoint(span.attributes)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what ADK says about the span."""
        attributes = span.attributes
        facts = _FIELDS.read(span)
        request, response = present(attributes.get(_REQUEST)), present(attributes.get(_RESPONSE))
        role = _role(span)
        if role == "tool" or (request is None and response is None):
            return SpanFacts(role=role, **facts)
        content = Content()
        answer = mapping(decoded(response))
        asked = mapping(decoded(request))
        return SpanFacts(
            role=role,
            input_messages=recorded_messages(request, "user", content),
            output_messages=recorded_messages(answer.get("content"), "assistant", content),
            request_model=text(asked.get("model")),
            response_model=text(answer.get("model_version")),
            usage=usage_in(answer.get("usage_metadata")),
            tool_definitions=_definitions(asked),
            media=tuple(content.media) or None,
            truncated=content.truncated or None,
            **facts,
        )


def _role(span: Span) -> SpanRole | None:
    if span.name == "call_llm":
        return "llm"
    return "tool" if not {_ARGUMENTS, _RESULT}.isdisjoint(span.attributes) else None


def _definitions(asked: Any) -> tuple[ToolDefinition, ...] | None:
    tools = mapping(asked.get("config")).get("tools")
    found: list[ToolDefinition] = []
    for tool in tools if isinstance(tools, list) else ():
        declared = mapping(tool).get("function_declarations")
        found.extend((read_definitions(declared) if isinstance(declared, list) else None) or ())
    return tuple(found) or None


def _value(value: Any) -> Any:
    """Return arguments or a result; an empty map is what ADK writes without capture."""
    return None if isinstance(value, str) and text(value) is None else value


_FIELDS = Fields(
    value_field("tool_arguments", _ARGUMENTS, _value),
    value_field("tool_result", _RESULT, present),
    id_field("session_id", _SESSION),
)
DIALECT = GoogleAdk()
