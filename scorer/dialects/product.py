"""A dialect of one product: its own keys, a kind that names the role, an input and an output.

Most products write the same few things under keys of their own, so a dialect is a table of them.
What the input and the output are depends on the role: the messages of a model call, the
arguments and the result of a tool, the query and the documents of a retrieval.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scorer.dialects.fields import Fields
from scorer.dialects.messages import Content, read_message, read_messages
from scorer.dialects.payload_text import messages_in, reply_in, request_in
from scorer.dialects.repair import looks_cut
from scorer.dialects.values import as_text, decoded, first_text, identifier, mapping, real, text
from scorer.model.agent_trace import Document, Message, Role
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_TEXT_KEYS = ("page_content", "content", "text", "document", "chunk")
_LIST_KEYS = ("documents", "nodes", "results", "matches", "output")
_MESSAGES = ("messages", "replies", "choices", "generations", "contents")

Read = Callable[[Span, SpanRole | None], Mapping[str, Any]]


class Product:
    """A dialect that is a table.

    `keys` are attributes of which every span of the product has one. `kinds` names the role by
    the lower-case value of the first attribute of `kind` that is there; `role` finds it where
    more is needed. `fields` are read as they are; `inputs` and `outputs` are the attributes for
    what went in and came out, best first. `more` adds to the facts, and wins.
    """

    matches_by_keys = True

    def __init__(  # noqa: PLR0913 - the columns of the table
        self,
        name: str,
        *,
        keys: Iterable[str],
        kind: Sequence[str] = (),
        kinds: Mapping[str, SpanRole] | None = None,
        role: Callable[[Span], SpanRole | None] | None = None,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        fields: Fields | None = None,
        more: Read | None = None,
    ) -> None:
        self.name = name
        self.keys = frozenset(keys)
        self.read_keys = frozenset((*kind, *inputs, *outputs)) | (fields or Fields()).keys
        self._kind = tuple(kind)
        self._kinds = kinds or {}
        self._find_role = role or self._named_role
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._fields = fields or Fields()
        self._more = more

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span has an attribute of the product."""
        return not self.keys.isdisjoint(span.attributes)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what the product says about the span."""
        role = self._find_role(span)
        facts = payload(
            role,
            present(span.attributes, self._inputs),
            present(span.attributes, self._outputs),
            span.span_id,
        )
        facts.update(self._fields.read(span))
        if self._more is not None:
            facts.update(self._more(span, role))
        return SpanFacts(role=role, **facts)

    def _named_role(self, span: Span) -> SpanRole | None:
        named = first_text(span.attributes, *self._kind) if self._kind else None
        return None if named is None else self._kinds.get(named.strip('"').lower())


def present(attributes: Attributes, keys: Sequence[str]) -> Any:
    """Return the first value that says something, whatever its type."""
    for key in keys:
        value = attributes.get(key)
        if value is None or (isinstance(value, str) and text(value) is None):
            continue
        if value not in ("{}", "[]", "null", '""'):
            return value
    return None


def payload(role: SpanRole | None, given: Any, returned: Any, span_id: str) -> dict[str, Any]:
    """Return the facts that an input and an output are on a span of this role."""
    if given is None and returned is None:
        return {}
    if role == "tool":
        return {
            "tool_arguments": given,
            "tool_result": returned,
            "output_text": as_text(returned),
            "truncated": _is_cut(given, returned),
        }
    facts: dict[str, Any] = {
        "input_text": as_text(given),
        "output_text": as_text(returned),
        "truncated": _is_cut(given, returned),
    }
    if role == "llm":
        content = Content()
        facts["input_messages"] = conversation(given, content, "user")
        facts["output_messages"] = conversation(returned, content, "assistant")
        facts["media"] = tuple(content.media) or None
        facts["truncated"] = content.truncated or facts["truncated"]
    elif role in ("retrieval", "rerank"):
        facts["documents"] = documents(returned, span_id)
    return facts


def conversation(value: Any, content: Content, role: Role) -> tuple[Message, ...] | None:
    """Return the messages that the input or output of a model call is, however it is wrapped."""
    data = decoded(value)
    found: tuple[Message, ...]
    if isinstance(data, str) and looks_cut(data):
        data = content.load(data) or data
    if isinstance(data, str):
        found = (Message(role, data),) if text(data) else ()
    elif isinstance(data, list):
        found = read_messages(data, content, role) or ()
    else:
        found = _wrapped(data, content, role) if isinstance(data, dict) else ()
    return found or None


def _wrapped(data: Mapping[str, Any], content: Content, role: Role) -> tuple[Message, ...]:
    for key in _MESSAGES:
        if isinstance(data.get(key), list):
            return read_messages(data[key], content, role) or ()
    if isinstance(data.get("message"), dict):
        return read_message(data["message"], content, role)
    if data.keys() & {"content", "parts", "tool_calls"}:
        return read_message(data, content, role)
    found = messages_in(data)
    words = None if found else request_in(data) if role == "user" else reply_in(data)
    return (Message(role, words),) if words else found


def documents(value: Any, span_id: str) -> tuple[Document, ...] | None:
    """Return the passages in what a retrieval returned: texts, or objects that hold one."""
    data = decoded(value)
    for key in _LIST_KEYS:
        if isinstance(data, dict) and isinstance(data.get(key), list):
            data = data[key]
    if not isinstance(data, (list, tuple)):
        return None
    found = (_document(item, rank, span_id) for rank, item in enumerate(data))
    return tuple([document for document in found if document is not None]) or None


def _document(item: Any, rank: int, span_id: str) -> Document | None:
    if isinstance(item, str) and (structure := decoded(item)) is not item:
        item = structure
    if isinstance(item, str):
        return Document(item, rank=rank, span_id=span_id) if text(item) else None
    fields = mapping(item)
    fields = mapping(fields.get("node")) or mapping(fields.get("kwargs")) or fields
    body = first_text(fields, *_TEXT_KEYS) or _parts_text(fields.get("content"))
    found_id = identifier(fields.get("id")) or identifier(fields.get("id_"))
    if body is None and found_id is None:
        return None
    score = real(fields.get("score"))
    score = real(mapping(item).get("score")) if score is None else score
    return Document(body, found_id, score, rank, span_id)


def _parts_text(parts: Any) -> str | None:
    if not isinstance(parts, list):
        return None
    texts = [found for part in parts if (found := text(mapping(part).get("text")))]
    return "\n".join(texts) or None


def _is_cut(*values: Any) -> bool | None:
    return any(isinstance(v, str) and bool(v) and looks_cut(v) for v in values) or None
