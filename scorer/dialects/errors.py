"""Which errors of a trace are failures.

A span status is not success or failure of the run: LangGraph passes control by raising, and
streams end by cancellation. Such control flow is no error. An exception on a span that its
instrumentation declared OK was handled. Spans that belong to no dialect count only where
dialect spans lie below them: a retried HTTP request under a model call is no failure.
"""

import re
from collections.abc import Iterable, Sequence

from scorer.dialects.tree import Node
from scorer.dialects.values import text
from scorer.model.agent_trace import ErrorInfo
from scorer.model.span import STATUS_ERROR, STATUS_OK, Event

# Where the stack begins in a message: Python's, JavaScript's.
_STACK = re.compile(r"\s*Traceback \(most recent call last\):|\n\s+at \S")
_CLASS = re.compile(r"([A-Za-z_][\w.]{0,80})\(")
_REPR = re.compile(r"[A-Za-z_][\w.]{0,80}\((['\"])(.*)\1,?\)", re.DOTALL)
_CONTROL_FLOW = frozenset(
    {
        "ParentCommand",
        "GraphInterrupt",
        "GraphBubbleUp",
        "NodeInterrupt",
        "CancelledError",
        "GeneratorExit",
        "StopIteration",
        "StopAsyncIteration",
        "AgentFinish",
    }
)


def find_errors(nodes: Sequence[Node]) -> tuple[ErrorInfo, ...]:
    """Return the failures that the spans report, in preorder like the nodes."""
    found = [
        (node, error)
        for node in nodes
        if (node.span.status_code == STATUS_ERROR or node.facts.failed or node.span.events)
        and (error := error_of(node)) is not None
    ]
    if not found:
        return ()
    inhabited = _inhabited(nodes)
    return tuple([error for node, error in found if id(node) in inhabited])


def error_of(node: Node) -> ErrorInfo | None:
    """Return the failure that a span reports, None when it reports none."""
    span, facts = node.span, node.facts
    reported = span.status_code == STATUS_ERROR or facts.failed is True
    if not reported and (not span.events or span.status_code == STATUS_OK):
        return None
    exception = _last_exception(span.events)
    if not reported and exception is None:
        return None
    kind = text(facts.error_type) or _attribute(exception, "exception.type")
    message = _attribute(exception, "exception.message") or text(facts.error_message)
    message = message or text(span.status_message)
    names = (kind, _attribute(exception, "exception.type"), _class_of(message))
    if any(name is not None and is_control_flow(name) for name in names):
        return None
    return ErrorInfo(span.span_id, kind, message)


def _class_of(message: str | None) -> str | None:
    """Return the class of an exception whose repr stands in place of a message."""
    found = _CLASS.match(message) if message is not None else None
    return found.group(1) if found is not None else None


def plain_message(message: str) -> str:
    """Return what an error says, without its stack, and out of the repr of an exception."""
    said = _STACK.split(message, maxsplit=1)[0].strip()
    first, _, again = said.partition("\n\n")  # JavaScript repeats the message above its stack
    if again.endswith(first):
        said = first
    inner = _REPR.fullmatch(said)
    return (inner.group(2) if inner is not None else said) or message


def is_control_flow(kind: str) -> bool:
    """Tell whether an exception type is a framework's way of passing control."""
    return kind.rpartition(".")[2] in _CONTROL_FLOW


def _inhabited(nodes: Sequence[Node]) -> set[int]:
    """Return the identities of the nodes at or below which a dialect read a span."""
    found: set[int] = set()
    for node in reversed(nodes):
        if node.known or id(node) in found:
            found.add(id(node))
            found.add(id(node.parent))
    return found


def _last_exception(events: Iterable[Event]) -> Event | None:
    return next((event for event in reversed(tuple(events)) if event.name == "exception"), None)


def _attribute(event: Event | None, key: str) -> str | None:
    return text(event.attributes.get(key)) if event is not None else None
