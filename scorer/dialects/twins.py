"""Two instrumentations side by side: each makes spans of its own of the same act.

Where both hook into one framework, neither span lies below the other, and their ids tell nothing.
But they are of different instrumentations, begin and end together, and say the same.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter

from scorer.dialects.payload import parse_arguments
from scorer.dialects.payload_text import last_reply
from scorer.dialects.tree import Node

_RECENT = 32
_START = attrgetter("span.start_ns", "span.span_id")
_SLACK = 0.2  # of the duration of the longer one
_LEAST_SLACK_NS = 5_000_000  # what an instrumentation itself takes


def may_have_twins(nodes: Sequence[Node]) -> bool:
    """Tell whether the spans are of several instrumentations."""
    return len({node.span.scope.name for node in nodes}) > 1


def pair_up(
    nodes: Sequence[Node], key: Callable[[Node], Hashable], same: Callable[[Node, Node], bool]
) -> dict[int, Node]:
    """Return the spans that repeat another one, by identity, each with the one that it repeats.

    Only spans of one key are compared, and each with the few that began before it: the work is
    linear in the spans.
    """
    found: dict[int, Node] = {}
    recent: defaultdict[Hashable, deque[list[Node]]] = defaultdict(lambda: deque(maxlen=_RECENT))
    for node in sorted(nodes, key=_START):
        known = recent[key(node)]
        act = next((act for act in known if _is_twin(node, act, same)), None)
        if act is None:
            known.append([node])
        else:
            found[id(node)] = act[0]
            act.append(node)
    return found


def same_call(one: Node, other: Node) -> bool:
    """Tell whether two model spans, with the same counts, are one call."""
    mine, its = one.facts, other.facts
    if mine.response_id is not None and its.response_id is not None:
        return False  # two ids are two calls; the same one is known without looking here
    return last_reply(mine.output_messages or ()) == last_reply(its.output_messages or ())


def same_run(one: Node, other: Node) -> bool:
    """Tell whether two spans of a tool, by the same name, are one run of it."""
    mine, its = (parse_arguments(node.facts.tool_arguments).value for node in (one, other))
    if isinstance(mine, str) and isinstance(its, dict):
        return mine in map(str, its.values())  # LangChain shows a single argument without its name
    if isinstance(its, str) and isinstance(mine, dict):
        return its in map(str, mine.values())
    return mine is None or its is None or mine == its


def _is_twin(node: Node, act: Sequence[Node], same: Callable[[Node, Node], bool]) -> bool:
    scope = node.span.scope.name
    if any(known.span.scope.name == scope for known in act):
        return False
    return _together(act[0], node) and same(act[0], node)


def _together(one: Node, other: Node) -> bool:
    mine, its = one.span, other.span
    if min(mine.end_ns, its.end_ns) <= max(mine.start_ns, its.start_ns):
        return False
    longer = max(mine.end_ns - mine.start_ns, its.end_ns - its.start_ns)
    slack = max(longer * _SLACK, _LEAST_SLACK_NS)
    return abs(mine.start_ns - its.start_ns) <= slack and abs(mine.end_ns - its.end_ns) <= slack
