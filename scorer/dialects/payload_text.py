"""Find the user's words and the answer inside a recorded input or output.

Frameworks record the arguments and the return value of whatever they wrap: a chat state, a
`{"args": [...], "kwargs": {...}}` envelope, a retriever's `{"query": ...}`. The search knows
the names under which such payloads hold a request or a reply, looks at most a few levels
deep, and gives nothing rather than a guess.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scorer.dialects.message_text import message_fields
from scorer.dialects.messages import Content, read_message, read_messages
from scorer.dialects.python_repr import is_repr
from scorer.dialects.repair import looks_cut, salvage
from scorer.dialects.values import decoded, text
from scorer.model.agent_trace import Message

_REQUEST_KEYS = (
    "messages",
    "new_message",
    "inputs",
    "input",
    "question",
    "query",
    "query_str",
    "query_bundle",
    "prompt",
    "task",
    "user_input",
    "user_msg",
    "message",
    "request",
    "args",
    "kwargs",
    "data",
)
_REPLY_KEYS = (
    "messages",
    "outputs",
    "output",
    "answer",
    "response",
    "result",
    "replies",
    "choices",
    "generations",
    "content",
    "raw",
    "text",
    "final_output",
)
_MESSAGE_LISTS = frozenset({"messages", "replies", "choices", "generations"})
_REQUESTS = ("input", "inputs")
_BODIES = frozenset({"content", "parts", "blocks"})
_DEPTH = 5
_Find = Callable[[tuple[Message, ...]], str | None]


def last_user_text(messages: Iterable[Message]) -> str | None:
    """Return the text of the last message of a user."""
    for message in reversed(tuple(messages)):
        if message.role == "user" and text(message.text):
            return message.text
    return None


def last_reply(messages: Iterable[Message]) -> str | None:
    """Return the text of the last message of the assistant that calls no tool."""
    for message in reversed(tuple(messages)):
        if message.role == "assistant" and not message.tool_calls and text(message.text):
            return message.text
        if message.role == "user":
            return None
    return None


def request_in(value: Any) -> str | None:
    """Return the user's words in a recorded input."""
    return _search(value, _REQUEST_KEYS, last_user_text, 0)


def reply_in(value: Any) -> str | None:
    """Return the answer in a recorded output."""
    return _search(value, _REPLY_KEYS, last_reply, 0)


def messages_in(value: Any) -> tuple[Message, ...]:
    """Return the conversation in a recorded input or output, () when it holds none."""
    return _conversation(decoded(value), 0)


def _conversation(value: Any, depth: int) -> tuple[Message, ...]:
    if not isinstance(value, dict) or depth > _DEPTH:
        return ()
    for key in _MESSAGE_LISTS:
        if isinstance(value.get(key), list):
            return read_messages(value[key], Content(), "assistant") or ()
    for key in _REQUESTS:
        inner = value.get(key)
        if isinstance(inner, list) and inner and all(map(_is_message, inner)):
            return read_messages(inner, Content(), "user") or ()
    best: tuple[Message, ...] = ()
    for inner in value.values():
        candidates = inner if isinstance(inner, list) else [inner]
        for candidate in candidates[:8]:
            found = _conversation(candidate, depth + 1)
            best = found if len(found) > len(best) else best
    return best


def _search(value: Any, keys: tuple[str, ...], find: _Find, depth: int) -> str | None:
    value = decoded(value)
    if isinstance(value, str):
        rest = salvage(value)
        if rest is None:
            rest = message_fields(value)
        if rest is None:
            return None if is_repr(value) or looks_cut(value) else text(value)
        value = rest
    return _in_structure(value, keys, find, depth) if depth <= _DEPTH else None


def _in_structure(value: Any, keys: tuple[str, ...], find: _Find, depth: int) -> str | None:
    if isinstance(value, list):
        if depth == 0 and keys is _REPLY_KEYS and all(isinstance(item, str) for item in value):
            return None  # pieces of a text, or passages
        return _in_list(value, keys, find, depth)
    if not isinstance(value, dict):
        return None
    if is_message(value):
        return find(read_message(value, Content(), "assistant" if find is last_reply else "user"))
    return _in_dict(value, keys, find, depth)


def _in_dict(
    value: Mapping[str, Any], keys: tuple[str, ...], find: _Find, depth: int
) -> str | None:
    for key in keys:
        inner = value.get(key)
        if not inner:
            continue
        if key in _MESSAGE_LISTS and isinstance(inner, list):
            role = "assistant" if find is last_reply else "user"
            found = find(read_messages(inner, Content(), role) or ())  # type: ignore[arg-type]
        else:
            found = _search(inner, keys, find, depth + 1)
        if found is not None:
            return found
    inner_values = tuple(value.values())
    if keys is _REQUEST_KEYS and depth < 2 and _is_single_text(inner_values):
        return text(inner_values[0])
    # Pipelines record under the names of their components: {"data": {name: input}}, {name: output}.
    components = 1 if keys is _REQUEST_KEYS else 0
    nested = (inner for inner in inner_values if isinstance(inner, dict) and depth == components)
    return next(filter(None, (_search(inner, keys, find, depth + 1) for inner in nested)), None)


def _is_single_text(values: tuple[Any, ...]) -> bool:
    return len(values) == 1 and isinstance(values[0], str)


def _in_list(value: list[Any], keys: tuple[str, ...], find: _Find, depth: int) -> str | None:
    if value and all(isinstance(item, dict) for item in value):
        messages = read_messages(value, Content(), "user") or ()
        if any(is_message(item) for item in value):
            return find(messages)
    for item in value[:4]:
        found = _search(item, keys, find, depth + 1)
        if found is not None:
            return found
    return None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and is_message(value)


def is_message(value: Mapping[str, Any]) -> bool:
    """Tell whether a dict is one message, in any of the usual shapes."""
    if ("role" in value or "_role" in value) and not _BODIES.isdisjoint(value):
        return True
    if isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list):
        return True
    return value.get("type") in ("human", "ai", "tool", "system") and (
        "data" in value or "content" in value
    )
