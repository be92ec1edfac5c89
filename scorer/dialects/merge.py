"""Pick each field of a span's facts from the dialect that knows it best.

One span often carries several dialects at once: a span processor adds OpenInference keys to
native `gen_ai.*` spans, OpenLLMetry puts its own keys beside the standard ones. So the choice
is made per field, never per span. Dialects that are not listed here (plug-ins) come first, in
the order in which they are given: they were installed because they know better. The standard
`gen_ai.*` keys come last, because translations into them lose detail (OpenLLMetry calls every
outermost chain an agent there); only for the conversation id they come first.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from scorer.api import Dialect
from scorer.model.agent_trace import Usage
from scorer.model.span_facts import SpanFacts


class _Rank:
    """Sort key: the place of a dialect in an order; one that is not listed comes first."""

    __slots__ = ("_places",)

    def __init__(self, *order: str) -> None:
        self._places = {name: place for place, name in enumerate(order)}

    def __call__(self, item: "Dialect | Read") -> int:
        return self._places.get(item.name, -1)


# What an SDK or a framework writes under keys of its own.
_OWN_KEYS = (
    "langfuse",
    "mlflow",
    "vercel_ai",
    "logfire",
    "pydantic_ai",
    "google_adk",
    "litellm",
)
# What a product writes under keys of its own; they seldom share a span with each other.
_PRODUCTS = (
    "agentops",
    "braintrust",
    "claude_code",
    "codex",
    "claude_api",
    "langsmith",
    "confident",
    "trulens",
    "laminar",
    "genkit",
    "haystack",
    "livekit",
    "spring_ai",
    "mcp",
    "bedrock_agentcore",
)
_BY_DETAIL = _Rank("openinference", "openllmetry", *_OWN_KEYS, *_PRODUCTS, "otel_genai")
_BY_FIELD = {
    "session_id": _Rank("otel_genai", "openinference", "openllmetry", *_OWN_KEYS, *_PRODUCTS)
}
_FIELDS = tuple(name for name in SpanFacts.__struct_fields__ if name not in ("usage", *_BY_FIELD))
_USAGE_FIELDS = Usage.__struct_fields__


class Read(NamedTuple):
    """What one dialect said about a span."""

    name: str
    facts: SpanFacts


def by_detail(dialects: Sequence[Dialect]) -> tuple[Dialect, ...]:
    """Return the dialects in the order in which their facts are preferred."""
    return tuple(sorted(dialects, key=_BY_DETAIL))


def merge(reads: Sequence[Read]) -> SpanFacts:
    """Return one set of facts, each field from the first dialect that has it."""
    fields: dict[str, Any] = {}
    for read in reversed(reads):
        fields.update(_said(read.facts))
    for name, rank in _BY_FIELD.items():
        having = [read for read in reads if getattr(read.facts, name) is not None]
        if having:
            fields[name] = getattr(min(having, key=rank).facts, name)
    fields["usage"] = _usage(reads)
    return SpanFacts(**fields)


def _said(facts: SpanFacts) -> dict[str, Any]:
    return {name: value for name in _FIELDS if (value := getattr(facts, name)) is not None}


def _usage(reads: Sequence[Read]) -> Usage | None:
    found = [read.facts.usage for read in reads if read.facts.usage is not None]
    if len(found) < 2:
        return found[0] if found else None
    counts = (
        next((value for usage in found if (value := getattr(usage, name)) is not None), None)
        for name in _USAGE_FIELDS
    )
    return Usage(*counts)
