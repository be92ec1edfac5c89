"""OpenInference (Arize): `openinference.span.kind`, flattened messages, retrieval documents."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorer.dialects.crew import crew_request
from scorer.dialects.fields import Field, Fields, id_field, text_field, value_field
from scorer.dialects.flattened import Rows, grouped, rows
from scorer.dialects.media import url_reference
from scorer.dialects.messages import Content, read_messages
from scorer.dialects.observation import call_arguments
from scorer.dialects.payload import parse_arguments
from scorer.dialects.payload_text import messages_in
from scorer.dialects.repair import looks_cut
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import (
    as_text,
    decoded,
    document,
    first_id,
    first_text,
    identifier,
    integer,
    mapping,
    real,
    text,
)
from scorer.model.agent_trace import (
    Document,
    Handoff,
    MediaKind,
    Message,
    RequestedCall,
    Role,
    Usage,
)
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_KIND = "openinference.span.kind"
_ROLES: dict[str, SpanRole] = {
    "LLM": "llm",
    "EMBEDDING": "embedding",
    "CHAIN": "chain",
    "PROMPT": "chain",
    "RETRIEVER": "retrieval",
    "RERANKER": "rerank",
    "TOOL": "tool",
    "AGENT": "agent",
    "GUARDRAIL": "guardrail",
    "EVALUATOR": "evaluator",
}
_MESSAGE_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool-call": "assistant",
    "tool": "tool",
    "function": "tool",
    "tool-response": "tool",
}
_PLAIN = frozenset({"message.role", "message.content"})
_INPUT = "llm.input_messages."
_OUTPUT = "llm.output_messages."
_PROMPTS = "llm.prompts."
_CHOICES = "llm.choices."
_TOOLS = "llm.tools."
_DOCUMENTS = "retrieval.documents."
_RERANKED = "reranker.output_documents."
_TABLES = (_INPUT, _OUTPUT, _PROMPTS, _CHOICES, _TOOLS, _DOCUMENTS, _RERANKED)
_IN = "input.value"
_OUT = "output.value"
_PARAMETERS = "llm.invocation_parameters"
# In the order of the fields of `Usage`; there is a usage where one of the first three is.
_COUNTS = (
    "llm.token_count.prompt",
    "llm.token_count.completion",
    "llm.token_count.total",
    "llm.token_count.prompt_details.cache_read",
    "llm.token_count.prompt_details.cache_write",
    "llm.token_count.completion_details.reasoning",
)
_COSTS = ("llm.cost.total", "llm.cost.prompt", "llm.cost.completion")
_LC_AGENT = "lc_agent_name"
_RESPONSE_ID = re.compile(r'\{\s*"id"\s*:\s*"([^"]{1,200})"')
# The method of a tool that a span is named after.
_METHOD = re.compile(r"\.(?:run|arun|call|acall|__call__|invoke|ainvoke)$")
_INSTRUCTOR = ".instructor"
_HANDOFF_NAME = "handoff to "


class OpenInference:
    """Reads the attributes of the OpenInference specification."""

    name = "openinference"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span has an OpenInference kind."""
        return _KIND in span.attributes

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what OpenInference says about the span."""
        attributes = span.attributes
        content = Content()
        tables = grouped(attributes, _TABLES)
        metadata = _metadata(attributes)
        role = _role(span, metadata)
        facts = _FIELDS.read(span)
        inputs, outputs = _messages(attributes, tables, role, content)
        input_text = crew_request(attributes) or document(attributes.get(_IN))
        output_text = document(attributes.get(_OUT))
        if role == "tool":
            facts.update(_tool(span, output_text))
        else:
            facts["input_messages"], facts["output_messages"] = inputs, outputs
        if role == "llm":
            facts["response_id"] = _response_id(output_text)
            if facts.get("response_model") is None and facts.get("request_model") is None:
                facts["response_model"] = text(mapping(decoded(output_text)).get("model"))
        elif role == "handoff":
            facts["handoff"] = Handoff(input_text, output_text)
        if tables:
            facts["tool_definitions"] = _definitions(tables.get(_TOOLS))
            facts["documents"] = _documents(tables, span.span_id)
        if "user_id" in metadata and facts.get("user_id") is None:
            facts["user_id"] = identifier(metadata["user_id"])
        return SpanFacts(
            role=role,
            input_text=input_text,
            output_text=output_text,
            agent_name=_agent_name(span, role, metadata),
            media=tuple(content.media) or None,
            truncated=_truncated(attributes, content),
            **facts,
        )


def _role(span: Span, metadata: Mapping[str, Any]) -> SpanRole | None:
    kind = span.attributes.get(_KIND)
    role = _ROLES.get(kind.upper()) if isinstance(kind, str) else None
    if role == "agent" and "tool.name" in span.attributes:
        return "tool"  # LangChain tools whose name contains "agent" are given the wrong kind
    if role == "chain" and metadata.get(_LC_AGENT) == span.name:
        return "agent"  # and agents whose name does not contain it
    if role == "tool" and span.name.startswith(_HANDOFF_NAME):
        return "handoff"
    if role == "tool" and span.scope.name.endswith(_INSTRUCTOR):
        return "chain"  # it takes its own steps around a model call for tools
    return role


def _messages(
    attributes: Attributes, tables: Mapping[str, Rows], role: SpanRole | None, content: Content
) -> tuple[tuple[Message, ...] | None, tuple[Message, ...] | None]:
    inputs = _table(tables.get(_INPUT), "user", content)
    outputs = _table(tables.get(_OUTPUT), "assistant", content)
    if role == "llm":
        if inputs is None:
            inputs = _plain(tables.get(_PROMPTS), "prompt.text", "user") or _payload(
                attributes.get(_IN), "user"
            )
        if outputs is None:
            outputs = _plain(tables.get(_CHOICES), "completion.text", "assistant") or _payload(
                attributes.get(_OUT), "assistant"
            )
    return inputs, outputs


def _table(table: Rows | None, otherwise: Role, content: Content) -> tuple[Message, ...] | None:
    if not table:
        return None
    found: list[Message] = []
    for row in table:
        message = _message(row, otherwise, content)
        found.extend(_results(row) if message is None else (message,))
    return tuple(found) or None


def _results(row: Mapping[str, Any]) -> Iterable[Message]:
    """Return the results of tools that AutoGen's messages hold as `function.0` and so on."""
    for key in sorted(key for key in row if key.startswith("function.")):
        result = mapping(decoded(row[key]))
        if "content" in result:
            call_id, name = identifier(result.get("call_id")), text(result.get("name"))
            yield Message("tool", as_text(result["content"]), (), call_id, name)


def _message(row: Mapping[str, Any], otherwise: Role, content: Content) -> Message | None:
    named = row.get("message.role")
    role = _MESSAGE_ROLES.get(named.lower(), otherwise) if isinstance(named, str) else otherwise
    body = row.get("message.content")
    if not isinstance(body, str):
        body = _contents(row, content)
    calls = () if row.keys() <= _PLAIN else _calls(row)
    if body is None and not calls and (len(row) == 1 or role == "tool"):
        return None  # a role alone: the content was dropped, or stands elsewhere
    if calls and not body:
        body = None
    if body is not None and text(body) is None and body:
        body = None  # a sentinel
    return Message(
        role,
        body,
        calls,
        identifier(row.get("message.tool_call_id")),
        text(row.get("message.name")),
    )


def _contents(row: Mapping[str, Any], content: Content) -> str | None:
    texts = []
    for part in rows(row, "message.contents."):
        if (body := text(part.get("message_content.text"))) is not None:
            texts.append(body)
        for key, value in part.items():
            if key.endswith(".url") and isinstance(value, str):
                _add_media(key, value, part, content)
    return "\n".join(texts) if texts else None


def _add_media(key: str, url: str, part: Mapping[str, Any], content: Content) -> None:
    kinds: tuple[MediaKind, ...] = ("image", "audio", "video")
    kind: MediaKind = next((kind for kind in kinds if kind in key), "document")
    mime = next((text(value) for name, value in part.items() if name.endswith("mime_type")), None)
    reference = url_reference(url, kind, mime)
    if reference is not None:
        content.media.append(reference)


def _calls(row: Mapping[str, Any]) -> tuple[RequestedCall, ...]:
    found = []
    # The Claude Agent SDK has them among the contents, and often here too.
    listed = rows(row, "message.tool_calls.") or rows(row, "message.contents.")
    for call in listed:
        name = text(call.get("tool_call.function.name"))
        if name is not None:
            arguments = parse_arguments(call.get("tool_call.function.arguments")).value
            found.append(RequestedCall(name, arguments, identifier(call.get("tool_call.id"))))
    name = text(row.get("message.function_call_name"))
    if name is not None:
        raw = row.get("message.function_call_arguments_json")
        found.append(RequestedCall(name, parse_arguments(raw).value))
    return tuple(found)


def _plain(table: Rows | None, key: str, role: Role) -> tuple[Message, ...] | None:
    found = (text(row.get(key)) for row in table or ())
    return tuple(Message(role, body) for body in found if body is not None) or None


def _payload(value: Any, role: Role) -> tuple[Message, ...] | None:
    """Read the raw request or response of a model call that has no flattened messages."""
    body = document(value)
    if body is None:
        return None
    structure = decoded(body)
    if isinstance(structure, str):
        return (Message(role, structure),)
    if isinstance(structure, list):
        return read_messages(structure, Content(), role) or None
    return messages_in(structure) or None


def _tool(span: Span, output_text: str | None) -> dict[str, Any]:
    attributes = span.attributes
    return {
        "tool_name": first_text(attributes, "tool.name") or _METHOD.sub("", span.name),
        "tool_call_id": first_id(
            attributes, "tool.id", "tool.call_id", "tool_call.id", "tool_call_id"
        ),
        "tool_arguments": _tool_arguments(attributes),
        "tool_result": output_text,
    }


def _tool_arguments(attributes: Attributes) -> Any:
    value = document(attributes.get(_IN))
    if value is None:
        value = first_text(attributes, "tool.parameters")
        schema = mapping(decoded(value))
        return None if "properties" in schema or not schema else value
    return call_arguments(value)


def _definitions(table: Rows | None) -> Any:
    if not table:
        return None
    found = [read_definitions(row.get("tool.json_schema")) for row in table]
    return tuple(item for items in found if items for item in items) or None


def _usage(span: Span) -> Usage:
    counts = [integer(span.attributes.get(key)) for key in _COUNTS]
    return Usage(*counts)


def _cost(span: Span) -> float | None:
    total, *parts = (real(span.attributes.get(key)) for key in _COSTS)
    known = [part for part in parts if part is not None]
    return total if total is not None or not known else sum(known)


def _finish_reasons(value: Any) -> tuple[str, ...] | None:
    reason = text(value)
    return None if reason is None else (reason,)


def _agent_name(span: Span, role: SpanRole | None, metadata: Mapping[str, Any]) -> str | None:
    attributes = span.attributes
    name = first_text(attributes, "agent.name")
    if name is None and role == "agent":
        name = first_text(attributes, "graph.node.name")
        node = text(attributes.get("graph.node.id"))
        if name is None and node is not None and span.name.startswith(node):
            name = node
    return name or text(metadata.get(_LC_AGENT))


def _documents(tables: Mapping[str, Rows], span_id: str) -> tuple[Document, ...] | None:
    table = tables.get(_RERANKED) or tables.get(_DOCUMENTS)
    if not table:
        return None
    return tuple(
        Document(
            text(row.get("document.content")),
            identifier(row.get("document.id")),
            real(row.get("document.score")),
            rank,
            span_id,
        )
        for rank, row in enumerate(table)
    )


def _metadata(attributes: Attributes) -> Mapping[str, Any]:
    """Return the metadata of LangChain and of users, decoded only if it holds what we read."""
    metadata = attributes.get("metadata")
    if isinstance(metadata, dict):
        return metadata
    if isinstance(metadata, str) and ('"user_id"' in metadata or f'"{_LC_AGENT}"' in metadata):
        return mapping(Content().load(metadata))
    return {}


def _request_model(span: Span) -> str | None:
    attributes = span.attributes
    model = first_text(attributes, "llm.request.model_name")
    if model is None and "llm.model_name" not in attributes:
        parameters = mapping(decoded(attributes.get(_PARAMETERS)))
        model = text(parameters.get("model"))
    return model


def _response_id(output: str | None) -> str | None:
    """Return the id that the raw response begins with: the key to its duplicates."""
    match = _RESPONSE_ID.match(output) if output is not None else None
    return match.group(1) if match is not None else None


def _truncated(attributes: Attributes, content: Content) -> bool | None:
    for key in (_IN, _OUT):
        value = attributes.get(key)
        if isinstance(value, str) and value and looks_cut(value):
            return True
    return content.truncated or None


_FIELDS = Fields(
    Field("request_model", ("llm.request.model_name", _PARAMETERS), _request_model),
    text_field(
        "response_model", "llm.response.model_name", "llm.model_name", "embedding.model_name"
    ),
    text_field("provider", "llm.provider", "llm.system"),
    Field("usage", _COUNTS[:3], _usage),
    Field("cost_usd", _COSTS, _cost),
    value_field("finish_reasons", "llm.finish_reason", _finish_reasons),
    id_field("session_id", "session.id"),
    id_field("user_id", "user.id"),
)
DIALECT = OpenInference()
