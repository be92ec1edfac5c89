"""Pydantic AI: what it writes beside the standard keys, in all versions of its instrumentation.

Versions 1 and 2 name their spans `agent run` and `running tool` and put messages into lists of
events; later ones follow the conventions and add the whole conversation to the agent's span.
"""

from collections.abc import Sequence
from typing import Any

from scorer.dialects.event_list import Exchange, read_event_list, split_run
from scorer.dialects.fields import Fields, id_field, text_field, value_field
from scorer.dialects.messages import Content, read_messages
from scorer.dialects.observation import words
from scorer.dialects.values import text
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_ALL = "pydantic_ai.all_messages"
_ALL_EVENTS = "all_messages_events"
_EVENTS = "events"
_ARGUMENTS = "tool_arguments"
_RESPONSE = "tool_response"
_RESULT = "final_result"
_SCOPE = "pydantic-ai"
_KEYS = frozenset({_ALL, _ALL_EVENTS, _RESPONSE, _ARGUMENTS})
_NAMES: dict[str, SpanRole] = {"agent run": "agent", "running tool": "tool"}


class PydanticAi:
    """Reads the attributes that are Pydantic AI's own."""

    name = "pydantic_ai"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether Pydantic AI made the span."""
        return span.scope.name == _SCOPE or not _KEYS.isdisjoint(span.attributes)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what Pydantic AI says about the span."""
        attributes = span.attributes
        content = Content()
        role = _role(span)
        facts = _FIELDS.read(span)
        inputs, outputs = _messages(attributes, content)
        if role == "agent":
            facts["usage_is_aggregate"] = True
        return SpanFacts(
            role=role,
            input_messages=inputs or None,
            output_messages=outputs or None,
            media=tuple(content.media) or None,
            truncated=content.truncated or None,
            **facts,
        )


def _role(span: Span) -> SpanRole | None:
    """Return the role by the old names; a run or a tool may have been given a new name."""
    if _ALL_EVENTS in span.attributes:
        return "agent"
    return _NAMES.get(span.name)


def _messages(attributes: Attributes, content: Content) -> Exchange:
    if _ALL in attributes:
        return split_run(read_messages(attributes[_ALL], content) or ())
    if _ALL_EVENTS in attributes:
        said = read_event_list(attributes[_ALL_EVENTS], content)
        return split_run((*said.inputs, *said.outputs))
    if _EVENTS in attributes:
        return read_event_list(attributes[_EVENTS], content)
    return Exchange((), ())


def _value(value: Any) -> Any:
    return None if isinstance(value, str) and text(value) is None else value


_FIELDS = Fields(
    text_field("agent_name", "gen_ai.agent.name", "agent_name"),
    id_field("run_id", "gen_ai.agent.call.id"),
    value_field("tool_arguments", _ARGUMENTS, _value),
    value_field("tool_result", _RESPONSE, _value),
    value_field("output_text", _RESULT, words),
)
DIALECT = PydanticAi()
