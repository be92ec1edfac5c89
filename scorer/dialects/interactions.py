"""What passes between agents: told by events of ours, else what the spans show.

An application tells it with span events `spanscore.interaction`, `spanscore.handoff` and
`spanscore.conflict`. Spans show two things: an agent that runs inside another was delegated to,
for as long as it ran; and a handoff, which went well when the agent that took over ran without an
error. That one agent turned to another counts from the best source only (event, run, handoff), for
one act leaves several marks: an event, a tool call that transfers, and the run that follows.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from scorer.dialects.agents import agent_key
from scorer.dialects.tree import Node
from scorer.dialects.values import boolean, real, strings, text
from scorer.model.agent_trace import Conflict, Handoff, Interaction
from scorer.model.span import STATUS_ERROR, Attributes, Event, Span

_PREFIX = "spanscore."
_INTERACTION = _PREFIX + "interaction"
_HANDOFF = _PREFIX + "handoff"
_CONFLICT = _PREFIX + "conflict"
_NAMES = frozenset({_INTERACTION, _HANDOFF, _CONFLICT})
_TURNS_TO = frozenset({"request", "delegation", "handoff"})  # what a run or a handoff shows as well
_START = attrgetter("start_ns")

Told = list[tuple[Node, Event]]
_Pair = tuple[str, str]


def told_events(nodes: Sequence[Node]) -> Told:
    """Return our events in order of time, each with the span that carries it."""
    found = [(n, event) for n in nodes for event in n.span.events if event.name in _NAMES]
    return sorted(found, key=lambda item: item[1].time_ns) if found else found


def find_interactions(
    nodes: Sequence[Node], handoffs: Sequence[Handoff], told: Told, names: Mapping[str, str]
) -> tuple[Interaction, ...]:
    """Return all interactions in order of time; `names` are the agents by key."""
    if not told and len(names) < 2 and not handoffs:  # nearly always
        return ()
    events = [found for node, event in told if (found := _told(node, event, names)) is not None]
    pairs = _pairs([item for item in events if item.type in _TURNS_TO])
    runs = [run for run in _runs(nodes) if (run.source, run.targets[0]) not in pairs]
    pairs |= _pairs(runs)
    given = [pair for pair in _known(handoffs) if pair not in pairs]
    by_agent = _spans_by_agent(nodes) if given else {}
    passed = [_passed(source, target, by_agent.get(target, [])) for source, target in given]
    return tuple(sorted([*events, *runs, *passed], key=_START))


def find_conflicts(told: Told) -> tuple[Conflict, ...]:
    """Return the conflicts that events tell."""
    return tuple(
        [
            Conflict(
                agents=strings(event.attributes.get("agents")) or (),
                resolved=boolean(event.attributes.get("resolved")),
                resolution_s=_seconds(event.attributes, "resolution_time"),
            )
            for _, event in told
            if event.name == _CONFLICT
        ]
    )


def _told(node: Node, event: Event, names: Mapping[str, str]) -> Interaction | None:
    """Return what an event tells; without a sender or recipient it tells nothing."""
    if event.name == _CONFLICT:
        return None
    attributes = event.attributes
    source = text(attributes.get("from")) or node.agent
    targets = strings(attributes.get("to"))
    if source is None or targets is None:
        return None
    is_handoff = event.name == _HANDOFF
    return Interaction(
        source=names.get(agent_key(source), source),
        targets=tuple([names.get(agent_key(target), target) for target in targets]),
        type="handoff" if is_handoff else (text(attributes.get("type")) or "request").lower(),
        message_type=text(attributes.get("message_type")),
        success=boolean(attributes.get("success")),
        response_s=_seconds(attributes, "handoff_time" if is_handoff else "response_time"),
        start_ns=event.time_ns,
    )


def _runs(nodes: Sequence[Node]) -> Iterator[Interaction]:
    for node in nodes:
        giver = node.parent.agent if node.parent is not None else None
        if node.is_agent and node.agent and giver and giver != node.agent:
            span = node.span
            yield Interaction(
                source=giver,
                targets=(node.agent,),
                type="delegation",
                success=span.status_code != STATUS_ERROR,
                response_s=max(0, span.end_ns - span.start_ns) / 1e9 if span.start_ns else None,
                start_ns=span.start_ns,
            )


def _spans_by_agent(nodes: Sequence[Node]) -> Mapping[str, list[Span]]:
    found: defaultdict[str, list[Span]] = defaultdict(list)
    for node in nodes:
        if node.is_agent and node.agent is not None:
            found[node.agent].append(node.span)
    return found


def _passed(source: str, target: str, runs: Sequence[Span]) -> Interaction:
    return Interaction(
        source=source,
        targets=(target,),
        type="handoff",
        success=all(run.status_code != STATUS_ERROR for run in runs) if runs else None,
        start_ns=min((run.start_ns for run in runs), default=0),
    )


def _known(handoffs: Sequence[Handoff]) -> Iterator[_Pair]:
    for handoff in handoffs:
        if handoff.source is not None and handoff.target is not None:
            yield handoff.source, handoff.target


def _pairs(interactions: Sequence[Interaction]) -> set[_Pair]:
    return {(item.source, target) for item in interactions for target in item.targets}


def _seconds(attributes: Attributes, name: str) -> float | None:
    value = real(attributes.get(name))
    return value if value is not None and value >= 0 else None
