"""The spans of a trace as a tree, in an order that does not depend on arrival.

Evaluator spans, with all below them, are left out: a score of an earlier run must never be
scored again. Spans without any dialect stay in the tree, since they carry times, errors and
structure. Parents that never arrived make local roots; parent loops are cut at their earliest
span.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter

from scorer.api import Dialect
from scorer.dialects.merge import by_detail, merge, read_all
from scorer.model.agent_trace import Message
from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts
from scorer.model.trace import Trace

OWN_SCOPE = "spanscore"
_RUNNERS = frozenset({"agent", "tool", "workflow"})
_START = attrgetter("start_ns", "span_id")


class Node:
    """One span with its facts and its place in the tree.

    `known` names the dialects that read it. `in_tool` = a tool or a check runs it, not the
    agent itself. `model` is the nearest model span around it, unless an agent, a workflow or a
    tool lies between. `agent` is the name of the agent that owns it, and `is_agent` says that
    the span is the run of an agent. `conversation` is filled in by the first who asks for it.
    """

    __slots__ = (
        "agent",
        "children",
        "conversation",
        "facts",
        "in_tool",
        "is_agent",
        "known",
        "model",
        "parent",
        "span",
    )

    def __init__(self, span: Span, facts: SpanFacts, known: tuple[str, ...]) -> None:
        self.span = span
        self.facts = facts
        self.known = known
        self.in_tool = False
        self.is_agent = False
        self.conversation: tuple[Message, ...] | None = None
        self.parent: Node | None = None
        self.model: Node | None = None
        self.children: list[Node] = []
        self.agent: str | None = None

    def ancestors(self) -> Iterator["Node"]:
        """Yield the parent, its parent, and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def subtree(self) -> Iterator["Node"]:
        """Yield the node and all nodes below it, parents first, earlier spans first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class Tree:
    """All nodes in preorder, and the roots (true and local ones) by start.

    `root` is the earliest span without a parent, None when it has not arrived; then
    `local_root` is the earliest span whose parent has not arrived.
    """

    __slots__ = ("local_root", "nodes", "root", "roots")

    def __init__(self, roots: Sequence[Node]) -> None:
        self.roots = tuple(roots)
        self.nodes = tuple([node for root in roots for node in root.subtree()])
        self.root = next((node for node in roots if not node.span.parent_span_id), None)
        self.local_root = self.root or next(iter(roots), None)


def build_tree(trace: Trace, dialects: Sequence[Dialect]) -> Tree:
    """Read every span and arrange the nodes; evaluator subtrees are left out."""
    logs: defaultdict[str, list[LogRecord]] = defaultdict(list)
    for record in trace.logs:
        logs[record.span_id].append(record)
    preferred = by_detail(dialects)
    nodes: dict[str, Node] = {}
    for span in sorted(trace.spans, key=_START):
        reads = read_all(span, logs.get(span.span_id, ()), preferred)
        known = tuple([read.name for read in reads])
        nodes[span.span_id] = Node(span, merge(reads), known)
    return Tree(_linked(nodes))


def _linked(nodes: dict[str, Node]) -> list[Node]:
    """Set parents and children of all nodes that are kept; return the roots by start."""
    below: defaultdict[str, list[Node]] = defaultdict(list)
    roots = []
    for node in nodes.values():
        parent_id = node.span.parent_span_id
        if parent_id in nodes:
            below[parent_id].append(node)
        else:
            roots.append(node)
    seen: set[str] = set()
    for root in roots:
        _descend(root, below, seen)
    for node in nodes.values() if len(seen) < len(nodes) else ():
        if node.span.span_id not in seen:  # it lies on or below a parent loop
            roots.append(node)
            _descend(node, below, seen)
    return [root for root in roots if not _excluded(root)]


def _descend(root: Node, below: dict[str, list[Node]], seen: set[str]) -> None:
    seen.add(root.span.span_id)
    stack = [root]
    while stack:
        node = stack.pop()
        role = node.facts.role
        inside = node.in_tool or role in ("tool", "guardrail", "retrieval")
        model = node if role == "llm" else None if role in _RUNNERS else node.model
        for child in below.get(node.span.span_id, ()):
            if child.span.span_id in seen:
                continue
            seen.add(child.span.span_id)
            child.parent, child.in_tool, child.model = node, inside, model
            stack.append(child)
            if not _excluded(child):
                node.children.append(child)


def _excluded(node: Node) -> bool:
    return node.facts.role == "evaluator" or node.span.scope.name == OWN_SCOPE
