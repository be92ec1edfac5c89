"""From the decoded spans and logs of a trace to the one view that metrics read.

Theory of operation. Each span is read by every dialect that matches it; their facts are merged
field by field (`merge`). The spans are put into a tree without evaluator telemetry (`tree`),
and each trace-level fact is derived from the tree by one small pure module: model calls
(`model_calls`), totals (`usage`), tool calls (`conversation`, `tools`), agents and handoffs
(`agents`), what passes between agents (`interactions`), question and answer
(`question_answer`), passages (`contexts`), failures (`errors`), resources used (`resources`),
privacy budgets spent (`spending`), and identity (`identity`). Nothing here knows an attribute key
of any dialect, except our own (`spanscore.*`), and nothing depends on the order in which spans
arrived.
"""

from collections.abc import Sequence

import msgspec

from scorer.api import Dialect
from scorer.dialects.agents import assign_owners, find_agents, find_handoffs
from scorer.dialects.contexts import find_contexts
from scorer.dialects.conversation import told_calls
from scorer.dialects.errors import find_errors
from scorer.dialects.identity import (
    find_case,
    find_map,
    find_reference,
    find_service,
    find_session,
    find_user,
)
from scorer.dialects.interactions import find_conflicts, find_interactions, told_events
from scorer.dialects.model_calls import ModelCall, find_calls
from scorer.dialects.question_answer import find_answer, find_messages, find_question
from scorer.dialects.resources import find_resources
from scorer.dialects.spending import find_spending
from scorer.dialects.tools import find_tool_calls
from scorer.dialects.tree import Node, Tree, build_tree
from scorer.dialects.usage import total_cost, total_usage
from scorer.model.agent_trace import AgentTrace, LlmCall, Media, ToolDefinition
from scorer.model.span import STATUS_ERROR, STATUS_OK
from scorer.model.trace import Completeness, Trace

_AGENT_ROLES = frozenset({"agent", "llm", "tool", "retrieval", "rerank", "workflow", "handoff"})


def normalise(trace: Trace, dialects: Sequence[Dialect]) -> AgentTrace:
    """Return the normalised view of a trace; never raises for what spans contain."""
    tree = build_tree(trace, dialects)
    nodes = tree.nodes
    names = assign_owners(nodes)
    found = find_calls(nodes)
    main = tuple(call for call in found if call.main) or found
    calls = tuple(call.call for call in found)
    tool_calls = find_tool_calls(nodes, told_calls(found, nodes))
    handoffs = find_handoffs(nodes, tool_calls or (), names)
    agents = find_agents(nodes, handoffs)
    told = told_events(nodes)
    errors = find_errors(nodes)
    messages = find_messages(tree, main)
    user = find_user(nodes)
    start, end = _times(tree)
    return AgentTrace(
        trace_id=trace.trace_id,
        tenant=trace.tenant,
        dialects=tuple(sorted({name for node in nodes for name in node.known})),
        service=find_service(tree),
        agent=next((n.agent for n in nodes if n.is_agent and n.agent), None) if names else None,
        is_agent=bool(tool_calls or messages) or any(_is_agent(node) for node in nodes),
        session_id=find_session(nodes),
        user_id=user,
        case_id=find_case(tree.local_root),
        question=find_question(tree, main),
        answer=find_answer(tree, main),
        messages=messages,
        contexts=find_contexts(nodes, tool_calls or ()),
        reference=find_reference(tree.local_root),
        consent=find_map(tree.local_root, "consent"),
        sensitive=find_map(tree.local_root, "sensitive"),
        resources=find_resources(tree),
        spending=find_spending(nodes, user),
        tool_calls=tool_calls,
        tool_definitions=_definitions(nodes),
        llm_calls=calls,
        models=_models(calls, nodes),
        usage=total_usage(calls, nodes),
        cost_usd=total_cost(calls, nodes),
        agents=agents,
        handoffs=handoffs,
        interactions=find_interactions(nodes, handoffs, told, names),
        conflicts=find_conflicts(told),
        media=_media(nodes),
        errors=errors,
        has_error=bool(errors),
        success=_success(tree),
        start_ns=start,
        end_ns=end,
        root_span_id=tree.local_root.span.span_id if tree.local_root else None,
        completeness=_completeness(trace, found, nodes),
    )


def _is_agent(node: Node) -> bool:
    return node.facts.role in _AGENT_ROLES


def _models(calls: Sequence[LlmCall], nodes: Sequence[Node]) -> tuple[str, ...]:
    named = [call.model for call in calls if call.model]
    if not named:  # without model spans the agents may say which model they use
        named = [
            model
            for node in nodes
            if node.facts.role == "agent"
            and (model := node.facts.request_model or node.facts.response_model)
        ]
    return tuple(dict.fromkeys(named))


def _times(tree: Tree) -> tuple[int, int]:
    if tree.root is not None:
        return tree.root.span.start_ns, tree.root.span.end_ns
    starts = [node.span.start_ns for node in tree.nodes if node.span.start_ns]
    return min(starts, default=0), max((node.span.end_ns for node in tree.nodes), default=0)


def _success(tree: Tree) -> bool | None:
    status = tree.root.span.status_code if tree.root is not None else None
    return {STATUS_OK: True, STATUS_ERROR: False}.get(status) if status is not None else None


def _definitions(nodes: Sequence[Node]) -> tuple[ToolDefinition, ...] | None:
    found: dict[str, ToolDefinition] = {}
    for node in nodes:
        for definition in node.facts.tool_definitions or ():
            found.setdefault(definition.name, definition)
    return tuple(found.values()) or None


def _media(nodes: Sequence[Node]) -> tuple[Media, ...]:
    found: dict[str, Media] = {}
    for node in nodes:
        for media in node.facts.media or ():
            reference = msgspec.structs.replace(media, span_id=node.span.span_id)
            found.setdefault(media.ref, reference)
    return tuple(found.values())


def _completeness(trace: Trace, calls: Sequence[ModelCall], nodes: Sequence[Node]) -> Completeness:
    cut = [node for node in nodes if node.facts.truncated] or [
        node for call in calls for node in call.nodes if node.span.dropped_attributes
    ]
    if not cut or trace.completeness.truncated_content:
        return trace.completeness
    return msgspec.structs.replace(trace.completeness, truncated_content=True)
