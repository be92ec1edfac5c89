"""The OpenTelemetry GenAI conventions, from v1.27 to the development version.

Frameworks that emit `gen_ai.*` themselves (Pydantic AI, Semantic Kernel, Agent Framework,
Google ADK, Strands, ...) are read here too; what they add under keys of their own belongs to
a dialect of their own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.dialects.gen_ai_usage import read_aggregated_usage, read_usage
from scorer.dialects.messages import Content, read_messages
from scorer.dialects.otel_events import EventContent, read_events, tool_events
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import (
    decoded,
    first_id,
    first_text,
    identifier,
    mapping,
    real,
    strings,
    text,
)
from scorer.model.agent_trace import Document, Handoff, Message, ToolStatus, Usage
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
# What a prompt template was filled with; retrieval spans need not hold the text.
_CONTEXT_VARIABLES = ("gen_ai.prompt.variable.context", "gen_ai.prompt.variable.documents")
_MODEL_MARKS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")


class OtelGenAi:
    """Reads `gen_ai.*` attributes, span events and log records."""

    name = "otel_genai"

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:
        """Tell whether the span carries any key or event of the conventions."""
        if not _KEYS.isdisjoint(span.attributes):
            return True
        if any(event.name.startswith("gen_ai.") for event in span.events):
            return True
        return any(record.event_name.startswith("gen_ai.") for record in logs)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:
        """Return what the conventions say about the span."""
        attributes = span.attributes
        content = Content()
        events = read_events(span, logs, content) if span.events or logs else None
        role = _role(attributes)
        inputs, outputs = _messages(attributes, events, content)
        usage, aggregate = _usage(attributes)
        arguments, result = _tool_payload(span) if role == "tool" else (None, None)
        return SpanFacts(
            role=role,
            input_messages=None if role == "tool" else inputs,
            output_messages=None if role == "tool" else outputs,
            input_text=_input_text(attributes, role),
            tool_name=_tool_name(attributes, role),
            tool_call_id=first_id(attributes, "gen_ai.tool.call.id") if role == "tool" else None,
            tool_arguments=arguments,
            tool_result=result,
            tool_status=_STATUSES.get(str(attributes.get("gen_ai.tool.status")).lower()),
            tool_definitions=_definitions(attributes),
            request_model=first_text(attributes, "gen_ai.request.model"),
            response_model=first_text(attributes, "gen_ai.response.model"),
            response_id=first_id(attributes, "gen_ai.response.id"),
            provider=first_text(attributes, "gen_ai.provider.name", "gen_ai.system"),
            usage=usage,
            usage_is_aggregate=aggregate,
            cost_usd=_cost(attributes, usage),
            finish_reasons=_finish_reasons(attributes),
            time_to_first_chunk=_first_chunk(attributes),
            agent_name=first_text(attributes, "gen_ai.agent.name"),
            agent_id=first_id(attributes, "gen_ai.agent.id") if role == "agent" else None,
            handoff=_handoff(attributes),
            documents=_documents(attributes, span.span_id),
            session_id=first_id(
                attributes, "gen_ai.conversation.id", "session.id", "gen_ai.session.id"
            ),
            user_id=first_id(attributes, *_USER),
            media=tuple(content.media) or None,
            error_type=first_text(attributes, "error.type"),
            truncated=content.truncated or None,
        )


DIALECT = OtelGenAi()


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


def _messages(
    attributes: Attributes, events: EventContent | None, content: Content
) -> tuple[tuple[Message, ...] | None, tuple[Message, ...] | None]:
    inputs = _attribute(attributes, "gen_ai.input.messages", content)
    outputs = _attribute(attributes, "gen_ai.output.messages", content)
    details: Mapping[str, Any] = attributes
    if events is not None:
        details = events.details or attributes
        if inputs is None:
            inputs = _attribute(events.details, "gen_ai.input.messages", content)
        if outputs is None:
            outputs = _attribute(events.details, "gen_ai.output.messages", content)
        inputs = inputs if inputs is not None else events.inputs or None
        outputs = outputs if outputs is not None else events.outputs or None
    system = _system(attributes.get("gen_ai.system_instructions"), details, content)
    if system is not None and inputs is not None and not any(m.role == "system" for m in inputs):
        inputs = (system, *inputs)
    return inputs, outputs


def _attribute(attributes: Mapping[str, Any], key: str, content: Content) -> Any:
    value = attributes.get(key)
    if value is None or value == "[]" or (isinstance(value, str) and text(value) is None):
        return None
    return read_messages(value, content, "user" if "input" in key else "assistant")


def _system(value: Any, details: Mapping[str, Any], content: Content) -> Message | None:
    value = value if value is not None else details.get("gen_ai.system_instructions")
    if value is None:
        return None
    parts = decoded(value)
    if isinstance(parts, str):
        return Message("system", parts) if text(parts) else None
    found = read_messages([{"role": "system", "parts": parts}], content, "system")
    return found[0] if found else None


def _usage(attributes: Attributes) -> tuple[Usage | None, bool | None]:
    usage = read_usage(attributes)
    if usage is not None:
        return usage, None
    aggregated = read_aggregated_usage(attributes)
    return aggregated, True if aggregated is not None else None


def _cost(attributes: Attributes, usage: Usage | None) -> float | None:
    cost = real(attributes.get("operation.cost"))
    if cost is not None:
        return cost
    for key in ("gen_ai.usage.cost", "gen_ai.cost.total_cost"):
        cost = real(attributes.get(key))
        # Some SDKs write 0 for a model that their price list lacks.
        if cost is not None and (cost > 0 or not (usage and usage.input)):
            return cost
    return None


def _tool_name(attributes: Attributes, role: SpanRole | None) -> str | None:
    # On a model span the key names a requested call, not an execution.
    return first_text(attributes, "gen_ai.tool.name") if role == "tool" else None


def _tool_payload(span: Span) -> tuple[Any, Any]:
    attributes = span.attributes
    arguments = _present(attributes, "gen_ai.tool.call.arguments", "gen_ai.tool.args")
    result = _present(attributes, "gen_ai.tool.call.result", "gen_ai.tool.output")
    if arguments is None and result is None and span.events:
        return tool_events(span)
    return arguments, result


def _present(attributes: Attributes, *keys: str) -> Any:
    for key in keys:
        value = attributes.get(key)
        if value is not None and (not isinstance(value, str) or text(value) is not None):
            return value
    return None


def _definitions(attributes: Attributes) -> Any:
    value = attributes.get("gen_ai.tool.definitions")
    return None if value is None else read_definitions(value)


def _finish_reasons(attributes: Attributes) -> tuple[str, ...] | None:
    value = attributes.get("gen_ai.response.finish_reasons")
    if value is None:
        value = attributes.get("gen_ai.response.finish_reason")
    return None if value is None else strings(value)


def _first_chunk(attributes: Attributes) -> float | None:
    seconds = real(attributes.get("gen_ai.response.time_to_first_chunk"))
    return seconds if seconds is None or seconds >= 0 else None


def _handoff(attributes: Attributes) -> Handoff | None:
    target = first_text(
        attributes,
        "gen_ai.handoff.to_agent",
        "gen_ai.agent.handoff.target.name",
        "gen_ai.transfer.target.name",
    )
    source = first_text(attributes, "gen_ai.handoff.from_agent", "gen_ai.agent.handoff.source.name")
    if target == "unknown":
        target = None
    return Handoff(source, target) if source or target else None


def _input_text(attributes: Attributes, role: SpanRole | None) -> str | None:
    if role not in ("retrieval", "rerank"):
        return None
    return first_text(attributes, "gen_ai.retrieval.query.text", "gen_ai.retrieval.query")


def _documents(attributes: Attributes, span_id: str) -> tuple[Document, ...] | None:
    value = attributes.get("gen_ai.retrieval.documents")
    if value is None:
        context = first_text(attributes, *_CONTEXT_VARIABLES)
        return None if context is None else (Document(context, span_id=span_id),)
    items = decoded(value)
    if not isinstance(items, list):
        return None
    found = []
    for rank, item in enumerate(items):
        fields = mapping(decoded(item))
        body = first_text(fields, "content", "text", "page_content")
        found.append(
            Document(body, identifier(fields.get("id")), real(fields.get("score")), rank, span_id)
        )
    return tuple(found)
