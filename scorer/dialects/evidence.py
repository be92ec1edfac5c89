"""Where the facts of a view come from: which span, and which of its attributes.

Dialects do not note what they read; that would cost every trace. It is found out only when it is
asked for: an attribute tells a field of a span's facts when the field changes without it. What
changes many fields at once (the attribute that names the kind of the span) is evidence only of
what nothing else tells. So it holds for plug-in dialects too.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scorer.api import Dialect
from scorer.dialects.gaps import find_gaps
from scorer.dialects.payload_text import reply_in, request_in
from scorer.dialects.reader import Reader, reader
from scorer.dialects.session_logs import Logs, with_sessions
from scorer.dialects.tree import Node, build_tree
from scorer.model.agent_trace import AgentTrace, Message
from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts
from scorer.model.trace import Trace

MAX_KEYS = 512
"""Attributes of a span that are looked at; spans with more name none."""
_MAX_SHOWN = 8
_FIELDS = SpanFacts.__struct_fields__

Source = dict[str, Any]


def evidence(trace: Trace, view: AgentTrace, dialects: Sequence[Dialect]) -> dict[str, Any]:
    """Return the sources of each fact of a view, and what it lacks.

    A source is `{"span_id": id, "keys": [...]}`; a key is an attribute of the span, or
    `event:<name>` or `log:<name>`. No keys: the span's place or name tells.
    """
    tree = build_tree(trace, dialects)
    nodes = tree.nodes
    find = _Finder(trace, dialects)
    calls = {call.span_id for call in view.llm_calls}
    models = [node for node in nodes if node.span.span_id in calls]
    holders = models or nodes
    return {
        "question": find.first(
            nodes, ("input_messages", "input_text"), lambda n: _asks(n, view.question)
        ),
        "answer": find.last(
            nodes, ("output_messages", "output_text"), lambda n: _answers(n, view.answer)
        ),
        "session_id": find.first(
            nodes, ("session_id",), lambda n: _same(n.facts.session_id, view.session_id)
        ),
        "user_id": find.first(nodes, ("user_id",), lambda n: _same(n.facts.user_id, view.user_id)),
        "models": find.all(holders, ("response_model", "request_model")),
        "usage": find.all([n for n in nodes if n.facts.role == "llm"] or nodes, ("usage",)),
        "cost_usd": find.all(holders, ("cost_usd",)),
        "agents": [find.source(n, ("agent_name",)) for n in nodes if n.facts.role == "agent"],
        "handoffs": find.all(nodes, ("handoff",)),
        "contexts": find.all(
            _of_ids(nodes, {document.span_id for document in view.contexts or ()}),
            ("documents", "output_text", "tool_result"),
        ),
        "tool_calls": [
            find.source(node, ("tool_name", "tool_arguments", "tool_result", "tool_status"))
            for call in view.tool_calls or ()
            for node in _of_ids(nodes, {call.span_id})
        ],
        "gaps": list(find_gaps(trace, view, nodes)),
    }


class _Finder:
    """Finds the attributes that tell a field, once for each span."""

    def __init__(self, trace: Trace, dialects: Sequence[Dialect]) -> None:
        spans, logs = with_sessions(trace.spans, trace.logs)
        self._logs: Logs = logs
        self._reader = reader(dialects)
        self._spans = {span.span_id: span for span in spans}
        self._known: dict[str, Mapping[str, list[str]]] = {}

    def source(self, node: Node, fields: Sequence[str]) -> Source:
        span_id = node.span.span_id
        if span_id not in self._known:
            span = self._spans[span_id]
            self._known[span_id] = told_by(span, self._logs.get(span_id, ()), self._reader)
        told = self._known[span_id]
        keys = dict.fromkeys(key for field in fields for key in told.get(field, ()))
        return {"span_id": span_id, "keys": list(keys)[:_MAX_SHOWN]}

    def all(self, nodes: Iterable[Node], fields: Sequence[str]) -> list[Source]:
        """Return the source in every span that has one of the fields."""
        return [self.source(node, fields) for node in nodes if _has(node, fields)]

    def first(self, nodes: Iterable[Node], fields: Sequence[str], holds: Any) -> list[Source]:
        return [self.source(node, fields) for node in nodes if holds(node)][:1]

    def last(self, nodes: Sequence[Node], fields: Sequence[str], holds: Any) -> list[Source]:
        """Return the outermost span that holds it; of model calls, the last one."""
        found = [node for node in nodes if holds(node)]
        around = [node for node in found if node.facts.role != "llm"]
        return [self.source(node, fields) for node in around[:1] or found[-1:]]


def told_by(span: Span, logs: Sequence[LogRecord], reads: Reader) -> Mapping[str, list[str]]:
    """Return the keys that tell each field of a span's facts, best first."""
    if len(span.attributes) + len(span.events) + len(logs) > MAX_KEYS:
        return {}
    _, facts, _ = reads.read(span, logs)
    weights: dict[str, list[tuple[int, str]]] = {}
    for key, less, fewer in _without_each(span, logs):
        _, other, _ = reads.read(less, fewer)
        changed = [n for n in _FIELDS if repr(getattr(facts, n)) != repr(getattr(other, n))]
        for name in changed:
            weights.setdefault(name, []).append((len(changed), key))
    return {name: _lightest(found) for name, found in weights.items()}


def _lightest(found: Sequence[tuple[int, str]]) -> list[str]:
    least = min(weight for weight, _ in found)
    # Keys of one message list differ by a field or two in what they change.
    return [key for weight, key in found if weight <= least + 1]


def _without_each(
    span: Span, logs: Sequence[LogRecord]
) -> Iterable[tuple[str, Span, Sequence[LogRecord]]]:
    for key in span.attributes:
        rest = {name: value for name, value in span.attributes.items() if name != key}
        yield key, replace(span, attributes=rest), logs
    for place, event in enumerate(span.events):
        events = (*span.events[:place], *span.events[place + 1 :])
        yield f"event:{event.name}", replace(span, events=events), logs
    for place, record in enumerate(logs):
        yield f"log:{record.event_name}", span, [*logs[:place], *logs[place + 1 :]]


def _of_ids(nodes: Iterable[Node], ids: set[str | None]) -> list[Node]:
    return [node for node in nodes if node.span.span_id in ids]


def _has(node: Node, fields: Sequence[str]) -> bool:
    return any(getattr(node.facts, field) is not None for field in fields)


def _same(value: str | None, wanted: str | None) -> bool:
    return wanted is not None and value == wanted


def _asks(node: Node, question: str | None) -> bool:
    facts = node.facts
    if question is None or facts.role == "tool":
        return False
    said = _texts(facts.input_messages, "user")
    if any(question in words for words in said):
        return True
    return facts.input_text is not None and request_in(facts.input_text) == question


def _answers(node: Node, answer: str | None) -> bool:
    facts = node.facts
    if answer is None or facts.role == "tool":
        return False
    if answer in _texts(facts.output_messages, "assistant"):
        return True
    return facts.output_text is not None and reply_in(facts.output_text) == answer


def _texts(messages: Sequence[Message] | None, role: str) -> list[str]:
    return [item.text for item in messages or () if item.role == role and item.text]
