"""Codex CLI: log records `codex.*`, made spans by `session_logs`.

The answers of the model are in no record. A prompt is redacted unless `log_user_prompt` is set.
"""

from collections.abc import Sequence
from typing import Any

from scorer.dialects.session_logs import CODEX, SESSION_KEYS, session_events
from scorer.dialects.values import first_id, first_text, integer, text
from scorer.model.agent_trace import Message, Usage
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_SESSION = SESSION_KEYS[CODEX]
_COUNTS = ("input_token_count", "output_token_count", "cached_token_count")


class Codex:
    """Reads the session, its finished model responses and its tool results."""

    name = "codex"
    keys = frozenset({_SESSION})

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span was made of a log record of Codex."""
        return span.name.startswith(CODEX)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:
        """Return what the record says, for the session what all of them say."""
        attributes = span.attributes
        role: SpanRole | None = None
        facts: dict[str, Any] = {"session_id": first_id(attributes, _SESSION)}
        if span.name == CODEX + "session":
            role = "agent"
            facts.update(agent_name="codex", input_messages=_prompts(logs))
        elif span.name == CODEX + "tool_result":
            role = "tool"
            facts.update(tool_facts(attributes, "call_id"))
            facts["tool_arguments"] = text(attributes.get("arguments"))
            facts["tool_result"] = text(attributes.get("output"))
        elif attributes.get("event.kind") == "response.completed":
            role = "llm"
            facts["response_model"] = first_text(attributes, "model", "slug")
            facts["usage"] = _usage(attributes)
        return SpanFacts(role=role, **facts)


def tool_facts(attributes: Attributes, id_key: str) -> dict[str, Any]:
    """Return the name, the id and the outcome of a tool that a record tells of."""
    outcome = str(attributes.get("success")).lower()
    return {
        "tool_name": first_text(attributes, "tool_name") or "unknown",
        "tool_call_id": first_id(attributes, id_key),
        "tool_status": {"true": "success", "false": "error"}.get(outcome),
        "error_type": first_text(attributes, "error_type"),
        "error_message": first_text(attributes, "error"),
    }


def _prompts(logs: Sequence[LogRecord]) -> tuple[Message, ...] | None:
    found = [
        Message("user", prompt)
        for event in session_events(logs, CODEX)
        if event.name == CODEX + "user_prompt"
        and (prompt := text(event.record.attributes.get("prompt"))) is not None
    ]
    return tuple(found) or None


def _usage(attributes: Attributes) -> Usage | None:
    given, made, cached = (integer(attributes.get(key)) for key in _COUNTS)
    if given is None and made is None:
        return None
    reasoning = integer(attributes.get("reasoning_token_count"))
    return Usage(given, made, None, cached, None, reasoning)


DIALECT = Codex()
