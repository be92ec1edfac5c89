"""LiveKit agents (voice): `lk.*`; newer versions put what people said under `lk.pii.*`."""

from typing import Any

from scorer.dialects.fields import Fields, id_field, text_field, value_field
from scorer.dialects.messages import Content, read_messages
from scorer.dialects.observation import recorded_messages
from scorer.dialects.product import Product, present
from scorer.dialects.values import decoded, first_id, first_text, mapping, real
from scorer.model.agent_trace import Message
from scorer.model.span import Attributes, Span
from scorer.model.span_facts import SpanRole


def _both(name: str) -> tuple[str, str]:
    return f"lk.pii.{name}", f"lk.{name}"


_USER = (*_both("user_input"), *_both("user_transcript"))
_CONTEXT = _both("chat_ctx")
_RESPONSE = _both("response.text")
_REQUESTED = _both("response.function_calls")
_TOOL_NAME = "lk.function_tool.name"
_ARGUMENTS = _both("function_tool.arguments")
_OUTPUT = _both("function_tool.output")
_ROLES: dict[str, SpanRole] = {
    "agent_session": "workflow",
    "agent_turn": "agent",
    "assistant_turn": "agent",
    "llm_node": "llm",
    "function_tool": "tool",
    "user_turn": "chain",
    "tts_node": "chain",
}


def _role(span: Span) -> SpanRole | None:
    if _TOOL_NAME in span.attributes:
        return "tool"
    named = _ROLES.get(span.name)
    return "llm" if named is None and present(span.attributes, _CONTEXT) is not None else named


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    attributes = span.attributes
    if role == "tool":
        return _tool(span)
    if role == "llm":
        content = Content()
        return {
            "input_messages": _context(attributes, content),
            "output_messages": _reply(attributes, content),
            "media": tuple(content.media) or None,
            "input_text": None,
        }
    return {}


def _tool(span: Span) -> dict[str, Any]:
    failed = span.attributes.get("lk.function_tool.is_error")
    return {
        "tool_name": first_text(span.attributes, _TOOL_NAME) or span.name,
        "tool_call_id": first_id(span.attributes, "lk.function_tool.id"),
        "tool_arguments": present(span.attributes, _ARGUMENTS),
        "tool_result": present(span.attributes, _OUTPUT),
        "tool_status": "error" if failed is True or failed == "true" else None,
    }


def _context(attributes: Attributes, content: Content) -> tuple[Message, ...] | None:
    """Return the chat context: `{"items": [...]}` of messages, calls and their outputs."""
    data = decoded(present(attributes, _CONTEXT))
    items = mapping(data).get("items")
    if isinstance(items, list):
        return read_messages(items, content, "user") or None
    return recorded_messages(data, "user", content)


def _reply(attributes: Attributes, content: Content) -> tuple[Message, ...] | None:
    calls = decoded(present(attributes, _REQUESTED))
    words = first_text(attributes, *_RESPONSE)
    if isinstance(calls, list):
        items = [{"type": "function_call", **mapping(decoded(call))} for call in calls]
        asked = read_messages(items, content, "assistant") or ()
        requested = tuple(call for message in asked for call in message.tool_calls)
        return (Message("assistant", words, requested),) if words or requested else None
    return (Message("assistant", words),) if words else None


DIALECT = Product(
    "livekit",
    keys=(
        *_USER,
        *_CONTEXT,
        *_RESPONSE,
        *_REQUESTED,
        _TOOL_NAME,
        "lk.agent_name",
        "lk.agent_label",
        "lk.room_name",
        "lk.function_tool.id",
    ),
    role=_role,
    inputs=_USER,
    outputs=_RESPONSE,
    fields=Fields(
        text_field("agent_name", "lk.agent_name", "lk.agent_label"),
        value_field("time_to_first_chunk", "lk.response.ttft", real),
        id_field("session_id", "lk.room_name"),
        id_field("user_id", "lk.participant_identity"),
    ),
    more=_more,
)
