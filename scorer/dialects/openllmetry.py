"""OpenLLMetry and the Traceloop SDK: `traceloop.*`, `gen_ai.prompt.N.*`, vector DB events.

Current versions write the standard `gen_ai.*` keys for model calls; those are left to the
OpenTelemetry dialect, which reads the same span.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorer.dialects.crew import CREW_RESULT, CREW_TASKS, TASK, crew_request
from scorer.dialects.documents import returned_documents
from scorer.dialects.fields import Field, Fields, first_field, id_field, text_field, value_field
from scorer.dialects.flattened import Rows, grouped, rows
from scorer.dialects.gen_ai_usage import USAGE_KEYS, read_usage
from scorer.dialects.llama_steps import step_agent, step_role, step_tool
from scorer.dialects.messages import Content, read_messages
from scorer.dialects.payload import parse_arguments
from scorer.dialects.repair import looks_cut
from scorer.dialects.values import (
    decoded,
    document,
    first_text,
    identifier,
    integer,
    mapping,
    parse_json,
    real,
    text,
)
from scorer.model.agent_trace import Document, Message, RequestedCall, Role, ToolDefinition, Usage
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_ASSOCIATION = "traceloop.association.properties."
_LC_AGENT = _ASSOCIATION + "lc_agent_name"
_KIND = "traceloop.span.kind"
_NAME = "traceloop.entity.name"
_TOTAL = "llm.usage.total_tokens"
_OLD_COUNTS = ("llm.usage.prompt_tokens", "llm.usage.completion_tokens")
_KEYS = frozenset(
    {
        _KIND,
        _NAME,
        "traceloop.entity.input",
        "traceloop.workflow.name",
        CREW_TASKS,
        _ASSOCIATION + "session_id",
        _ASSOCIATION + "user_id",
        "llm.request.type",
        _TOTAL,
        "gen_ai.prompt.0.role",
        "gen_ai.prompt.0.content",
        "gen_ai.completion.0.role",
        "gen_ai.completion.0.content",
        "llm.prompts.0.content",
        "llm.completions.0.content",
        "db.vector.query.top_k",
    }
)
_KINDS: dict[str, SpanRole] = {
    "workflow": "workflow",
    "agent": "agent",
    "tool": "tool",
    "handoff": "handoff",
}
_REQUESTS: dict[str, SpanRole] = {
    "chat": "llm",
    "completion": "llm",
    "embedding": "embedding",
    "rerank": "rerank",
}
_MESSAGE_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_PROMPT = "gen_ai.prompt."
_COMPLETION = "gen_ai.completion."
_OLD_PROMPT = "llm.prompts."  # until 2024
_OLD_COMPLETION = "llm.completions."
_FUNCTIONS = "llm.request.functions."
_TABLES = (_PROMPT, _COMPLETION, _OLD_PROMPT, _OLD_COMPLETION, _FUNCTIONS)
_RESULTS = frozenset({"db.query.result", "db.search.result"})
_CREW = "crew"  # becomes the input


class OpenLlmetry:
    """Reads the attributes of the OpenLLMetry instrumentations and the Traceloop SDK."""

    name = "openllmetry"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span carries a key or an event of OpenLLMetry."""
        if not _KEYS.isdisjoint(span.attributes):
            return True
        return bool(span.events) and any(event.name in _RESULTS for event in span.events)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what OpenLLMetry says about the span."""
        role = _role(span)
        facts = _FIELDS.read(span)
        if _CREW in facts:
            del facts[_CREW]
            facts["input_text"] = facts.get("input_text") or crew_request(span.attributes)
        content = Content()
        if role in ("llm", None):
            facts.update(_flattened(span.attributes, content))
        elif role == "tool":
            facts.update(_tool(span, facts))
        if span.events:
            facts["documents"] = _documents(span)
        if role in ("retrieval", "rerank") and facts.get("documents") is None:
            facts["documents"] = returned_documents(facts.get("output_text"), span.span_id)
        return SpanFacts(
            role=role,
            agent_name=_agent_name(span.attributes, role),
            media=tuple(content.media) or None,
            truncated=_truncated(facts, content),
            **facts,
        )


def _flattened(attributes: Attributes, content: Content) -> dict[str, Any]:
    tables = grouped(attributes, _TABLES)
    if not tables:
        return {}
    given = tables.get(_PROMPT) or tables.get(_OLD_PROMPT)
    made = tables.get(_COMPLETION) or tables.get(_OLD_COMPLETION)
    return {
        "input_messages": _messages(given, "user", content),
        "output_messages": _messages(made, "assistant", content),
        "tool_definitions": _definitions(tables.get(_FUNCTIONS)),
        "finish_reasons": _finish_reasons(made),
    }


def _tool(span: Span, facts: Mapping[str, Any]) -> dict[str, Any]:
    entity_in, entity_out = facts.get("input_text"), facts.get("output_text")
    return {
        "tool_name": text(span.attributes.get(_NAME)),
        "tool_arguments": _tool_arguments(entity_in) if entity_in else None,
        "tool_result": _tool_result(entity_out) if entity_out else None,
        **(step_tool(span.attributes) if span.attributes.get(_KIND) == "task" else {}),
    }


def _role(span: Span) -> SpanRole | None:
    attributes = span.attributes
    kind = attributes.get(_KIND)
    if kind == "task":
        return step_role(attributes)
    role = _KINDS.get(kind) if isinstance(kind, str) else None
    if role is None:
        request = attributes.get("llm.request.type")
        role = _REQUESTS.get(request) if isinstance(request, str) else None
    if role is None and CREW_TASKS in attributes:
        return "workflow"
    if role is None and (
        "db.vector.query.top_k" in attributes or any(e.name in _RESULTS for e in span.events)
    ):
        role = "retrieval"
    return role


def _entity(value: Any) -> str | None:
    return None if value in ("{}", "null", '""', {}) else document(value)


def _messages(table: Rows | None, otherwise: Role, content: Content) -> tuple[Message, ...] | None:
    if not table:
        return None
    found = [message for row in table for message in _row(row, otherwise, content)]
    return tuple(found) or None


def _row(row: Mapping[str, Any], otherwise: Role, content: Content) -> Iterable[Message]:
    named = row.get("role")
    role = _MESSAGE_ROLES.get(named.lower(), otherwise) if isinstance(named, str) else otherwise
    body = row.get("content")
    calls = _calls(row)
    call_id = identifier(row.get("tool_call_id"))
    structure = decoded(body) if isinstance(body, str) else body
    if isinstance(structure, list) and structure:  # content blocks, kept as JSON text
        found = read_messages([{"role": role, "parts": structure}], content, role) or ()
        if not calls and role != "tool":
            return found
        body = "\n".join(message.text for message in found if message.text)
    if body in ('""', "null") or (isinstance(body, str) and body and text(body) is None):
        body = None
    if body is None and not calls and call_id is None:
        return ()
    words = body if isinstance(body, str) else None
    return (Message(role, words or (None if calls else words), calls, call_id),)


def _calls(row: Mapping[str, Any]) -> tuple[RequestedCall, ...]:
    found = []
    for call in rows(row, "tool_calls."):
        name = text(call.get("name"))
        if name is not None:
            arguments = parse_arguments(call.get("arguments")).value
            found.append(RequestedCall(name, arguments, identifier(call.get("id"))))
    name = text(row.get("function_call.name"))
    if name is not None:
        arguments = parse_arguments(row.get("function_call.arguments")).value
        found.append(RequestedCall(name, arguments))
    return tuple(found)


def _tool_arguments(entity: str) -> Any:
    """Open `{"args": [], "kwargs": {}}` (SDK) and `{"input_str", "inputs"}` (LangChain)."""
    fields = mapping(decoded(entity))
    if isinstance(fields.get("inputs"), dict):
        return fields["inputs"]
    if "input_str" in fields:
        return fields["input_str"]
    keywords, positional = fields.get("kwargs"), fields.get("args")
    if isinstance(keywords, dict) and "args" in fields:
        return {"args": positional, **keywords} if positional else keywords
    return entity


def _tool_result(entity: str) -> Any:
    try:
        value = parse_json(entity)
    except ValueError:
        return entity
    return value["output"] if isinstance(value, dict) and "output" in value else value


def _definitions(table: Rows | None) -> tuple[ToolDefinition, ...] | None:
    found = (
        ToolDefinition(name, decoded(row.get("parameters")))
        for row in table or ()
        if (name := text(row.get("name"))) is not None
    )
    return tuple(found) or None


def _usage(span: Span) -> Usage | None:
    attributes = span.attributes
    usage = read_usage(attributes)
    total = integer(attributes.get(_TOTAL))
    reasoning = integer(attributes.get("llm.usage.reasoning_tokens"))
    if usage is None:
        given, made = (integer(attributes.get(key)) for key in _OLD_COUNTS)
        usage = Usage(given, made, total)
        return None if usage == Usage() else usage
    return Usage(
        usage.input,
        usage.output,
        usage.total if usage.total is not None else total,
        usage.cache_read,
        usage.cache_write,
        usage.reasoning if usage.reasoning is not None else reasoning,
    )


def _finish_reasons(table: Rows | None) -> tuple[str, ...] | None:
    found = (text(row.get("finish_reason")) for row in table or ())
    return tuple(reason for reason in found if reason is not None) or None


def _agent_name(attributes: Attributes, role: SpanRole | None) -> str | None:
    if role == "agent":
        return first_text(attributes, "gen_ai.agent.name") or (
            step_agent(attributes) or text(attributes.get(_NAME))
        )
    if CREW_TASKS in attributes:
        return None
    return text(attributes.get(_NAME if role == "workflow" else _LC_AGENT))


def _documents(span: Span) -> tuple[Document, ...] | None:
    results = [event.attributes for event in span.events if event.name in _RESULTS]
    if not results:
        return None
    return tuple(_document(row, rank, span.span_id) for rank, row in enumerate(results))


def _document(row: Mapping[str, Any], rank: int, span_id: str) -> Document:
    fields = {key.rpartition(".")[2]: value for key, value in row.items()}
    body = text(fields.get("document"))
    if body is None:
        metadata = mapping(decoded(fields.get("metadata")))
        body = first_text(metadata, "text", "page_content", "content", "document")
    score = real(fields.get("score"))
    return Document(body, identifier(fields.get("id")), score, rank, span_id)


def _truncated(facts: Mapping[str, Any], content: Content) -> bool | None:
    for entity in (facts.get("input_text"), facts.get("output_text")):
        if entity is not None and looks_cut(entity):
            return True
    return content.truncated or None


_FIELDS = Fields(
    value_field("input_text", "traceloop.entity.input", _entity),
    first_field("output_text", ("traceloop.entity.output", CREW_RESULT), _entity),
    Field(_CREW, (CREW_TASKS, TASK), lambda _: True),
    text_field("request_model", "gen_ai.request.model", "llm.request.model"),
    text_field("response_model", "gen_ai.response.model", "llm.response.model"),
    text_field("provider", "gen_ai.system", "llm.vendor"),
    Field("usage", (*USAGE_KEYS, _TOTAL, *_OLD_COUNTS), _usage),
    id_field("session_id", _ASSOCIATION + "session_id", _ASSOCIATION + "thread_id"),
    id_field("user_id", _ASSOCIATION + "user_id", "gen_ai.user", "llm.user"),
)
DIALECT = OpenLlmetry()
