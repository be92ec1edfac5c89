"""Message content of the OpenTelemetry GenAI conventions that travels in events.

Before v1.37 every message was an event of its own (`gen_ai.user.message`, `gen_ai.choice`,
...), as a log record or as a span event; since then one event,
`gen_ai.client.inference.operation.details`, may carry all content as attributes. Bodies are
kvlists, JSON text, or spread over the event's attributes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.dialects.messages import Content, read_message
from scorer.dialects.transcript import read_transcript
from scorer.dialects.values import decoded, text
from scorer.model.agent_trace import Message, Role
from scorer.model.evaluation import EVENT_PREFIX
from scorer.model.span import LogRecord, Span

DETAILS = "gen_ai.client.inference.operation.details"
_ROLES: dict[str, Role] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE = "gen_ai.choice"
_WHOLE = "gen_ai.event.content"
_PROMPT = {
    "gen_ai.content.prompt": "gen_ai.prompt",
    "gen_ai.content.completion": "gen_ai.completion",
}


class EventContent(NamedTuple):
    """Messages found in events; `details` are the attributes of the details event."""

    inputs: tuple[Message, ...]
    outputs: tuple[Message, ...]
    details: Mapping[str, Any]


def is_content(name: str) -> bool:
    """Whether an event of this name holds content of the agent's; scores are not its own."""
    return name.startswith("gen_ai.") and not name.startswith(EVENT_PREFIX)


def read_events(span: Span, logs: Sequence[LogRecord], content: Content) -> EventContent | None:
    """Return the content of a span's events and log records, None when there is none."""
    inputs: list[Message] = []
    outputs: list[Message] = []
    details: Mapping[str, Any] = {}
    for name, body in _bodies(span, logs):
        if name == DETAILS:
            details = body
        elif name == _CHOICE:
            outputs.extend(read_message(_shaped(body), content, "assistant"))
        elif name in _ROLES:
            inputs.extend(_message(body, _ROLES[name], content))
        elif name in _PROMPT:
            _prompt(body.get(_PROMPT[name]), name, inputs, outputs, content)
    if not inputs and not outputs and not details:
        return None
    return EventContent(tuple(inputs), tuple(outputs), details)


def tool_events(span: Span) -> tuple[Any, Any]:
    """Return (arguments, result) that a tool span holds in its own message events."""
    arguments = result = None
    for event in span.events:
        if event.name == "gen_ai.tool.message":
            arguments = event.attributes.get("content")
        elif event.name == _CHOICE:
            result = event.attributes.get("message")
    return arguments, result


def _bodies(span: Span, logs: Sequence[LogRecord]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for event in span.events:
        if is_content(event.name):
            yield event.name, _with_content(event.attributes)
    for record in logs:
        name = record.event_name or record.attributes.get("event.name")
        if not isinstance(name, str) or not is_content(name):
            continue
        body = decoded(record.body)
        if name == DETAILS or not isinstance(body, dict):
            body = {**record.attributes, **(body if isinstance(body, dict) else {})}
        yield name, body


def _with_content(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Open the one attribute in which Azure's clients put the whole body."""
    whole = body.get(_WHOLE)
    if whole is None:
        return body
    opened = decoded(whole)
    return {**body, **(opened if isinstance(opened, dict) else {"content": whole})}


def _message(body: Mapping[str, Any], role: Role, content: Content) -> tuple[Message, ...]:
    if text(body.get("role")):
        return read_message(_shaped(body), content, role)
    return read_message({"role": role, **_shaped(body)}, content, role)


def _shaped(body: Mapping[str, Any]) -> dict[str, Any]:
    """Decode the content blocks that a span event can hold only as JSON text."""
    shaped = dict(body)
    for key in ("content", "message", "tool_calls"):
        value = decoded(shaped.get(key))
        if isinstance(value, (list, dict)):
            shaped[key] = value
    if isinstance(shaped.get("message"), str | list):
        shaped["content"] = shaped.pop("message")
    return shaped


def _prompt(
    value: Any, name: str, inputs: list[Message], outputs: list[Message], content: Content
) -> None:
    value = decoded(value)
    if isinstance(value, str) and (spoken := read_transcript(value, content)) is not None:
        value = None
        inputs.extend(spoken)
    if name.endswith("prompt"):
        target, role = inputs, "user"
    else:
        target, role = outputs, "assistant"
    for item in value if isinstance(value, list) else [value]:
        if item is not None:
            target.extend(read_message(item, content, role))  # type: ignore[arg-type]
