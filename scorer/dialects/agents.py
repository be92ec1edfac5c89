"""Which agents took part, and who handed over to whom.

Handing over has no common shape: a span of its own, a tool call named `transfer_to_*`, an
agent that runs inside a tool call of another, or an agent nested in another. An "agent" span
that only runs other agents and never calls a model or a tool itself is a workflow.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scorer.dialects.payload import parse_arguments
from scorer.dialects.tree import Node
from scorer.dialects.values import mapping, text
from scorer.model.agent_trace import Agent, Handoff, ToolCall

_PREFIXES = ("invoke_agent ", "invoke_agent", "agent run", "Agent run: ")
_SUFFIXES = ("._execute_core", ".workflow", ".agent", ".invoke", ".arun", ".run")
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
_WORKERS = frozenset({"llm", "tool", "retrieval", "rerank"})


def agent_name(node: Node) -> str | None:
    """Return the name of the agent that an agent span runs."""
    return text(node.facts.agent_name) or _name_of_span(node.span.name)


def _name_of_span(name: str) -> str | None:
    bracketed = _BRACKETS.match(name)
    if bracketed:
        return bracketed.group(1)
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return text(name.strip())


def assign_owners(nodes: Sequence[Node]) -> dict[str, str]:
    """Set the owning agent of every node; return the names by key of the true agents.

    `nodes` are in preorder. A name claimed by a span counts only when an agent span bears it.
    """
    acting = _acting(nodes)
    names = {_key(name): name for node in acting if (name := agent_name(node))}
    for node in nodes:
        inherited = node.parent.agent if node.parent is not None else None
        node.is_agent = node in acting
        if node.is_agent:
            node.agent = agent_name(node) or inherited
        else:
            claimed = node.facts.agent_name
            node.agent = claimed if claimed and _key(claimed) in names else inherited
    wrappers = _wrappers(nodes)
    for node in nodes:
        if node.agent is not None and _key(node.agent) in wrappers:
            node.agent = None
    return {key: name for key, name in names.items() if key not in wrappers}


def _acting(nodes: Sequence[Node]) -> set[Node]:
    """Return the agent spans; else the workflow that itself calls models and tools."""
    agents = {node for node in nodes if node.facts.role == "agent"}
    roles = {node.facts.role for node in nodes}
    if agents or not {"llm", "tool"} <= roles:
        return agents
    named = (node for node in nodes if node.facts.role == "workflow" and node.facts.agent_name)
    return {node for node in [next(named, None)] if node is not None}


def _wrappers(nodes: Sequence[Node]) -> set[str]:
    """Keys of agents that run other agents and do nothing themselves."""
    working = {_key(node.agent) for node in nodes if node.agent and node.facts.role in _WORKERS}
    below: dict[int, set[str]] = {}  # two names are enough to know that there is another one
    found = set()
    for node in reversed(nodes):
        inner = below.pop(id(node), set())
        key = _key(node.agent) if node.agent else ""
        if node.is_agent and key and key not in working and inner - {key}:
            found.add(key)
        if node.parent is not None:
            gathered = below.setdefault(id(node.parent), set())
            for name in (inner | {key}) & working if key else inner:
                if len(gathered) < 2:
                    gathered.add(name)
    return found


def find_agents(nodes: Sequence[Node], handoffs: Sequence[Handoff]) -> tuple[Agent, ...]:
    """Return the agents in order of appearance; those known from a handoff alone come last."""
    found: dict[str, Agent] = {}
    for node in nodes:
        if node.is_agent and node.agent is not None:
            key = _key(node.agent)
            known = found.get(key)
            if known is None or known.id is None:
                found[key] = Agent(node.agent, node.facts.agent_id)
    for handoff in handoffs:
        for name in (handoff.source, handoff.target):
            if name is not None and _key(name) not in found:
                found[_key(name)] = Agent(name)
    return tuple(found.values())


def find_handoffs(
    nodes: Sequence[Node], tool_calls: Sequence[ToolCall], names: Mapping[str, str]
) -> tuple[Handoff, ...]:
    """Return who handed over to whom, each pair once; `names` are the agents by key."""
    found: dict[tuple[str, str], Handoff] = {}

    def add(source: str | None, target: str | None) -> None:
        if target is None or (source is not None and _key(source) == _key(target)):
            return
        source = names.get(_key(source), source) if source else None
        target = names.get(_key(target), target)
        if source is None and any(pair[1] == _key(target) for pair in found):
            return
        found.setdefault((_key(source or ""), _key(target)), Handoff(source, target))

    for index, node in enumerate(nodes):
        if node.facts.handoff is not None:
            handoff = node.facts.handoff
            add(handoff.source or node.agent, handoff.target or _next_agent(nodes[index:], node))
        elif node.is_agent and node.agent is not None:
            add(_outer_agent(node), node.agent if _outer_agent(node) else None)
    for call in tool_calls:
        add(call.agent, _target(call, names))
    return tuple(found.values())


def is_handoff_tool(name: str) -> bool:
    """Tell whether a tool's name says that it passes control on."""
    return _HANDOFF.match(name) is not None


def _outer_agent(node: Node) -> str | None:
    return node.parent.agent if node.parent is not None else None


def _next_agent(later: Sequence[Node], handoff: Node) -> str | None:
    for node in later:
        if (
            node.is_agent
            and node.agent not in (None, handoff.agent)
            and node.span.start_ns >= handoff.span.start_ns
        ):
            return node.agent
    return None


def _target(call: ToolCall, names: Mapping[str, str]) -> str | None:
    match = _HANDOFF.match(call.name)
    if match is None:
        return None
    arguments = mapping(parse_arguments(call.arguments).value)
    named = _first_name(arguments)
    if named is not None:
        return named
    suffix = match.group(1)
    if _key(suffix) in names or (suffix and suffix.lower().endswith(("agent", "assistant"))):
        return suffix
    return None


def _first_name(arguments: Mapping[str, Any]) -> str | None:
    return next((name for key in _TARGET_KEYS if (name := text(arguments.get(key)))), None)


def _key(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")
