"""The recorded input and output of a step, as products record them that wrap any function.

Langfuse, MLflow and their like write what went into a step and what came out of it as two
JSON texts. What these hold depends on the role of the step: the request and the response of a
model in the format of its provider, the arguments and the result of a tool, a query and its
documents, or the words of a user and an answer.
"""

from collections.abc import Mapping
from typing import Any

from scorer.dialects.documents import returned_documents
from scorer.dialects.messages import Content, read_message, read_messages
from scorer.dialects.payload import parse_arguments
from scorer.dialects.payload_text import is_message
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.transcript import read_transcript
from scorer.dialects.values import as_text, decoded, mapping, text
from scorer.model.agent_trace import Handoff, Message, Role
from scorer.model.span_facts import SpanRole

_REQUESTS = ("messages", "contents", "input", "inputs", "prompt", "prompts")
_RESPONSES = (
    "choices",
    "output",
    "candidates",
    "generations",
    "replies",
    "messages",
    "message",
    "response",
    "text",
)
_SYSTEM = ("system", "instructions", "system_instruction", "systemInstruction")
_LEVELS = 3
_DEPTH = 4


def observed(
    role: SpanRole | None, given: Any, returned: Any, content: Content, span_id: str
) -> dict[str, Any]:
    """Return the facts that the input and the output of a step of this role tell."""
    if role == "llm":
        return {
            "input_messages": recorded_messages(given, "user", content),
            "output_messages": recorded_messages(returned, "assistant", content),
            "tool_definitions": _definitions(given),
        }
    if role == "tool":
        return {"tool_arguments": call_arguments(given), "tool_result": present(returned)}
    facts: dict[str, Any] = {"input_text": words(given), "output_text": words(returned)}
    if role in ("retrieval", "rerank"):
        facts["documents"] = returned_documents(returned, span_id)
    return facts


def words(value: Any) -> str | None:
    """Return a recorded value as text, None when it says nothing."""
    return None if present(value) is None else text(as_text(value))


def present(value: Any) -> Any:
    """Return the value unless it is one of those that stand for nothing."""
    if isinstance(value, str) and (text(value) is None or value in ("null", '""', "{}", "[]")):
        return None
    return value


def call_arguments(given: Any) -> Any:
    """Return the arguments of a call; the record of a Python call is opened.

    Arguments that are objects of a framework are dropped.
    """
    structure = decoded(given)
    if isinstance(structure, str) and structure.startswith("{"):  # a repr, then
        structure = parse_arguments(structure).value
    keywords = mapping(structure).get("kwargs")
    if not isinstance(keywords, dict):
        return None if isinstance(given, str) and text(given) is None else given
    named = {key: value for key, value in keywords.items() if not _is_object(value)}
    positional = structure.get("args")
    return {"args": positional, **named} if positional else named


def handed_over(given: Any, returned: Any) -> Handoff | None:
    """Return who handed over to whom, where a step records it under the usual names."""
    both = {**mapping(decoded(given)), **mapping(decoded(returned))}
    target = text(both.get("to_agent"))
    return None if target is None else Handoff(text(both.get("from_agent")), target)


def recorded_messages(value: Any, role: Role, content: Content) -> tuple[Message, ...] | None:
    """Return the messages of a recorded request or response of a model."""
    value = present(value)
    if isinstance(value, str):
        if (spoken := read_transcript(value, content)) is not None:
            return spoken
        loaded = decoded(value, _LEVELS)
        value = content.load(loaded) or loaded if isinstance(loaded, str) else loaded
    return _messages(value, role, content, 0) or None


def _messages(value: Any, role: Role, content: Content, depth: int) -> tuple[Message, ...]:
    if isinstance(value, str):
        return (Message(role, value),) if text(value) is not None else ()
    if isinstance(value, list):
        items = [_candidate(item) for item in value]
        return read_messages(items, content, role) or ()
    if not isinstance(value, dict) or depth > _DEPTH:
        return ()
    blocks = value.get("content")
    if is_message(value) or (isinstance(blocks, (str, list)) and blocks):
        return read_message(value, content, role)
    for key in _REQUESTS if role == "user" else _RESPONSES:
        found = _messages(value[key], role, content, depth + 1) if value.get(key) else ()
        if found:
            return (*_system(value, found, content), *found) if role == "user" else found
    return ()


def _candidate(item: Any) -> Any:
    """Open a candidate of Gemini, which holds a message under `content`."""
    inner = mapping(item).get("content")
    return inner if isinstance(inner, dict) and "parts" in inner else item


def _system(
    value: Mapping[str, Any], found: tuple[Message, ...], content: Content
) -> tuple[Message, ...]:
    """Return the system prompt that stands beside the messages."""
    if any(message.role == "system" for message in found):
        return ()
    config = mapping(value.get("config"))
    for fields in (value, config):
        for key in _SYSTEM:
            prompt = fields.get(key)
            if isinstance(prompt, str) and text(prompt) is not None:
                return (Message("system", prompt),)
            if isinstance(prompt, list):
                parts = [{"role": "system", "parts": prompt}]
                return read_messages(parts, content, "system") or ()
    return ()


def _definitions(given: Any) -> Any:
    tools = mapping(decoded(given, _LEVELS)).get("tools")
    return read_definitions(tools) if isinstance(tools, (list, str)) else None


def _is_object(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("<") and " object at 0x" in value
