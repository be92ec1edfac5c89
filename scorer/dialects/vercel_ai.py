"""Vercel AI SDK (`experimental_telemetry`): `ai.operationId`, `ai.prompt`, `ai.response.*`.

An outer span (`ai.generateText`) runs a loop of model calls (`ai.generateText.doGenerate`) and
tools (`ai.toolCall`); its usage is the sum of the calls. The function id of the telemetry
settings names the agent.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.dialects.fields import Field, Fields, id_field, text_field, value_field
from scorer.dialects.messages import Content
from scorer.dialects.observation import present, recorded_messages
from scorer.dialects.payload import parse_arguments
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import (
    as_text,
    decoded,
    first_text,
    identifier,
    integer,
    mapping,
    real,
    text,
)
from scorer.model.agent_trace import Message, RequestedCall, ToolDefinition, Usage
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_OPERATION = "ai.operationId"
_FUNCTION = "ai.telemetry.functionId"
_GENERATES = frozenset(
    {"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject", "ai.agent"}
)
_ANSWERS = ("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object")
_CALLS = ("ai.response.toolCalls", "ai.result.toolCalls")
_CONTEXTS = ("ai.telemetry.metadata.", "ai.settings.context.")
_SESSION = tuple(
    prefix + name
    for prefix in _CONTEXTS
    for name in (
        "sessionId",
        "session_id",
        "threadId",
        "thread_id",
        "conversationId",
        "conversation_id",
        "chatId",
    )
)
_USER = tuple(prefix + name for prefix in _CONTEXTS for name in ("userId", "user_id"))
# In the order of the fields of `Usage`; of each, the first key that holds a count decides.
_COUNTS = (
    ("ai.usage.inputTokens", "ai.usage.promptTokens"),
    ("ai.usage.outputTokens", "ai.usage.completionTokens"),
    ("ai.usage.totalTokens",),
    ("ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"),
    ("ai.usage.inputTokenDetails.cacheWriteTokens",),
    ("ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"),
)


class VercelAi:
    """Reads the `ai.*` attributes of the Vercel AI SDK."""

    name = "vercel_ai"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span is an operation of the SDK."""
        return _OPERATION in span.attributes

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what the SDK says about the span."""
        attributes = span.attributes
        content = Content()
        role = _role(attributes)
        facts = _FIELDS.read(span)
        if role == "tool":
            facts["tool_arguments"] = attributes.get("ai.toolCall.args")
            facts["tool_result"] = present(attributes.get("ai.toolCall.result"))
        else:
            facts["input_messages"] = _inputs(attributes, content)
            facts["output_messages"] = _outputs(attributes)
        return SpanFacts(
            role=role,
            usage_is_aggregate=True if role in ("agent", "workflow") else None,
            media=tuple(content.media) or None,
            truncated=content.truncated or None,
            **facts,
        )


def _role(attributes: Attributes) -> SpanRole | None:
    operation = attributes.get(_OPERATION)
    if not isinstance(operation, str):
        return None
    if operation in _GENERATES:
        return "agent" if first_text(attributes, _FUNCTION) else "workflow"
    if operation == "ai.toolCall":
        return "tool"
    if operation.startswith("ai.embed"):
        return "embedding"
    if operation.startswith("ai.rerank"):
        return "rerank"
    return "llm" if operation.endswith((".doGenerate", ".doStream")) else None


def _inputs(attributes: Attributes, content: Content) -> tuple[Message, ...] | None:
    prompt = attributes.get("ai.prompt.messages", attributes.get("ai.prompt"))
    return None if prompt is None else recorded_messages(prompt, "user", content)


def _outputs(attributes: Attributes) -> tuple[Message, ...] | None:
    answer = first_text(attributes, *_ANSWERS)
    calls = tuple(_requested(decoded(attributes.get(key)) for key in _CALLS))
    if answer is None and not calls:
        return None
    return (Message("assistant", answer, calls),)


def _requested(values: Any) -> list[RequestedCall]:
    items = next((value for value in values if isinstance(value, list)), [])
    return [call for item in items if (call := _call(mapping(item))) is not None]


def _call(item: Mapping[str, Any]) -> RequestedCall | None:
    name = text(item.get("toolName"))
    if name is None:
        return None
    arguments = parse_arguments(item.get("input", item.get("args"))).value
    return RequestedCall(name, arguments, identifier(item.get("toolCallId")))


def _usage(span: Span) -> Usage:
    return Usage(*[_count(span.attributes, keys) for keys in _COUNTS])


def _count(attributes: Attributes, keys: tuple[str, ...]) -> int | None:
    found = (integer(attributes[key]) for key in keys if key in attributes)
    return next((count for count in found if count is not None), None)


def _definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    return read_definitions(value) if isinstance(value, (str, list)) else None


def _seconds(value: Any) -> float | None:
    milliseconds = real(value)
    return None if milliseconds is None or milliseconds < 0 else milliseconds / 1000


def _reason(value: Any) -> tuple[str, ...] | None:
    reason = text(as_text(value))
    return None if reason is None else (reason,)


_FIELDS = Fields(
    text_field("request_model", "ai.model.id"),
    text_field("response_model", "ai.response.model"),
    id_field("response_id", "ai.response.id"),
    text_field("provider", "ai.model.provider"),
    text_field("agent_name", _FUNCTION),
    text_field("tool_name", "ai.toolCall.name"),
    id_field("tool_call_id", "ai.toolCall.id"),
    value_field("tool_definitions", "ai.prompt.tools", _definitions),
    value_field("finish_reasons", "ai.response.finishReason", _reason),
    Field("usage", tuple(key for keys in _COUNTS[:3] for key in keys), _usage),
    value_field("time_to_first_chunk", "ai.response.msToFirstChunk", _seconds),
    id_field("session_id", *_SESSION),
    id_field("user_id", *_USER),
)
DIALECT = VercelAi()
