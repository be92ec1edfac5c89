"""Which agents took part, and who handed over to whom.

Handing over has no common shape: a span of its own, a tool call named `transfer_to_*`, an
agent that runs inside a tool call of another, or an agent nested in another. An "agent" span
that only runs other agents and never calls a model or a tool itself is a workflow.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any

from scorer.dialects.payload import parse_arguments
from scorer.dialects.payload_text import messages_in
from scorer.dialects.tree import Node
from scorer.dialects.values import boolean, mapping, real, text
from scorer.model.agent_trace import Agent, Handoff, ToolCall

_PREFIXES = ("invoke_agent ", "invoke_agent", "agent run", "Agent run: ")
_SUFFIXES = (
    "._execute_core",
    ".workflow",
    ".agent",
    ".invoke",
    ".arun",
    ".run",
    ".run_stream",
    ".on_messages",
    ".on_messages_stream",
)
# How LangGraph calls the steps of a prebuilt agent; some take each step for an agent.
_STEPS = frozenset({"model", "tools", "agent"})
_BRACKETS = re.compile(r"^agent_run \[(.{1,200})\]$")
_HANDOFF = re.compile(
    r"^(?:transfer|hand_?off|delegate)(?:_(?:task|work|control))?(?:_?to)?_?(.{0,120})$",
    re.IGNORECASE,
)
_TARGET_KEYS = (
    "agent_name",
    "to_agent",
    "target_agent",
    "agent",
    "coworker",
    "member_id",
    "recipient",
    "destination",
)
_ANYONE = frozenset({"", "agent", "assistant"})  # `transfer_to_agent` says in its arguments to whom
_AUTHORITY = "spanscore.agent.authority_level"
_DELEGATES = "spanscore.agent.can_delegate"
_START = attrgetter("span.start_ns")
_SHORT = 200  # characters of a name whose key is remembered
_NO_LETTERS = re.compile(r"[^0-9a-z]+")
_WORKERS = frozenset({"llm", "tool", "retrieval", "rerank"})


def agent_name(node: Node) -> str | None:
    """Return the name of the agent that an agent span runs."""
    facts = node.facts
    if (name := text(facts.agent_name)) is not None:
        return name
    name = _name_of_span(node.span.name, node.span.scope.name)
    # The AI SDK calls the run of an agent without a name after its model.
    return None if name in (facts.request_model, facts.response_model) else name


def _name_of_span(name: str, scope: str) -> str | None:
    library, dot, _ = name.partition(".")
    if dot and _letters(library) in map(_letters, scope.split(".")):
        return None  # a step of the library itself, such as "crewai.workflow"
    bracketed = _BRACKETS.match(name)
    if bracketed:
        return bracketed.group(1)
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return text(name.strip())


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def assign_owners(nodes: Sequence[Node]) -> dict[str, str]:
    """Set the owning agent of every node; return the names of the true agents by key.

    `nodes` are in preorder. A name claimed by a span counts only when an agent span bears it.
    Names that differ in case or punctuation only are one agent, called as it is first.
    """
    names: dict[str, str] = {}
    for node in _mark_agents(nodes):
        if name := agent_name(node):
            names.setdefault(agent_key(name), name)
    if not names:
        return {}
    for node in nodes:
        parent = node.parent
        inherited = parent.agent if parent is not None else None
        claimed = agent_name(node) if node.is_agent else node.facts.agent_name
        node.agent = names.get(agent_key(claimed), inherited) if claimed else inherited
    wrappers = _wrappers(nodes) if len(names) > 1 else ()
    for node in nodes if wrappers else ():
        if node.agent in wrappers:
            node.agent = None
    return {key: name for key, name in names.items() if name not in wrappers}


def _mark_agents(nodes: Sequence[Node]) -> Sequence[Node]:
    """Mark and return the agent spans, else the chains that speak in their name.

    Without any, it is the workflow that itself calls models and tools.
    """
    found = _without_steps([node for node in nodes if node.facts.role == "agent"], nodes)
    if not found:
        found = [node for node in nodes if node.facts.role == "chain" and _speaks(node)]
    if not found and {"llm", "tool"} <= {node.facts.role for node in nodes}:
        flows = (node for node in nodes if node.facts.role == "workflow" and node.facts.agent_name)
        found = list(islice(flows, 1))
    for node in found:
        node.is_agent = True
    return found


def _speaks(node: Node) -> bool:
    """Tell whether the outcome of a chain holds replies in its name, as LangGraph's agents give."""
    name, outcome = node.span.name, node.facts.output_text
    if not outcome or not name or f'"{name}"' not in outcome:
        return False
    return any(m.role == "assistant" and m.name == name for m in messages_in(outcome))


def _without_steps(agents: list[Node], nodes: Sequence[Node]) -> list[Node]:
    """Take no step for an agent: one with the name of a step, below which nothing runs."""
    if len(agents) < 2:
        return agents
    steps = {id(node) for node in agents if agent_name(node) in _STEPS}
    if not steps or len(steps) == len(agents):
        return agents
    steps -= {id(node.parent) for node in nodes}
    return [node for node in agents if id(node) not in steps]


def _wrappers(nodes: Sequence[Node]) -> set[str]:
    """Names of agents that run other agents and do nothing themselves."""
    working = {node.agent for node in nodes if node.agent and node.facts.role in _WORKERS}
    if {node.agent for node in nodes if node.is_agent} <= working | {None}:
        return set()  # as nearly always: the names are those of agent spans
    below: dict[int, set[str]] = {}  # two names are enough to know that there is another one
    found = set()
    for node in reversed(nodes):
        inner = below.pop(id(node), set())
        name = node.agent or ""
        if node.is_agent and name and name not in working and inner - {name}:
            found.add(name)
        own = {name} if name in working else set()
        if node.parent is not None and (inner or own):
            gathered = below.get(id(node.parent), set()) | inner | own
            below[id(node.parent)] = set(sorted(gathered)[:2])
    return found


def find_agents(nodes: Sequence[Node], handoffs: Sequence[Handoff]) -> tuple[Agent, ...]:
    """Return the agents in order of appearance; those known from a handoff alone come last."""
    found: dict[str, Agent] = {}
    for node in nodes:
        if node.is_agent and node.agent is not None:
            key = agent_key(node.agent)
            if key not in found or found[key].id is None:
                found[key] = _agent(node, node.agent)
    for handoff in handoffs:
        for name in (handoff.source, handoff.target):
            if name is not None and agent_key(name) not in found:
                found[agent_key(name)] = Agent(name)
    return tuple(found.values())


def _agent(node: Node, name: str) -> Agent:
    attributes = node.span.attributes
    return Agent(
        name,
        node.facts.agent_id,
        real(attributes.get(_AUTHORITY)),
        boolean(attributes.get(_DELEGATES)),
    )


def find_handoffs(
    nodes: Sequence[Node], tool_calls: Sequence[ToolCall], names: Mapping[str, str]
) -> tuple[Handoff, ...]:
    """Return who handed over to whom, each pair once; `names` are the agents by key."""
    found: dict[tuple[str | None, str], Handoff] = {}
    for source, target in _passed(nodes, tool_calls, names):
        source_name = names.get(agent_key(source), source) if source else None
        target_name = names.get(agent_key(target), target) if target else None
        if target_name is not None and source_name != target_name:
            found.setdefault((source_name, target_name), Handoff(source_name, target_name))
    if not found:
        return ()
    known = {target for source, target in found if source is not None}
    return tuple([h for (source, target), h in found.items() if source or target not in known])


def _passed(
    nodes: Sequence[Node], tool_calls: Sequence[ToolCall], names: Mapping[str, str]
) -> Iterator[tuple[str | None, str | None]]:
    agents = [node for node in nodes if node.is_agent and node.agent is not None]
    for node in nodes:
        if node.facts.handoff is not None:
            source = node.facts.handoff.source or node.agent
            yield (
                source,
                node.facts.handoff.target or _next_agent(agents, node.span.start_ns, node.agent),
            )
        elif node.is_agent and node.parent is not None and node.parent.agent is not None:
            yield node.parent.agent, node.agent
    for call in tool_calls:
        match = _HANDOFF.match(call.name)
        if match is None:
            continue
        target = _target(call, match.group(1), names)
        if target is None and match.group(1).lower() in _ANYONE and call.start_ns is not None:
            target = _next_agent(agents, call.start_ns, call.agent)
        source = call.agent
        if source is None and call.start_ns is not None:
            source = _previous_agent(agents, call.start_ns, target)
        yield source, target


def _next_agent(agents: Sequence[Node], start_ns: int, giver: str | None) -> str | None:
    later = (node for node in agents if node.span.start_ns >= start_ns)
    return next((node.agent for node in later if node.agent != giver), None)


def _previous_agent(agents: Sequence[Node], start_ns: int, taker: str | None) -> str | None:
    earlier = [n for n in agents if n.span.start_ns <= start_ns and n.agent != taker]
    return max(earlier, key=_START).agent if earlier else None


def _target(call: ToolCall, suffix: str, names: Mapping[str, str]) -> str | None:
    arguments = mapping(parse_arguments(call.arguments).value)
    named = _first_name(arguments)
    if named is not None:
        return named
    if agent_key(suffix) in names:
        return suffix
    if suffix.lower() in _ANYONE:
        return None
    if suffix.lower().endswith(("agent", "assistant")):
        return suffix
    return None


def _first_name(arguments: Mapping[str, Any]) -> str | None:
    return next((name for key in _TARGET_KEYS if (name := text(arguments.get(key)))), None)


def agent_key(name: str) -> str:
    """Return what the names of one agent have in common: case and punctuation aside."""
    return _short_key(name) if len(name) <= _SHORT else _folded(name)


def _folded(name: str) -> str:
    return _NO_LETTERS.sub("_", name.lower()).strip("_")


_short_key = lru_cache(maxsize=1024)(_folded)
