"""LangSmith: `langsmith.*`, with the inputs and outputs of a run as one JSON document each.

`langsmith.trace.session_id` names a project, not a conversation; that is in the metadata.
"""

from typing import Any

from msgspec.structs import astuple

from scorer.dialects.fields import Fields, id_field, text_field
from scorer.dialects.product import Product, payload, present
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.values import decoded, first_text, integer, mapping
from scorer.model.agent_trace import Usage
from scorer.model.span import Attributes, Span
from scorer.model.span_facts import SpanRole

_KIND = "langsmith.span.kind"
_META = "langsmith.metadata."
_KINDS: dict[str, SpanRole] = {
    "chain": "chain",
    "llm": "llm",
    "tool": "tool",
    "retriever": "retrieval",
    "embedding": "embedding",
    "prompt": "chain",
    "parser": "chain",
}
_IN = ("gen_ai.prompt", "langsmith.inputs")
_OUT = ("gen_ai.completion", "langsmith.outputs")
_COUNTS = ("input_tokens", "output_tokens", "total_tokens")
_USAGE = "gen_ai.usage."
_LC_AGENT = _META + "lc_agent_name"


def _role(span: Span) -> SpanRole | None:
    attributes = span.attributes
    kind = first_text(attributes, _KIND)
    role = None if kind is None else _KINDS.get(kind.lower())
    if role == "chain" and attributes.get(_LC_AGENT) == span.name:
        return "agent"  # LangChain tells agents by name alone
    return role


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if present(span.attributes, (*_IN, *_OUT)) is None and span.events:
        given, returned = _from_events(span)
        found.update(payload(role, given, returned, span.span_id))
    if role == "tool":
        found["tool_name"] = first_text(span.attributes, "gen_ai.tool.name") or span.name
        found.update(_tool(found.get("tool_arguments", present(span.attributes, _IN))))
    if role == "llm":
        found["usage"] = _usage(span.attributes)
    return found


def _from_events(span: Span) -> tuple[Any, Any]:
    given = returned = None
    for event in span.events:
        given = present(event.attributes, _IN) or given
        returned = present(event.attributes, _OUT) or returned
    return given, returned


def _tool(given: Any) -> dict[str, Any]:
    """Open what LangChain wraps the arguments of a tool in."""
    fields = mapping(decoded(given))
    if fields.keys() == {"input"} or "input_str" in fields:
        return {"tool_arguments": fields.get("input", fields.get("input_str"))}
    return {}


def _usage(attributes: Attributes) -> Usage | None:
    counts = [integer(attributes.get(_USAGE + name)) for name in _COUNTS]
    given = mapping(decoded(attributes.get(_USAGE + "input_token_details")))
    made = mapping(decoded(attributes.get(_USAGE + "output_token_details")))
    details = (given.get("cache_read"), given.get("cache_creation"), made.get("reasoning"))
    counts += [integer(value) for value in details]
    told = usage_in(attributes.get(_META + "usage_metadata"))
    if told is not None:  # of newer versions, where the details are nowhere else
        counts = [
            mine if mine is not None else its
            for mine, its in zip(counts, astuple(told), strict=True)
        ]
    return Usage(*counts) if counts.count(None) < len(counts) else None


DIALECT = Product(
    "langsmith",
    keys=(_KIND, "langsmith.trace.name", "langsmith.trace.session_name", "langsmith.trace.id"),
    role=_role,
    inputs=_IN,
    outputs=_OUT,
    fields=Fields(
        id_field(
            "session_id", _META + "thread_id", _META + "session_id", _META + "conversation_id"
        ),
        id_field("user_id", _META + "user_id"),
        text_field("agent_name", _LC_AGENT),
        text_field("request_model", _META + "ls_model_name"),
    ),
    more=_more,
)
