"""The tool calls of a run: from tool spans, completed by what messages tell.

A tool that has execution spans is counted by them alone; messages then only add what the span
lacks. A tool known from messages alone counts when its result came back, or when the model was
called again after asking for it.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from scorer.dialects.conversation import ToldCall
from scorer.dialects.errors import error_of, is_control_flow, plain_message
from scorer.dialects.payload import Result, parse_arguments, says_error, unwrap_result
from scorer.dialects.tree import Node
from scorer.dialects.twins import may_have_twins, pair_up, same_run
from scorer.dialects.values import text
from scorer.model.agent_trace import ErrorInfo, ToolCall, ToolStatus

_OF_TOOLS = ("tool_call_id", "tool_arguments", "tool_result", "tool_status")
_NAME_PREFIXES = ("execute_tool ", "running tool: ", "tools/call ")


def find_tool_calls(nodes: Sequence[Node], told: Sequence[ToldCall]) -> tuple[ToolCall, ...] | None:
    """Return the tool calls in the order of the run, None when nothing shows any."""
    spans = _executed(nodes)
    if not spans and not told:
        return None
    named = [(node, _tool_name(node)) for node in spans]
    executed = {name for _, name in named}
    matched = _match(named, told)
    calls = [_from_span(node, name, matched.get(node.span.span_id)) for node, name in named]
    calls.extend(
        _from_messages(call)
        for call in told
        if call.name not in executed and (call.result is not None or call.followed)
    )
    return tuple(calls) or None


def _tool_name(node: Node) -> str:
    name = text(node.facts.tool_name)
    if name is not None:
        return name
    name = node.span.name
    for prefix in _NAME_PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _executed(nodes: Sequence[Node]) -> list[Node]:
    """Return the tool spans, each call once; what repeats one gives it what it lacks.

    A protocol's client, and its server in turn, report a call again below the span that executes
    the tool, perhaps with spans of the transport in between, which belong to no dialect.
    """
    found: list[Node] = []
    first: dict[int, Node] = {}
    tools = [node for node in nodes if node.facts.role == "tool"]
    twins = pair_up(tools, _tool_name, same_run) if may_have_twins(tools) else {}
    for node in tools:
        above = _nearest_known(node) if node.in_tool else None
        if above is not None and id(above) in first and _tool_name(above) == _tool_name(node):
            first[id(node)] = origin = first[id(above)]
            _complete(origin, node)
            continue
        origin = first.setdefault(id(twins.get(id(node), node)), node) if twins else node
        first[id(node)] = origin
        if origin is node:
            found.append(node)
        else:
            _complete(origin, node)
    return found


def _nearest_known(node: Node) -> Node | None:
    return next((outer for outer in node.ancestors() if outer.known), None)


def _complete(node: Node, repeated: Node) -> None:
    missing = {
        name: value
        for name in _OF_TOOLS
        if getattr(node.facts, name) is None
        and (value := getattr(repeated.facts, name)) is not None
    }
    if node.facts.tool_status is None and "tool_status" not in missing and error_of(repeated):
        missing["tool_status"] = "error"  # the outer one may have handled it
    if missing:
        node.facts = replace(node.facts, **missing)


def _match(named: Sequence[tuple[Node, str]], told: Sequence[ToldCall]) -> dict[str, ToldCall]:
    if not told:
        return {}
    by_id = {call_id: call for call in told for call_id in call.ids}
    left = list(told)
    matched = {}
    for node, name in named:
        call = by_id.get(node.facts.tool_call_id or "")
        if call is None:
            call = next((item for item in left if item.name == name), None)
        if call is not None:
            matched[node.span.span_id] = call
            if call in left:
                left.remove(call)
    return matched


def _from_span(node: Node, name: str, told: ToldCall | None) -> ToolCall:
    facts, span = node.facts, node.span
    arguments = parse_arguments(facts.tool_arguments)
    named = told.arguments if told is not None and isinstance(told.arguments, dict) else None
    if named is not None and _says_less(arguments.value, named):
        arguments = parse_arguments(named)
    error = error_of(node)
    result = _result(node, told, error)
    return ToolCall(
        name=name,
        id=facts.tool_call_id or (told.id if told is not None else None),
        arguments=arguments.value,
        arguments_parse_error=arguments.error,
        result=result.value,
        status=_status(node, result, error),
        error_type=_error_type(error),
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        agent=node.agent,
        span_id=span.span_id,
        cost_usd=facts.cost_usd,
    )


def _says_less(arguments: Any, named: dict[str, Any]) -> bool:
    """Tell whether recorded arguments are a text, or the values alone, of those with names."""
    if not isinstance(arguments, (dict, list)):
        return True
    return bool(arguments == {"args": list(named.values())})


def _result(node: Node, told: ToldCall | None, error: ErrorInfo | None) -> Result:
    own = unwrap_result(node.facts.tool_result)
    if own.value is not None and not _is_command(own.value):
        return own
    message = error.message if error is not None else None
    if message is not None:
        message = plain_message(message)
    if told is not None and told.result is not None and not (message and told.by_order):
        # A framework may tell the model less than the cause ("function failed").
        if message is None or message in told.result or not says_error(told.result):
            return unwrap_result(told.result)
        return Result(message, failed=True)
    return Result(message, failed=True) if message is not None else own


def _is_command(value: Any) -> bool:
    """A state update that steers a graph is not what the tool returned."""
    return isinstance(value, dict) and "graph" in value and "update" in value


def _status(node: Node, result: Result, error: ErrorInfo | None) -> ToolStatus | None:
    if node.facts.tool_status is not None:
        return node.facts.tool_status
    if error is not None or result.failed or _has_failed(node.facts.error_type):
        return "error"
    if result.failed is None and says_error(result.value):
        return "error"
    return "success"


def _has_failed(kind: str | None) -> bool:
    return kind is not None and text(kind) is not None and not is_control_flow(kind)


def _error_type(error: ErrorInfo | None) -> str | None:
    return error.type if error is not None else None


def _from_messages(call: ToldCall) -> ToolCall:
    arguments = parse_arguments(call.arguments)
    result = unwrap_result(call.result)
    status: ToolStatus | None = None
    if result.value is not None:
        failed = result.failed if result.failed is not None else says_error(result.value)
        status = "error" if failed else "success"
    return ToolCall(
        name=call.name,
        id=call.id,
        arguments=arguments.value,
        arguments_parse_error=arguments.error,
        result=result.value,
        status=status,
        agent=call.agent,
    )
