"""The calls of models, each once.

One call is often seen twice: by the framework's hook and by the client's instrumentation, as
parent and child or as siblings. Model spans with the same response id are one call, and so is
a model span with a single model span below it. A model span with several below it is a
wrapper around several calls, whose usage is their sum: it is no call itself.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from scorer.dialects.errors import error_of
from scorer.dialects.tree import Node
from scorer.dialects.usage import inclusive
from scorer.model.agent_trace import LlmCall, Usage
from scorer.model.span_facts import SpanFacts

T = TypeVar("T")


class ModelCall(NamedTuple):
    """One call; `main` = made by the run itself, not by a tool or a check inside it."""

    nodes: tuple[Node, ...]
    call: LlmCall
    main: bool


def find_calls(nodes: Sequence[Node]) -> tuple[ModelCall, ...]:
    """Return the model calls by start; `nodes` are in preorder."""
    model_nodes = [node for node in nodes if node.facts.role == "llm"]
    inner: defaultdict[str, list[Node]] = defaultdict(list)
    for node in model_nodes:
        outer = _enclosing(node)
        if outer is not None:
            inner[outer.span.span_id].append(node)
    groups: dict[str, list[Node]] = {}
    by_response: dict[str, list[Node]] = {}
    for node in model_nodes:
        if len(inner[node.span.span_id]) > 1:
            continue
        outer = _enclosing(node)
        group = groups.get(outer.span.span_id) if outer is not None else None
        response = node.facts.response_id
        if group is None and response is not None:
            group = by_response.get(response)
        if group is None:
            group = []
        group.append(node)
        groups[node.span.span_id] = group
        if response is not None:
            by_response.setdefault(response, group)
    unique = {id(group): group for group in groups.values()}
    calls = [_call(tuple(group)) for group in unique.values()]
    return tuple(sorted(calls, key=lambda call: (call.call.start_ns, call.call.span_id)))


def _enclosing(node: Node) -> Node | None:
    """Return the nearest model span around a node, unless an agent or tool lies between."""
    for ancestor in node.ancestors():
        if ancestor.facts.role == "llm":
            return ancestor
        if ancestor.facts.role in ("agent", "tool", "workflow"):
            return None
    return None


def _call(nodes: tuple[Node, ...]) -> ModelCall:
    outermost = nodes[0]
    deepest_first = nodes[::-1]
    usage = _first(deepest_first, _own_usage)
    model = _first(deepest_first, lambda facts: facts.response_model)
    error = next((found for node in nodes if (found := error_of(node)) is not None), None)
    call = LlmCall(
        span_id=outermost.span.span_id,
        model=model or _first(nodes, lambda facts: facts.request_model),
        provider=_first(nodes, lambda facts: facts.provider),
        usage=inclusive(usage) if usage is not None else Usage(),
        input_messages=_first(nodes, lambda facts: facts.input_messages),
        output_messages=_first(nodes, lambda facts: facts.output_messages),
        start_ns=outermost.span.start_ns,
        end_ns=outermost.span.end_ns,
        time_to_first_chunk=_first(nodes, lambda facts: facts.time_to_first_chunk),
        finish_reasons=_first(nodes, lambda facts: facts.finish_reasons) or (),
        agent=next((node.agent for node in nodes if node.agent is not None), None),
        error_type=(error.type or "error") if error is not None else None,
        cost_usd=_first(nodes, lambda facts: facts.cost_usd),
    )
    return ModelCall(nodes, call, not outermost.in_tool)


def _own_usage(facts: SpanFacts) -> Usage | None:
    return None if facts.usage_is_aggregate else facts.usage


def _first(nodes: Iterable[Node], field: Callable[[SpanFacts], T | None]) -> T | None:
    return next((value for node in nodes if (value := field(node.facts)) is not None), None)
