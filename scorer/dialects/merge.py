"""Pick each field of a span's facts from the dialect that knows it best.

One span often carries several dialects at once: a span processor adds OpenInference keys to
native `gen_ai.*` spans, OpenLLMetry puts its own keys beside the standard ones. So the choice
is made per field, never per span. Dialects that are not listed here (plug-ins) come first, in
the order in which they are given: they were installed because they know better. The standard
`gen_ai.*` keys come last, because translations into them lose detail (OpenLLMetry calls every
outermost chain an agent there); only for the conversation id they come first.
"""

from collections.abc import Iterable, Sequence
from operator import is_not
from typing import Any, NamedTuple

from scorer.api import Dialect
from scorer.model.agent_trace import Usage
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts


class _Rank:
    """Sort key: the place of a dialect in an order; one that is not listed comes first."""

    __slots__ = ("_places",)

    def __init__(self, *order: str) -> None:
        self._places = {name: place for place, name in enumerate(order)}

    def __call__(self, item: "Dialect | Read") -> int:
        return self._places.get(item.name, -1)


# What a product writes under keys of its own; they seldom share a span with each other.
_PRODUCTS = (
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
_BY_DETAIL = _Rank("openinference", "openllmetry", *_PRODUCTS, "otel_genai")
_BY_FIELD = {"session_id": _Rank("otel_genai", "openinference", "openllmetry", *_PRODUCTS)}
_FIELDS = tuple(name for name in SpanFacts.__struct_fields__ if name not in ("usage", *_BY_FIELD))
_USAGE_FIELDS = Usage.__struct_fields__
_NOTHING = SpanFacts()


class Read(NamedTuple):
    """What one dialect said about a span."""

    name: str
    facts: SpanFacts


class Preferred:
    """Dialects in the order in which their facts are preferred, and which ones to ask.

    A dialect may have a frozenset `keys`: it matches no span without one of these attributes.
    Such dialects are found by one look at the attributes, so that their number costs nothing.
    """

    __slots__ = ("_always", "_keys", "_places", "dialects")

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        self.dialects = tuple(sorted(dialects, key=_BY_DETAIL))
        always, places = [], dict[str, list[int]]()
        for place, dialect in enumerate(self.dialects):
            keys = getattr(dialect, "keys", None)
            if not isinstance(keys, frozenset):
                always.append(place)
                continue
            for key in keys:
                places.setdefault(key, []).append(place)
        self._always = tuple([self.dialects[place] for place in always])
        self._places = {key: frozenset(found).union(always) for key, found in places.items()}
        self._keys = frozenset(places)

    def to_ask(self, attributes: Attributes) -> Sequence[Dialect]:
        """Return the dialects that a span with these attributes may belong to."""
        if self._keys.isdisjoint(attributes):
            return self._always
        hits = self._keys & attributes.keys()
        places = sorted(frozenset().union(*[self._places[key] for key in hits]))
        return [self.dialects[place] for place in places]


_prepared: tuple[tuple[Dialect, ...], Preferred] = ((), Preferred(()))


def by_detail(dialects: Sequence[Dialect]) -> Preferred:
    """Return the dialects in the order in which their facts are preferred.

    They are the same for all traces of a process, so what was prepared last is kept.
    """
    global _prepared  # noqa: PLW0603 - a cache of one
    known, preferred = _prepared
    if len(known) != len(dialects) or any(map(is_not, known, dialects)):
        preferred = Preferred(dialects)
        _prepared = (tuple(dialects), preferred)
    return preferred


def read_span(
    span: Span, logs: Sequence[LogRecord], dialects: Preferred
) -> tuple[tuple[str, ...], SpanFacts]:
    """Return which dialects match, and the facts."""
    asked = dialects.to_ask(span.attributes)
    matching = [dialect for dialect in asked if dialect.matches(span, logs)]
    if not matching:
        return (), _NOTHING
    if len(matching) == 1:
        return (matching[0].name,), matching[0].read(span, logs)
    reads = [Read(dialect.name, dialect.read(span, logs)) for dialect in matching]
    return tuple([read.name for read in reads]), merge(reads)


def merge(reads: Sequence[Read]) -> SpanFacts:
    """Return one set of facts, each field from the first dialect that has it."""
    fields: dict[str, Any] = {}
    for read in reversed(reads):
        fields.update(_said(read.facts))
    for name, rank in _BY_FIELD.items():
        having = [read for read in reads if getattr(read.facts, name) is not None]
        if having:
            fields[name] = getattr(min(having, key=rank).facts, name)
    return SpanFacts(usage=_usage(reads), **fields)


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
