"""Claude Code: spans `claude_code.*` (`span.type`), and log records of the same names.

The cost, and what was said, stand in the log records only. Where there are no spans,
`session_logs` makes them of the records. Its input tokens do not include cached ones.
"""

from collections.abc import Sequence
from typing import Any

from scorer.dialects.codex import tool_facts
from scorer.dialects.session_logs import CLAUDE, SessionEvent, session_events
from scorer.dialects.values import first_id, first_text, integer, real, text
from scorer.model.agent_trace import Message, Role, Usage
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_ROLES: dict[str, SpanRole] = {
    "session": "agent",
    "interaction": "agent",
    "llm_request": "llm",
    "api_request": "llm",
    "api_error": "llm",
    "tool": "tool",
    "tool_result": "tool",
}
_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
_SAID: dict[str, tuple[str, Role]] = {
    CLAUDE + "user_prompt": ("prompt", "user"),
    CLAUDE + "assistant_response": ("response", "assistant"),
}


class ClaudeCode:
    """Reads spans of Claude Code and the log records that belong to them."""

    name = "claude_code"
    keys = frozenset({"span.type", "session.id", "request_id", "prompt.id"})

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span is one of Claude Code's, or was made of its log records."""
        return span.name.startswith(CLAUDE)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:
        """Return what the span and its log records say."""
        attributes = span.attributes
        events = session_events(logs, CLAUDE)
        role = _ROLES.get(span.name.removeprefix(CLAUDE))
        facts: dict[str, Any] = {
            "session_id": first_id(attributes, "session.id"),
            "user_id": first_id(attributes, "user.id"),
        }
        if role == "agent":
            facts.update(agent_name="claude_code", **_conversation(attributes, events))
        elif role == "llm":
            facts.update(_model(span, events))
        elif role == "tool":
            facts.update(_tool(attributes, events))
        return SpanFacts(role=role, **facts)


def _conversation(attributes: Attributes, events: Sequence[SessionEvent]) -> dict[str, Any]:
    """Return all turns but the last answer as input, that answer as output."""
    said = [
        Message(role, words)
        for event in events
        for key, role in [_SAID.get(event.name, ("", "user"))]
        if key and (words := text(event.record.attributes.get(key))) is not None
    ]
    prompt = text(attributes.get("user_prompt"))
    if prompt is not None and not any(message.role == "user" for message in said):
        said.insert(0, Message("user", prompt))
    answer = said.pop() if said and said[-1].role == "assistant" else None
    return {
        "input_messages": tuple(said) or None,
        "output_messages": None if answer is None else (answer,),
    }


def _model(span: Span, events: Sequence[SessionEvent]) -> dict[str, Any]:
    attributes = span.attributes
    costs = [attributes, *(event.record.attributes for event in events)]
    cost = next((c for a in costs if (c := real(a.get("cost_usd"))) is not None), None)
    reason = first_text(attributes, "stop_reason")
    failed = span.name == CLAUDE + "api_error" or str(attributes.get("success")).lower() == "false"
    return {
        "response_model": first_text(attributes, "model", "gen_ai.response.model"),
        "provider": "anthropic",
        "response_id": first_id(attributes, "request_id"),
        "usage": _usage(attributes),
        "cost_usd": cost,
        "finish_reasons": (reason,) if reason else None,
        "failed": failed or None,
        "error_message": first_text(attributes, "error"),
    }


def _usage(attributes: Attributes) -> Usage | None:
    """Return the counts with cached tokens as input."""
    given, made, read, written = (integer(attributes.get(key)) for key in _COUNTS)
    if given is None and made is None:
        return None
    total = None if given is None else given + (read or 0) + (written or 0)
    return Usage(total, made, None, read, written)


def _tool(attributes: Attributes, events: Sequence[SessionEvent]) -> dict[str, Any]:
    # The record of the result knows more than the span: its input, and how it ended.
    results = [e.record.attributes for e in events if e.name == CLAUDE + "tool_result"]
    merged = {**attributes, **(results[0] if results else {})}
    return {
        **tool_facts(merged, "tool_use_id"),
        "tool_arguments": first_text(merged, "tool_input", "tool_parameters"),
        "tool_result": first_text(merged, "tool_result", "output"),
    }


DIALECT = ClaudeCode()
