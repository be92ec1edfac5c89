"""The spans of a trace as a tree, in an order that does not depend on arrival.

Evaluator spans, with all below them, are left out (see `evaluators`). Spans without any dialect
stay in the tree, since they carry times, errors and structure. Parents that never arrived make
local roots; parent loops are cut at their earliest span.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter

from msgspec import Struct

from scorer.api import Dialect
from scorer.dialects.evaluators import JUDGED_ROLES, is_evaluator, may_be_evaluator
from scorer.dialects.reader import reader
from scorer.dialects.session_logs import Logs, with_sessions
from scorer.model.agent_trace import Message
from scorer.model.evaluation import OWN_NAME
from scorer.model.span import Span
from scorer.model.span_facts import SpanFacts
from scorer.model.trace import Trace

_RUNNERS = frozenset({"agent", "tool", "workflow"})
_NO_LOGS: Logs = {}
_START = attrgetter("start_ns", "span_id")


class Node(Struct, eq=False, gc=False):
    """One span with its facts and its place in the tree.

    `known` names the dialects that read it. `notable` = its keys say something beside its facts.
    `left_out` = it is, or is below, evaluator
    telemetry. `in_tool` = a tool or a check runs it, not the agent itself. `model` is the nearest
    model span around it, unless an agent, a workflow or a tool lies between. `agent` is the name
    of the agent that owns it, and `is_agent` says that the span is the run of an agent.
    `conversation` is filled in by the first who asks for it.
    Nodes know their parent only: without cycles all is freed as soon as a trace is done, and
    the garbage collector need not track them.
    """

    span: Span
    facts: SpanFacts
    known: tuple[str, ...]
    left_out: bool
    notable: bool = False
    in_tool: bool = False
    is_agent: bool = False
    parent: "Node | None" = None
    model: "Node | None" = None
    agent: str | None = None
    conversation: tuple[Message, ...] | None = None

    def ancestors(self) -> Iterator["Node"]:
        """Yield the parent, its parent, and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


class Tree:
    """All nodes: parents first, then by start.

    `root` is the earliest span without a parent, None when it has not arrived; then
    `local_root` is the earliest span whose parent has not arrived.
    """

    __slots__ = ("local_root", "nodes", "root")

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = tuple(nodes)
        roots = [node for node in nodes if node.parent is None]
        self.root = next((node for node in roots if not node.span.parent_span_id), None)
        self.local_root = self.root or next(iter(roots), None)


def build_tree(trace: Trace, dialects: Sequence[Dialect]) -> Tree:
    """Read every span and arrange the nodes; evaluator subtrees are left out."""
    spans, logs = with_sessions(trace.spans, trace.logs) if trace.logs else (trace.spans, _NO_LOGS)
    read = reader(dialects).read
    nodes: dict[str, Node] = {}
    for span in sorted(spans, key=_START):
        known, facts, notable = read(span, logs.get(span.span_id, ()) if logs else ())
        left_out = (
            notable or facts.role == "evaluator" or span.resource.service == OWN_NAME
        ) and is_evaluator(span, facts)
        nodes[span.span_id] = Node(span, facts, known, left_out, notable)
    return Tree(_preorder(nodes))


def _preorder(nodes: dict[str, Node]) -> list[Node]:
    """Set the parents of all nodes; return those to keep, parents first, then by start."""
    below: defaultdict[str, list[Node]] = defaultdict(list)
    roots = []
    for node in nodes.values():
        parent_id = node.span.parent_span_id
        if parent_id in nodes:
            below[parent_id].append(node)
        else:
            roots.append(node)
    _suspect(nodes)
    seen: set[str] = set()
    kept: list[Node] = []
    for root in roots:
        _descend(root, below, seen, kept)
    for node in nodes.values() if len(seen) < len(nodes) else ():
        if node.span.span_id not in seen:  # it lies on or below a parent loop
            _descend(node, below, seen, kept)
    return kept


def _suspect(nodes: dict[str, Node]) -> None:
    """Leave out what may be an evaluator, where it runs nothing that is judged."""
    suspects = {
        key
        for key, node in nodes.items()
        if node.notable and may_be_evaluator(node.span, node.facts)
    }
    if not suspects:
        return
    walked: set[str] = set()
    for node in nodes.values():
        if node.facts.role not in JUDGED_ROLES or node.left_out:
            continue
        above = nodes.get(node.span.parent_span_id)
        while above is not None and above.span.span_id not in walked:
            walked.add(above.span.span_id)
            above = nodes.get(above.span.parent_span_id)
    for key in suspects - walked:
        nodes[key].left_out = True


def _descend(root: Node, below: dict[str, list[Node]], seen: set[str], kept: list[Node]) -> None:
    stack = [root]
    while stack:
        node = stack.pop()
        span_id = node.span.span_id
        seen.add(span_id)
        if not node.left_out:
            kept.append(node)
        if span_id not in below:
            continue
        role = node.facts.role
        inside = node.in_tool or role in ("tool", "guardrail", "retrieval")
        model = node if role == "llm" else None if role in _RUNNERS else node.model
        for child in reversed(below[span_id]):
            if child.span.span_id not in seen:
                child.parent, child.in_tool, child.model = node, inside, model
                child.left_out = node.left_out or child.left_out
                stack.append(child)
