"""Which dialects read a span, without asking each of them for every span.

Spans of one instrumentation carry the same keys again and again. A dialect that tells its
spans by attribute keys and scope name alone says so (`matches_by_keys = True`), and is then
asked once for each combination of them. All others, and all dialects for spans with events or
log records, are asked each time. A dialect may also have a frozenset `keys`: it matches no
span without one of these attributes, and is not asked about such a span.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from scorer.api import Dialect
from scorer.dialects.evaluators import is_notable
from scorer.dialects.merge import Read, by_detail, merge
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts

_MAX_KNOWN = 1_024
_MAX_KEYS = 64
_MAX_LENGTH = 4_096  # characters of all keys of a combination that is remembered
_NOTHING = SpanFacts()
_READERS: dict[tuple[int, ...], "Reader"] = {}
_MAX_READERS = 8

Keys = tuple[str, ...]


class _Plan(Struct, frozen=True):
    """The dialects that match all spans with these keys, and those to ask for each.

    `notable` = they say something beside facts. `names` are those of `found`; `read` is that of
    the dialect, where just one is found.
    """

    found: tuple[Dialect, ...]
    others: tuple[Dialect, ...]
    read: Callable[[Span], SpanFacts] | None
    names: tuple[str, ...]
    notable: bool


class Reader:
    """Reads spans by the dialects of one installation, in the order of preference."""

    __slots__ = ("_by_keys", "_known", "_ordered", "_others", "given")

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self.given = tuple(dialects)
        self._ordered = by_detail(dialects)
        self._by_keys = tuple(d for d in self._ordered if _matches_by_keys(d))
        self._others = tuple(d for d in self._ordered if not _matches_by_keys(d))
        self._known: dict[Keys, _Plan] = {}

    def read(
        self, span: Span, logs: Sequence[LogRecord]
    ) -> tuple[tuple[str, ...], SpanFacts, bool]:
        """Return which dialects match a span, its facts, and whether it is notable otherwise."""
        if span.events or logs:
            matching = [d for d in self._ordered if d.matches(span, logs)]
            return *_read(matching, span, logs), is_notable(span)
        plan = self._known.get((span.scope.name, *span.attributes)) or self._planned(span)
        if plan.others:
            more = [dialect for dialect in plan.others if dialect.matches(span, logs)]
            return *_read(by_detail((*plan.found, *more)), span, logs), plan.notable
        if plan.read is not None:
            return plan.names, plan.read(span), plan.notable
        return *_read(plan.found, span, logs), plan.notable

    def _planned(self, span: Span) -> _Plan:
        found = tuple([dialect for dialect in self._by_keys if dialect.matches(span, ())])
        others = tuple([d for d in self._others if _may_match(d, span.attributes)])
        read = _prepared(found[0], span) if len(found) == 1 else None
        names = tuple([dialect.name for dialect in found])
        plan = _Plan(found, others, read, names, is_notable(span))
        self._remember((span.scope.name, *span.attributes), plan)
        return plan

    def _remember(self, keys: Keys, plan: _Plan) -> None:
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        if len(keys) <= _MAX_KEYS and sum(map(len, keys)) <= _MAX_LENGTH:
            self._known[keys] = plan


def reader(dialects: Sequence[Dialect]) -> Reader:
    """Return the reader of these dialects; it is kept from trace to trace."""
    key = tuple(map(id, dialects))
    found = _READERS.get(key)
    if found is None:
        if len(_READERS) >= _MAX_READERS:
            _READERS.clear()
        found = _READERS[key] = Reader(dialects)
    return found


def _read(
    matching: Sequence[Dialect], span: Span, logs: Sequence[LogRecord]
) -> tuple[tuple[str, ...], SpanFacts]:
    if not matching:
        return (), _NOTHING
    if len(matching) == 1:
        return (matching[0].name,), matching[0].read(span, logs)
    reads = [Read(dialect.name, dialect.read(span, logs)) for dialect in matching]
    return tuple([read.name for read in reads]), merge(reads)


def _prepared(dialect: Dialect, span: Span) -> Callable[[Span], SpanFacts]:
    """Return how a dialect reads spans like this one, which have neither events nor logs."""
    prepare = getattr(dialect, "prepared", None)
    if prepare is None:
        return lambda like: dialect.read(like, ())
    read: Callable[[Span], SpanFacts] = prepare(frozenset(span.attributes))
    return read


def _may_match(dialect: Dialect, attributes: Attributes) -> bool:
    keys = getattr(dialect, "keys", None)
    return not isinstance(keys, frozenset) or not keys.isdisjoint(attributes)


def _matches_by_keys(dialect: Dialect) -> bool:
    return getattr(dialect, "matches_by_keys", False) is True
