"""Logfire's own instrumentations of the OpenAI Agents SDK and of model clients.

Span names are templates ("Agent run: {name!r}"), the facts stand in attributes with plain
names. Its scrubber replaces values whose key looks secret, such as a session id.
"""

from collections.abc import Sequence
from typing import Any

from scorer.dialects.event_list import read_event_list
from scorer.dialects.fields import Field, Fields, value_field
from scorer.dialects.messages import Content
from scorer.dialects.observation import recorded_messages
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import decoded, first_text, identifier, mapping, text
from scorer.model.agent_trace import Handoff
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_SCOPE = "logfire."
_TEMPLATE = "logfire.msg_template"
_EVENTS = "events"
_REQUEST = "request_data"
_RESPONSE = "response_data"
_RAW_INPUT = "raw_input"
_SCRUBBED = "[Scrubbed due to"
_STARTS: tuple[tuple[str, SpanRole], ...] = (
    ("OpenAI Agents trace", "workflow"),
    ("Agent run", "agent"),
    ("Function: ", "tool"),
    ("Handoff: ", "handoff"),
    ("Guardrail", "guardrail"),
    ("Task: ", "chain"),
    ("Turn ", "chain"),
)
_NAMED = {"agent": "agent_name", "tool": "tool_name"}


class Logfire:
    """Reads the spans of the Logfire SDK that are no spans of Pydantic AI."""

    name = "logfire"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether an instrumentation of Logfire made the span."""
        return span.scope.name.startswith(_SCOPE) or _REQUEST in span.attributes

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what Logfire says about the span."""
        attributes = span.attributes
        content = Content()
        role = _role(span)
        facts = _FIELDS.read(span)
        if role == "tool":
            facts["tool_arguments"] = attributes.get("input")
            facts["tool_result"] = attributes.get("output")
        elif role == "llm":
            facts.update(_exchange(attributes, content))
        if role in _NAMED:
            facts[_NAMED[role]] = first_text(attributes, "name")
        return SpanFacts(
            role=role,
            media=tuple(content.media) or None,
            truncated=content.truncated or None,
            **facts,
        )


def _role(span: Span) -> SpanRole | None:
    attributes = span.attributes
    template = first_text(attributes, _TEMPLATE) or span.name
    role = next((role for start, role in _STARTS if template.startswith(start)), None)
    if role is None and (_EVENTS in attributes or _RAW_INPUT in attributes):
        return "llm"
    if role is None and {"messages", "input"} & mapping(decoded(attributes.get(_REQUEST))).keys():
        return "llm"
    return role


def _exchange(attributes: Attributes, content: Content) -> dict[str, Any]:
    if _EVENTS in attributes:
        inputs, outputs = read_event_list(attributes[_EVENTS], content)
        return {"input_messages": inputs or None, "output_messages": outputs or None}
    given = attributes.get(_REQUEST, attributes.get(_RAW_INPUT))
    returned = attributes.get(_RESPONSE, attributes.get("response"))
    response = mapping(decoded(returned))
    return {
        "input_messages": recorded_messages(given, "user", content),
        "output_messages": recorded_messages(returned, "assistant", content),
        "usage": usage_in(response.get("usage")),
        "tool_definitions": _definitions(given),
    }


def _definitions(given: Any) -> Any:
    tools = mapping(decoded(given)).get("tools")
    return read_definitions(tools) if isinstance(tools, list) else None


def _unscrubbed(value: Any) -> str | None:
    found = identifier(value)
    return None if found is None or found.startswith(_SCRUBBED) else found


def _user(value: Any) -> str | None:
    metadata = mapping(decoded(value))
    return next((u for key in ("user_id", "userId") if (u := _unscrubbed(metadata.get(key)))), None)


def _handoff(span: Span) -> Handoff | None:
    source = text(span.attributes.get("from_agent"))
    target = text(span.attributes.get("to_agent"))
    return Handoff(source, target) if source or target else None


_FIELDS = Fields(
    value_field("session_id", "group_id", _unscrubbed),
    value_field("user_id", "metadata", _user),
    Field("handoff", ("from_agent", "to_agent"), _handoff),
    value_field("agent_name", "agent_name", text),
)
DIALECT = Logfire()
