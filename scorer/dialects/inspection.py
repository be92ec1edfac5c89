"""The normalised view as the plain dict that `spanscore inspect --json` prints."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from scorer.model.agent_trace import AgentTrace, Message, ToolCall

_T = TypeVar("_T")


def inspection(view: AgentTrace) -> dict[str, Any]:
    """Return the view under the keys of the command; None = not present in spans or logs."""
    usage = view.usage
    return {
        "trace_id": view.trace_id,
        "dialects": list(view.dialects),
        "service": view.service,
        "question": view.question,
        "answer": view.answer,
        "contexts": _each(lambda document: document.text, view.contexts),
        "tool_calls": _each(_tool_call, view.tool_calls),
        "agents": [agent.name for agent in view.agents],
        "handoffs": [{"from": item.source, "to": item.target} for item in view.handoffs],
        "models": list(view.models),
        "prompt_tokens": usage.input if usage is not None else None,
        "completion_tokens": usage.output if usage is not None else None,
        "cost_usd": view.cost_usd,
        "session_id": view.session_id,
        "user_id": view.user_id,
        "has_error": view.has_error,
        "span_count": view.completeness.span_count,
        "completeness": msgspec.to_builtins(view.completeness),
        "media": [msgspec.to_builtins(media) for media in view.media],
        "messages": _each(_message, view.messages),
    }


def _each(show: Callable[[_T], Any], items: Iterable[_T] | None) -> list[Any] | None:
    """Return what is shown of each item, without those that show nothing."""
    return None if items is None else [shown for item in items if (shown := show(item))]


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "status": call.status,
    }


def _message(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.name is not None:
        fields["name"] = message.name
    if message.tool_calls:
        fields["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        fields["tool_call_id"] = message.tool_call_id
    return fields
