"""What one dialect can tell about one span; the input of the trace-level derivation.

Every field is optional: None = this dialect does not say. When several dialects read the
same span, their facts are merged field by field, so a dialect states only what its own
attributes say and leaves the rest to others.
"""

from typing import Any, Literal

from msgspec import Struct

from scorer.model.agent_trace import (
    Document,
    Handoff,
    Media,
    Message,
    ToolDefinition,
    ToolStatus,
    Usage,
)

SpanRole = Literal[
    "agent",
    "llm",
    "tool",
    "retrieval",
    "rerank",
    "embedding",
    "chain",
    "workflow",
    "handoff",
    "evaluator",
    "guardrail",
]


class SpanFacts(Struct, frozen=True, kw_only=True, gc=False):  # holds no cycle
    """What one dialect says about one span.

    `input_text` and `output_text` are as recorded: plain text, or a JSON document that is
    looked into only where it is needed. `tool_arguments` and `tool_result` likewise may be
    JSON text. On an agent span `agent_name` is its own name, elsewhere the name of the agent
    that owns the span. `usage_is_aggregate` marks a sum over child spans. `failed` is the
    dialect's own error mark, beside the span status. `time_to_first_chunk` is in seconds,
    `cost_usd` in US dollars. `run_id` is what the framework calls this run of an agent.
    """

    role: SpanRole | None = None
    input_messages: tuple[Message, ...] | None = None
    output_messages: tuple[Message, ...] | None = None
    input_text: str | None = None
    output_text: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_arguments: Any = None
    tool_result: Any = None
    tool_status: ToolStatus | None = None
    tool_definitions: tuple[ToolDefinition, ...] | None = None
    request_model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    provider: str | None = None
    usage: Usage | None = None
    usage_is_aggregate: bool | None = None
    cost_usd: float | None = None
    finish_reasons: tuple[str, ...] | None = None
    time_to_first_chunk: float | None = None
    agent_name: str | None = None
    agent_id: str | None = None
    handoff: Handoff | None = None
    documents: tuple[Document, ...] | None = None
    session_id: str | None = None
    user_id: str | None = None
    media: tuple[Media, ...] | None = None
    error_type: str | None = None
    error_message: str | None = None
    failed: bool | None = None
    truncated: bool | None = None
    run_id: str | None = None
