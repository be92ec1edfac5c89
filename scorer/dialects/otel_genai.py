"""The OpenTelemetry GenAI conventions, from v1.27 to the development version.

Frameworks that emit `gen_ai.*` themselves (Pydantic AI, Semantic Kernel, Agent Framework,
Google ADK, Strands, ...) are read here too; what they add under keys of their own belongs to
a dialect of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scorer.dialects.fields import Field, Fields, first_field, id_field, text_field, value_field
from scorer.dialects.gen_ai_usage import (
    AGGREGATED_USAGE_KEYS,
    USAGE_KEYS,
    read_aggregated_usage,
    read_usage,
)
from scorer.dialects.messages import Content, read_messages
from scorer.dialects.observation import recorded_messages
from scorer.dialects.otel_events import EventContent, is_content, read_events, tool_events
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import (
    decoded,
    document,
    first_text,
    identifier,
    mapping,
    real,
    strings,
    text,
)
from scorer.model.agent_trace import Document, Handoff, Message, ToolDefinition, ToolStatus
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_KEYS = frozenset(
    {
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.system",
        "gen_ai.request.model",
        "gen_ai.response.model",
        "gen_ai.response.id",
        "gen_ai.tool.name",
        "gen_ai.tool.call.id",
        "gen_ai.agent.name",
        "gen_ai.conversation.id",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "gen_ai.retrieval.documents",
        "gen_ai.handoff.to_agent",
        "mcp.method.name",
    }
)
_ROLES: dict[str, SpanRole] = {
    "chat": "llm",
    "text_completion": "llm",
    "completion": "llm",
    "generate_content": "llm",
    "responses": "llm",
    "llm_request": "llm",
    "invoke_agent": "agent",
    "invoke_workflow": "workflow",
    "invoke_swarm": "workflow",
    "invoke_graph": "workflow",
    "execute_tool": "tool",
    "embeddings": "embedding",
    "embedding": "embedding",
    "retrieval": "retrieval",
    "vector_db_retrieve": "retrieval",
    "search_memory": "retrieval",
    "rerank": "rerank",
    "agent_handoff": "handoff",
    "handoff": "handoff",
    "execute_task": "chain",
    "execute_event_loop_cycle": "chain",
    "plan": "chain",
    "apply_guardrail": "guardrail",
    "run_guardrail": "guardrail",
    "evaluate": "evaluator",
    "evaluation": "evaluator",
}
_STATUSES: dict[str, ToolStatus] = {
    "success": "success",
    "ok": "success",
    "error": "error",
    "failure": "error",
    "failed": "error",
}
_USER = ("user.id", "enduser.id", "gen_ai.user.id", "gen_ai.user", "gen_ai.request.user")
_TOOL_MARKS = ("gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "gen_ai.tool.args", "gen_ai.tool.input")
_RESULTS = ("gen_ai.tool.call.result", "gen_ai.tool.output", "gen_ai.tool.result")
# What a prompt template was filled with; retrieval spans need not hold the text.
_CONTEXT_VARIABLES = ("gen_ai.prompt.variable.context", "gen_ai.prompt.variable.documents")
_MODEL_MARKS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
_SHORT = 20
_INPUTS = "gen_ai.input.messages"
_OUTPUTS = "gen_ai.output.messages"
_SYSTEM = "gen_ai.system_instructions"
# Deprecated keys for all of it in one text (Spring AI); events of that name are read elsewhere.
_PROMPT = "gen_ai.prompt"
_COMPLETION = "gen_ai.completion"
_CONTENT = (_INPUTS, _OUTPUTS, _SYSTEM, _PROMPT, _COMPLETION)
_QUERY = ("gen_ai.retrieval.query.text", "gen_ai.retrieval.query")
_TEXTS = ("content", "text", "page_content")
_DOCUMENTS = "gen_ai.retrieval.documents"
_COSTS = ("operation.cost", "gen_ai.usage.cost", "gen_ai.cost.total_cost", "litellm.cost.total")
_REASONS = ("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason")
_TARGETS = (
    "gen_ai.handoff.to_agent",
    "gen_ai.agent.handoff.target.name",
    "gen_ai.transfer.target.name",
)
_SOURCES = ("gen_ai.handoff.from_agent", "gen_ai.agent.handoff.source.name")


class OtelGenAi:
    """Reads `gen_ai.*` attributes, span events and log records."""

    name = "otel_genai"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:
        """Tell whether the span carries any key or event of the conventions."""
        if not _KEYS.isdisjoint(span.attributes):
            return True
        if span.events and any(is_content(event.name) for event in span.events):
            return True
        return bool(logs) and any(is_content(record.event_name) for record in logs)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:
        """Return what the conventions say about the span."""
        role = _role(span.attributes)
        facts = _FIELDS_BY_ROLE.get(role, _FIELDS).read(span)
        if _RECORDED in facts or span.events or logs:
            facts.pop(_RECORDED, None)
            _add_content(facts, span, logs, role)
        if _AGGREGATED in facts:
            _add_aggregated(facts)
        if role == "tool" and span.events and _lacks_payload(facts):
            facts["tool_arguments"], facts["tool_result"] = tool_events(span)
        facts["role"] = role
        return SpanFacts(**facts)

    def prepared(self, keys: frozenset[str]) -> Callable[[Span], SpanFacts]:
        """Return a quicker `read` for spans with these attributes, without events and logs."""
        chosen = {role: fields.among(keys) for role, fields in _FIELDS_BY_ROLE.items()}
        otherwise = _FIELDS.among(keys)
        recorded = not keys.isdisjoint(_CONTENT)
        plain = keys.isdisjoint((_SYSTEM, _PROMPT, _COMPLETION))
        aggregated = not keys.isdisjoint(AGGREGATED_USAGE_KEYS)

        def read(span: Span) -> SpanFacts:
            role = _role(span.attributes)
            facts = chosen.get(role, otherwise).read(span)
            if recorded:
                del facts[_RECORDED]
                if plain:
                    _add_messages(facts, span.attributes, role)
                else:
                    _add_content(facts, span, (), role)
            if aggregated:
                _add_aggregated(facts)
            facts["role"] = role
            return SpanFacts(**facts)

        return read


def _role(attributes: Attributes) -> SpanRole | None:
    operation = attributes.get("gen_ai.operation.name")
    if operation is not None:
        return _ROLES.get(operation) if isinstance(operation, str) else None
    if "gen_ai.tool.name" in attributes and any(key in attributes for key in _TOOL_MARKS):
        return "tool"
    if attributes.get("mcp.method.name") == "tools/call":
        return "tool"
    if "gen_ai.handoff.to_agent" in attributes:
        return "handoff"
    if "gen_ai.request.model" in attributes and any(key in attributes for key in _MODEL_MARKS):
        return "llm"
    return None


def _add_aggregated(facts: dict[str, Any]) -> None:
    aggregated = facts.pop(_AGGREGATED)
    if aggregated is not None and facts.get("usage") is None:
        facts["usage"], facts["usage_is_aggregate"] = aggregated, True


def _add_content(
    facts: dict[str, Any], span: Span, logs: Sequence[LogRecord], role: SpanRole | None
) -> None:
    content = Content()
    events = read_events(span, logs, content) if span.events or logs else None
    inputs, outputs = _messages(span.attributes, events, content)
    if role != "tool":
        facts["input_messages"], facts["output_messages"] = inputs, outputs
    _add_found(facts, content)


def _add_messages(facts: dict[str, Any], attributes: Attributes, role: SpanRole | None) -> None:
    """Add the content of a span that has it in the current attributes alone."""
    content = Content()
    inputs = _attribute(attributes, _INPUTS, content)
    outputs = _attribute(attributes, _OUTPUTS, content)
    if role != "tool":
        facts["input_messages"], facts["output_messages"] = inputs, outputs
    _add_found(facts, content)


def _add_found(facts: dict[str, Any], content: Content) -> None:
    if content.media:
        facts["media"] = tuple(content.media)
    if content.truncated:
        facts["truncated"] = True


def _messages(
    attributes: Attributes, events: EventContent | None, content: Content
) -> tuple[tuple[Message, ...] | None, tuple[Message, ...] | None]:
    inputs = _attribute(attributes, _INPUTS, content)
    outputs = _attribute(attributes, _OUTPUTS, content)
    details: Mapping[str, Any] = attributes
    if events is not None:
        details = events.details or attributes
        if inputs is None:
            inputs = _attribute(events.details, _INPUTS, content)
        if outputs is None:
            outputs = _attribute(events.details, _OUTPUTS, content)
        inputs = inputs if inputs is not None else events.inputs or None
        outputs = outputs if outputs is not None else events.outputs or None
    if inputs is None and _PROMPT in attributes:
        inputs = recorded_messages(attributes[_PROMPT], "user", content)
    if outputs is None and _COMPLETION in attributes:
        outputs = recorded_messages(attributes[_COMPLETION], "assistant", content)
    if _SYSTEM in attributes or _SYSTEM in details:
        system = _system(attributes.get(_SYSTEM), details, content)
        if system is not None and inputs is not None and all(m.role != "system" for m in inputs):
            inputs = (system, *inputs)
    return inputs, outputs


def _attribute(attributes: Mapping[str, Any], key: str, content: Content) -> Any:
    value = attributes.get(key)
    if value is None:
        return None
    # A long text that says nothing is no JSON either.
    if isinstance(value, str) and len(value) < _SHORT and (value == "[]" or text(value) is None):
        return None
    return read_messages(value, content, "user" if key is _INPUTS else "assistant")


def _system(value: Any, details: Mapping[str, Any], content: Content) -> Message | None:
    value = value if value is not None else details.get(_SYSTEM)
    if value is None:
        return None
    parts = decoded(value)
    if isinstance(parts, str):
        return Message("system", parts) if text(parts) else None
    found = read_messages([{"role": "system", "parts": parts}], content, "system")
    return found[0] if found else None


def _cost(span: Span) -> float | None:
    attributes = span.attributes
    cost = real(attributes.get("operation.cost"))
    if cost is not None:
        return cost
    usage = read_usage(attributes) or read_aggregated_usage(attributes)
    for key in _COSTS[1:]:
        cost = real(attributes.get(key))
        # Some SDKs write 0 for a model that their price list lacks.
        if cost is not None and (cost > 0 or not (usage and usage.input)):
            return cost
    return None


def _lacks_payload(facts: Mapping[str, Any]) -> bool:
    return facts.get("tool_arguments") is None and facts.get("tool_result") is None


def _payload(value: Any) -> Any:
    return text(value) if isinstance(value, str) else value


def _tool_status(value: Any) -> ToolStatus | None:
    return _STATUSES.get(str(value).lower())


def _definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    return None if value is None else read_definitions(value)


def _finish_reasons(span: Span) -> tuple[str, ...] | None:
    value = span.attributes.get("gen_ai.response.finish_reasons")
    if value is None:
        value = span.attributes.get("gen_ai.response.finish_reason")
    return None if value is None else strings(value)


def _first_chunk(value: Any) -> float | None:
    seconds = real(value)
    return seconds if seconds is None or seconds >= 0 else None


def _handoff(span: Span) -> Handoff | None:
    target = first_text(span.attributes, *_TARGETS)
    source = first_text(span.attributes, *_SOURCES)
    if target == "unknown":
        target = None
    return Handoff(source, target) if source or target else None


def _documents(span: Span) -> tuple[Document, ...] | None:
    value = span.attributes.get(_DOCUMENTS)
    if value is None:
        context = first_text(span.attributes, *_CONTEXT_VARIABLES)
        return None if context is None else (Document(context, span_id=span.span_id),)
    items = decoded(value)
    if not isinstance(items, list):
        return None
    return tuple([_document(item, rank, span.span_id) for rank, item in enumerate(items)])


def _document(item: Any, rank: int, span_id: str) -> Document:
    fields = item if isinstance(item, dict) else mapping(decoded(item))
    body = first_text(fields, *_TEXTS)
    return Document(body, identifier(fields.get("id")), real(fields.get("score")), rank, span_id)


_AGGREGATED = "aggregated usage"  # becomes the usage of a span that has no own one
_RECORDED = "recorded content"  # there is some, to be read together
_COMMON = (
    Field(_RECORDED, _CONTENT, lambda _: True),
    text_field("request_model", "gen_ai.request.model"),
    text_field("response_model", "gen_ai.response.model"),
    id_field("response_id", "gen_ai.response.id"),
    text_field("provider", "gen_ai.provider.name", "gen_ai.system"),
    text_field("agent_name", "gen_ai.agent.name"),
    id_field("session_id", "gen_ai.conversation.id", "session.id", "gen_ai.session.id"),
    id_field("user_id", *_USER),
    text_field("error_type", "error.type"),
    value_field("tool_status", "gen_ai.tool.status", _tool_status),
    value_field("tool_definitions", "gen_ai.tool.definitions", _definitions),
    Field("usage", USAGE_KEYS, lambda span: read_usage(span.attributes)),
    Field(_AGGREGATED, AGGREGATED_USAGE_KEYS, lambda span: read_aggregated_usage(span.attributes)),
    Field("cost_usd", _COSTS, _cost),
    Field("finish_reasons", _REASONS, _finish_reasons),
    value_field("time_to_first_chunk", "gen_ai.response.time_to_first_chunk", _first_chunk),
    Field("handoff", (*_TARGETS, *_SOURCES), _handoff),
    Field("documents", (_DOCUMENTS, *_CONTEXT_VARIABLES), _documents),
)
_FIELDS = Fields(*_COMMON)
_RUN = (  # keys of OpenLIT
    *_COMMON,
    value_field("input_text", "gen_ai.workflow.input", document),
    first_field("output_text", ("gen_ai.agent.final_result", "gen_ai.workflow.output"), document),
)
_SEARCH = Fields(*_COMMON, text_field("input_text", *_QUERY))
_FIELDS_BY_ROLE: dict[SpanRole | None, Fields] = {
    "agent": Fields(*_RUN, id_field("agent_id", "gen_ai.agent.id")),
    "workflow": Fields(*_RUN),
    "retrieval": _SEARCH,
    "rerank": _SEARCH,
    # On a model span the name is that of a requested call, not of an execution.
    "tool": Fields(
        *_COMMON,
        text_field("tool_name", "gen_ai.tool.name"),
        id_field("tool_call_id", "gen_ai.tool.call.id"),
        first_field("tool_arguments", _ARGUMENTS, _payload),
        first_field("tool_result", _RESULTS, _payload),
    ),
}
DIALECT = OtelGenAi()
