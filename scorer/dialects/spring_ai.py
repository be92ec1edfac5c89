"""Spring AI: `spring.ai.*` and vector stores.

The prompt and the completion of its model spans are `gen_ai.prompt` and `gen_ai.completion`, which
the OpenTelemetry dialect reads.
"""

from typing import Any

from scorer.dialects.documents import returned_documents
from scorer.dialects.fields import Fields, id_field
from scorer.dialects.product import Product, payload, present
from scorer.dialects.values import first_text
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_KIND = "spring.ai.kind"
_TOOL = "spring.ai.tool.definition.name"
_QUERY = "db.vector.query.content"
_DOCUMENTS = "db.vector.query.response.documents"
_KINDS: dict[str, SpanRole] = {
    "chat_client": "workflow",
    "advisor": "chain",
    "tool_call": "tool",
    "vector_store": "retrieval",
}
_OPERATIONS: dict[str, SpanRole] = {"chat": "llm", "embedding": "embedding"}
_IN = ("spring.ai.model.request.messages", "spring.ai.chat.client.user.text")
_OUT = ("spring.ai.model.response.messages",)


def _role(span: Span) -> SpanRole | None:
    named = first_text(span.attributes, _KIND)
    if named is not None:
        return _KINDS.get(named.lower())
    if _TOOL in span.attributes:
        return "tool"
    if _QUERY in span.attributes or _DOCUMENTS in span.attributes:
        return "retrieval"
    operation = span.attributes.get("gen_ai.operation.name")
    return _OPERATIONS.get(operation) if isinstance(operation, str) else None


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    attributes = span.attributes
    if role == "tool":
        return {
            "tool_name": first_text(attributes, _TOOL) or span.name,
            **payload(
                "tool",
                present(attributes, ("spring.ai.tool.call.arguments",)),
                present(attributes, ("spring.ai.tool.call.result",)),
                span.span_id,
            ),
        }
    if role == "retrieval":
        return {
            "input_text": first_text(attributes, _QUERY),
            "documents": returned_documents(attributes.get(_DOCUMENTS), span.span_id),
        }
    return {}


DIALECT = Product(
    "spring_ai",
    keys=(
        _KIND,
        _TOOL,
        _QUERY,
        _DOCUMENTS,
        "spring.ai.chat.client.stream",
        "spring.ai.advisor.name",
        *_IN,
        *_OUT,
    ),
    role=_role,
    inputs=_IN,
    outputs=_OUT,
    fields=Fields(
        id_field(
            "session_id",
            "spring.ai.chat.client.conversation.id",
            "spring.ai.chat.client.advisor.params.chat_memory_conversation_id",
        ),
    ),
    more=_more,
)
