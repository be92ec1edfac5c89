"""The calls of models, each once.

One call is often seen twice: by the framework's hook and by the client's instrumentation, as
parent and child or as siblings. Model spans with the same response id are one call, and so is
a model span with a single model span below it. A model span with several below it is a
wrapper around several calls, whose usage is their sum: it is no call itself.
"""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct

from scorer.dialects.errors import error_of
from scorer.dialects.tree import Node
from scorer.dialects.twins import may_have_twins, pair_up, same_call
from scorer.dialects.usage import inclusive
from scorer.model.agent_trace import LlmCall, Usage
from scorer.model.span_facts import SpanFacts

_UNKNOWN = Usage()
_AGENT = attrgetter("agent")
_ORDER = attrgetter("call.start_ns", "call.span_id")
_FIELDS = (
    "request_model",
    "provider",
    "input_messages",
    "output_messages",
    "time_to_first_chunk",
    "finish_reasons",
    "cost_usd",
)


class ModelCall(Struct, frozen=True, gc=False):
    """One call; `main` = made by the run itself, not by a tool or a check inside it."""

    nodes: tuple[Node, ...]
    call: LlmCall
    main: bool


def find_calls(nodes: Sequence[Node]) -> tuple[ModelCall, ...]:
    """Return the model calls by start; `nodes` are in preorder."""
    model_nodes = [node for node in nodes if node.facts.role == "llm"]
    outer = [id(node.model) for node in model_nodes if node.model is not None]
    wrappers = {node for node, count in Counter(outer).items() if count > 1} if outer else ()
    groups: dict[int, list[Node]] = {}
    by_response: dict[str, list[Node]] = {}
    unique: list[list[Node]] = []
    for node in model_nodes:
        if id(node) in wrappers:
            continue
        group = groups.get(id(node.model)) if node.model is not None else None
        response = node.facts.response_id
        if group is None and response is not None:
            group = by_response.get(response)
        if group is None:
            group = []
            unique.append(group)
        group.append(node)
        groups[id(node)] = group
        if response is not None:
            by_response.setdefault(response, group)
    if len(unique) > 1 and may_have_twins(model_nodes):
        unique = _without_twins(unique)
    calls = [_call(tuple(group)) for group in unique]
    return tuple(sorted(calls, key=_ORDER))


def _without_twins(groups: Sequence[list[Node]]) -> list[list[Node]]:
    """Put the spans of one call together that two instrumentations made side by side."""
    heads = {id(group[-1]): group for group in groups if group[-1].facts.usage is not None}
    twins = pair_up([group[-1] for group in heads.values()], _counts, same_call)
    joined = {id(heads[node]) for node in twins}
    for node, twin in twins.items():
        heads[id(twin)].extend(heads[node])
    return [group for group in groups if id(group) not in joined]


def _counts(node: Node) -> tuple[int | None, int | None]:
    usage = inclusive(node.facts.usage or _UNKNOWN)
    return usage.input, usage.output


def _call(nodes: tuple[Node, ...]) -> ModelCall:
    outermost = nodes[0]
    facts = outermost.facts if len(nodes) == 1 else _joined(nodes)
    usage = None if facts.usage_is_aggregate else facts.usage
    if len(nodes) == 1:
        error, agent = error_of(outermost), outermost.agent
    else:
        error = next(filter(None, map(error_of, nodes)), None)
        agent = next(filter(None, map(_AGENT, nodes)), None)
    call = LlmCall(
        span_id=outermost.span.span_id,
        model=facts.response_model or facts.request_model,
        provider=facts.provider,
        usage=inclusive(usage) if usage is not None else _UNKNOWN,
        input_messages=facts.input_messages,
        output_messages=facts.output_messages,
        start_ns=outermost.span.start_ns,
        end_ns=outermost.span.end_ns,
        time_to_first_chunk=facts.time_to_first_chunk,
        finish_reasons=facts.finish_reasons or (),
        agent=agent,
        error_type=(error.type or "error") if error is not None else None,
        cost_usd=facts.cost_usd,
    )
    return ModelCall(nodes, call, not outermost.in_tool)


def _joined(nodes: Sequence[Node]) -> SpanFacts:
    """Return what several spans say about one call, each field from the first that says it."""
    fields: dict[str, Any] = {}
    for node in nodes:
        for name in _FIELDS:
            if name not in fields and (value := getattr(node.facts, name)) is not None:
                fields[name] = value
    for node in nodes:  # what was measured, from the deepest
        if node.facts.response_model is not None:
            fields["response_model"] = node.facts.response_model
        if node.facts.usage is not None and not node.facts.usage_is_aggregate:
            fields["usage"] = node.facts.usage
    return SpanFacts(**fields)
