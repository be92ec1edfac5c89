"""Read chat messages in the shapes that instrumentations write.

The same conversation arrives as `{role, parts}` (OpenTelemetry), `{role, content,
tool_calls}` (OpenAI), content blocks (Anthropic, Bedrock, Gemini), items of the OpenAI
Responses API, serialised LangChain objects, `[role, text]` pairs, or Python reprs of message
objects. Every shape is first opened to (role, body), then its parts are read one by one. A
message that carries tool results becomes one message of role `tool` per result, so that a
role `user` always means that a user spoke.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from scorer.dialects import repair
from scorer.dialects.media import media_of
from scorer.dialects.message_text import message_fields
from scorer.dialects.payload import parse_arguments
from scorer.dialects.python_repr import CLASS, NotARepr, fields_in, is_repr, parse_repr
from scorer.dialects.values import (
    DECODER,
    as_text,
    first_text,
    identifier,
    mapping,
    parse_json,
    text,
)
from scorer.model.agent_trace import Media, Message, RequestedCall, Role

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "aimessagechunk": "assistant",
    "tool-call": "assistant",
    "tool": "tool",
    "function": "tool",
    "tool-response": "tool",
    "tool_response": "tool",
}
_CLASS_ROLES: dict[str, Role] = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
}
_TEXT_TYPES = frozenset({None, "text", "input_text", "output_text", "TextContent"})
_CALL_TYPES = frozenset({"tool_call", "tool_use", "function_call", "tool-call", "server_tool_call"})
_RESULT_TYPES = frozenset(
    {"tool_call_response", "tool_result", "function_call_output", "tool-return", "tool-result"}
)
_GEMINI = ("function_call=", "function_response=")  # the text of a part of Gemini
_SPEAKERS = {name: role for name, role in _ROLES.items() if role != "tool"}
_BODY_KEYS = ("parts", "content", "contents", "blocks")
_ARGUMENT_KEYS = ("arguments", "args", "input", "tool_kwargs")
_RESULT_KEYS = ("response", "result", "output", "content")
_CALL_IDS = ("call_id", "toolUseId", "toolCallId", "tool_call_id", "id", "ref")
_RESULT_IDS = ("call_id", "tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "id", "ref")
_TOOL_NAMES = ("name", "tool_name", "toolName")
_MAX_DEPTH = 6


class Content:
    """Gathers what reading the content of one span brings to light beside the messages."""

    __slots__ = ("media", "truncated")

    def __init__(self) -> None:
        self.media: list[Media] = []
        self.truncated = False

    def load(self, value: Any) -> Any:
        """Decode JSON text; a cut one is completed and marked; None when it is no JSON."""
        if not isinstance(value, str):
            return value
        try:
            return parse_json(value)
        except ValueError:
            pass
        rest = repair.salvage(value)
        self.truncated = self.truncated or rest is not None
        return rest


def read_messages(value: Any, content: Content, role: Role = "user") -> tuple[Message, ...] | None:
    """Return the messages that a value holds; `role` is for those that name none."""
    try:
        data = DECODER.decode(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):  # cut, or no JSON: `load` looks closer
        data = content.load(value)
    if isinstance(data, list) and len(data) == 1 and isinstance(data[0], dict):  # most replies
        only = _plain(data[0])
        if only is not None:
            return (only,)
    if isinstance(data, str):
        data = content.load(data) or data
    if isinstance(data, dict) and isinstance(data.get("messages"), list):
        data = data["messages"]
    if data is None or isinstance(data, (bool, int, float)):
        return None
    found: list[Message] = []
    _collect(data, content, role, found, 0)
    return tuple(found)


def read_message(value: Any, content: Content, role: Role = "user") -> tuple[Message, ...]:
    """Return the messages that one message object holds (one, plus one per tool result)."""
    found: list[Message] = []
    _collect(value, content, role, found, 1)
    return tuple(found)


def _collect(item: Any, content: Content, role: Role, found: list[Message], depth: int) -> None:
    if depth > _MAX_DEPTH:
        return
    if isinstance(item, dict):
        if (plain := _plain(item)) is not None:
            found.append(plain)
        else:
            found.extend(_from_dict(item, content, role))
    elif isinstance(item, (list, tuple)):
        if pair := _pair(item):
            found.append(pair)
            return
        for inner in item:
            _collect(inner, content, role, found, depth + 1)
    elif isinstance(item, str):
        structure = _from_repr(item)
        if structure is None:
            found.append(Message(role, item))
        else:
            _collect(structure, content, role, found, depth + 1)


def _pair(item: Any) -> Message | None:
    if len(item) != 2 or not isinstance(item[0], str) or not isinstance(item[1], str):
        return None
    known = _ROLES.get(item[0])
    return Message(known, item[1]) if known else None


def _from_repr(value: str) -> Any:
    if not is_repr(value):
        return message_fields(value)
    try:
        return parse_repr(value)
    except NotARepr:
        return None


def _from_dict(item: Mapping[str, Any], content: Content, otherwise: Role) -> list[Message]:
    role, body = _open(item)
    draft = _Draft(content)
    kind = text(item.get("type"))
    if kind in _CALL_TYPES or kind in _RESULT_TYPES:  # a bare item of the Responses API
        draft.part(item)
        role, body = role or "assistant", {}
    elif kind == "reasoning":
        return []
    else:
        draft.body(body)
    if role is None and draft.is_empty():
        return []  # something else than a message
    return draft.messages(role or otherwise, body)


def _plain(item: Mapping[str, Any]) -> Message | None:
    """Read the commonest shape at once: a role and a single text; None for any other."""
    role = item.get("role")
    body = item.get("parts") or item.get("content")
    # With a body, this length means that there is nothing beside these.
    extra = len(item) - 2
    if not isinstance(role, str) or (
        extra and extra != ("finish_reason" in item) + ("name" in item)
    ):
        return None
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], dict):
        part = body[0]
        if len(part) != 2 or part.get("type") != "text":
            return None
        body = part.get("content") or part.get("text")
    words = text(body)
    speaker = _SPEAKERS.get(role)
    # What ends so may be the repr of a tool call.
    if words is None or speaker is None or words.endswith((")", "=None")):
        return None
    return Message(speaker, words, (), None, text(item.get("name")) if extra else None)


def _open(item: Mapping[str, Any], depth: int = 0) -> tuple[Role | None, Mapping[str, Any]]:
    """Return the role and the fields of a message, whatever envelope it is in."""
    if isinstance(item.get("kwargs"), dict) and isinstance(item.get("id"), list):  # LangChain
        body = item["kwargs"]
        name = item["id"][-1] if item["id"] else None
        return _CLASS_ROLES.get(str(name)) or _role(body.get("type")), body
    if isinstance(item.get("data"), dict) and "role" not in item:  # LangChain, as dict
        return _role(item.get("type")), item["data"]
    if isinstance(item.get("message"), dict) and depth < _MAX_DEPTH:  # choices, generations
        role, body = _open(item["message"], depth + 1)
        return role or "assistant", {**item, **body}
    if "message.role" in item:
        item = {key.removeprefix("message."): value for key, value in item.items()}
    if CLASS in item:
        item = {key.removeprefix("_"): value for key, value in item.items() if key != CLASS}
    return _role(item.get("role")) or _role(item.get("type")), item


def _role(value: Any) -> Role | None:
    return _ROLES.get(value.lower()) if isinstance(value, str) else None


class _Draft:
    """One message while its parts are read."""

    __slots__ = ("calls", "content", "ids", "results", "texts")

    def __init__(self, content: Content) -> None:
        self.content = content
        self.texts: list[str] = []
        self.calls: list[RequestedCall] = []
        self.ids: set[str | None] = set()
        self.results: list[Message] = []

    def body(self, body: Mapping[str, Any]) -> None:
        parts = _first(body, _BODY_KEYS)
        if parts is None and isinstance(body.get("content"), str):
            self.texts.append("")
        elif isinstance(parts, str):
            self._text(parts)
        elif isinstance(parts, dict):
            self.part(parts)
        else:
            self.parts(parts)
        calls = body.get("tool_calls") or mapping(body.get("additional_kwargs")).get("tool_calls")
        if isinstance(calls, list):
            for call in calls:
                self._call(mapping(call))
        if isinstance(body.get("function_call"), dict):
            self._call(body["function_call"])

    def parts(self, parts: Any) -> None:
        if isinstance(parts, Iterable):
            for part in parts:
                if isinstance(part, dict):
                    self.part(part)
                elif isinstance(part, str):
                    self._text(part)

    def part(self, part: Mapping[str, Any]) -> None:
        kind = text(part.get("type") or part.get("block_type")) or text(part.get(CLASS))
        if kind in _TEXT_TYPES and self._text(part.get("content") or part.get("text")):
            return
        if kind in _CALL_TYPES or (kind == "function" and isinstance(part.get("function"), dict)):
            self._call(part)
        elif kind in _RESULT_TYPES:
            self._result(part)
        elif not self._vendor(part) and (media := media_of(part)) is not None:
            self.content.media.append(media)

    def _text(self, value: Any) -> bool:
        if not isinstance(value, str) or not value:
            return False
        if any(mark in value for mark in _GEMINI) and (part := fields_in(value)):
            if not self._vendor(part):
                self._text(part.get("text"))
            return True
        structure = _from_repr(value) if value.endswith(")") else None
        if isinstance(structure, dict) and text(structure.get("type")) in _CALL_TYPES:
            self._call(structure)
        elif text(value) is not None:
            self.texts.append(value)
        return True

    def _vendor(self, part: Mapping[str, Any]) -> bool:
        """Read the parts that are named by their key (Bedrock, Gemini) or class (Haystack)."""
        for key in ("toolUse", "function_call", "functionCall", "toolRequest"):
            if isinstance(part.get(key), dict):
                self._call(part[key])
                return True
        for key in ("toolResult", "function_response", "functionResponse", "toolResponse"):
            if isinstance(part.get(key), dict):
                self._result(part[key])
                return True
        if part.get(CLASS) == "ToolCall":
            self._call(part)
            return True
        if part.get(CLASS) == "ToolCallResult":
            origin = mapping(part.get("origin"))
            self._result({"id": origin.get("id"), "result": part.get("result"), **origin})
            return True
        return False

    def _call(self, call: Mapping[str, Any]) -> None:
        function = mapping(call.get("function")) or call
        name = first_text(function, *_TOOL_NAMES)
        if name is None:
            return
        call_id = identifier(_first(call, _CALL_IDS))
        # LangChain tells a call twice: as a content block and in `tool_calls`.
        if call_id is None or call_id not in self.ids:
            arguments = parse_arguments(_present(function, _ARGUMENT_KEYS)).value
            self.calls.append(RequestedCall(name, arguments, call_id))
            self.ids.add(call_id)

    def _result(self, part: Mapping[str, Any]) -> None:
        self.results.append(
            Message(
                "tool",
                _joined(_present(part, _RESULT_KEYS)),
                tool_call_id=identifier(_first(part, _RESULT_IDS)),
                name=first_text(part, *_TOOL_NAMES),
            )
        )

    def is_empty(self) -> bool:
        return not (self.texts or self.calls or self.results)

    def messages(self, role: Role, body: Mapping[str, Any]) -> list[Message]:
        if self.results and not self.texts and not self.calls:
            return self.results
        joined = "\n".join(self.texts) if self.texts else None
        name = text(body.get("name"))
        if role == "tool":
            call_id = identifier(body.get("tool_call_id") or body.get("id"))
            return [Message(role, joined, tool_call_id=call_id, name=name), *self.results]
        if not joined and self.calls:
            joined = None
        return [Message(role, joined, tuple(self.calls), None, name), *self.results]


def _joined(value: Any) -> str | None:
    """Return the text of a tool result: its text blocks joined, else the value as text."""
    if isinstance(value, dict) and value.keys() == {"type", "value"}:  # of the Vercel AI SDK
        value = value["value"]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        texts = [item.get("text") or item.get("content") for item in value]
        if all(isinstance(item, str) for item in texts):
            return "\n".join(texts)
    return as_text(value)


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """Return the first value that says something."""
    for key in keys:
        if value := fields.get(key):
            return value
    return None


def _present(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """Return the first value that is there, whatever it is."""
    for key in keys:
        if key in fields:
            return fields[key]
    return None
