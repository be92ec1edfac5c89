"""Bedrock AgentCore: the spans of a framework, with the messages in log events of another shape.

The AWS distribution moves content out of spans into one log record per span, whose body is
`{"input": {"messages": [...]}, "output": {"messages": [...]}}`. The content of a message is one
level deeper than elsewhere: `{"content": {"content": ...}}` or `{"content": {"message": ...}}`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorer.dialects.messages import Content, read_message
from scorer.dialects.values import decoded, first_id, mapping
from scorer.model.agent_trace import Message, Role
from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts

_SIDES: tuple[tuple[str, Role], ...] = (("input", "user"), ("output", "assistant"))
_SESSION = ("session.id", "aws.bedrock_agentcore.session_id")


class BedrockAgentCore:
    """Reads the log events of the AWS distribution of OpenTelemetry."""

    name = "bedrock_agentcore"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether a log record of the span holds its messages."""
        return bool(logs) and any(True for _ in _bodies(logs))

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:
        """Return the messages in the log records, and on a tool span what it got and gave."""
        content = Content()
        found: dict[str, tuple[Message, ...]] = {}
        for body in _bodies(logs):
            for side, role in _SIDES:
                messages = mapping(body.get(side)).get("messages")
                read = _messages(messages, content, role)
                found[side] = found.get(side) or read
        session = (first_id(record.attributes, *_SESSION) for record in logs)
        facts: dict[str, Any] = {
            "session_id": next(filter(None, session), None) or first_id(span.attributes, *_SESSION),
            "media": tuple(content.media) or None,
            "truncated": content.truncated or None,
        }
        if span.attributes.get("gen_ai.operation.name") == "execute_tool":
            bodies = tuple(_bodies(logs))
            facts["tool_arguments"] = _first_content(bodies, "input")
            facts["tool_result"] = _first_content(bodies, "output")
        else:
            facts["input_messages"] = found.get("input") or None
            facts["output_messages"] = found.get("output") or None
        return SpanFacts(**facts)


def _bodies(logs: Sequence[LogRecord]) -> Iterator[Mapping[str, Any]]:
    for record in logs:
        body = decoded(record.body) if isinstance(record.body, (str, dict)) else None
        if isinstance(body, dict) and any(
            isinstance(mapping(body.get(side)).get("messages"), list) for side, _ in _SIDES
        ):
            yield body


def _messages(messages: Any, content: Content, otherwise: Role) -> tuple[Message, ...]:
    if not isinstance(messages, list):
        return ()
    return tuple(
        message for item in messages for message in read_message(_opened(item), content, otherwise)
    )


def _opened(item: Any) -> Any:
    """Put the content of a message where it stands elsewhere."""
    fields = mapping(item)
    inner = mapping(fields.get("content"))
    for key in ("content", "message"):
        if key in inner:
            return {**fields, "content": decoded(inner[key])}
    return item


def _first_content(bodies: Sequence[Mapping[str, Any]], side: str) -> Any:
    """Return the content of the first message, as it stands there."""
    for body in bodies:
        messages = mapping(body.get(side)).get("messages")
        if isinstance(messages, list) and messages:
            return mapping(_opened(messages[0])).get("content")
    return None


DIALECT = BedrockAgentCore()
