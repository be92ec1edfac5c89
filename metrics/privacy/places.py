"""Where an agent lets texts out, and where users put theirs in."""

from collections.abc import Iterator, Mapping
from typing import Any

from scorer.api import AgentTrace, Message

_MAX_DEPTH = 32
_MAX_ARGUMENTS = 100_000
_MAX_NAME = 64
# Where a text stands: what it is, which one (from 1, 0 = there is one only), and a tool's name.
Where = tuple[str, int, str]
Place = tuple[str, Where]
_NUMBERS = frozenset({int, float})
_MAPPINGS = (dict, Mapping)  # most are dicts, and the question is quick for these


def inputs(trace: AgentTrace) -> Iterator[Place]:
    """Yield what the user wrote."""
    if trace.question:
        yield trace.question, ("question", 0, "")
    for number, message in enumerate(trace.messages or (), start=1):
        if message.role == "user" and message.text:
            yield message.text, ("message", number, "")


def outputs(trace: AgentTrace) -> Iterator[Place]:
    """Yield what the agent said, handed to tools, or reported as an error."""
    if trace.answer is not None:
        yield trace.answer, ("answer", 0, "")
    for number, tool in enumerate(trace.tool_calls or (), start=1):
        yield _flat(tool.arguments), ("tool", number, tool.name)
    for number, message in enumerate(trace.messages or (), start=1):
        yield from _said(message, "message", number)
    for number, call in enumerate(trace.llm_calls, start=1):
        for message in call.output_messages or ():
            yield from _said(message, "llm", number)
    for number, error in enumerate(trace.errors, start=1):
        if error.message:
            yield error.message, ("error", number, "")


def _said(message: Message, what: str, number: int) -> Iterator[Place]:
    if message.role != "assistant":
        return
    if message.text:
        yield message.text, (what, number, "")
    for call in message.tool_calls:
        yield _flat(call.arguments), (what, number, call.name)


def written(what: str, number: int, tool: str) -> str:
    """Return a place in words: "answer", "message#3", "tool:NAME#2", "llm#1/tool:NAME"."""
    named = f"tool:{tool[:_MAX_NAME]}"
    if what == "tool":
        return f"{named}#{number}"
    place = f"{what}#{number}" if number else what
    return f"{place}/{named}" if tool else place


def _flat(arguments: Any) -> str:
    """Return the texts and numbers inside tool arguments, one a line."""
    leaves: list[str] = []
    room = _MAX_ARGUMENTS
    # A key stays beside its value, for it says what the value is.
    stack: list[tuple[str, Any, int]] = [("", arguments, 0)]
    while stack:
        label, value, depth = stack.pop()
        if isinstance(value, str) or type(value) in _NUMBERS:
            leaf = label + str(value)[:_MAX_ARGUMENTS]
            room -= len(leaf)
            if room < 0:
                break
            leaves.append(leaf)
        elif depth < _MAX_DEPTH:
            stack += _inside(label, value, depth + 1)
    return "\n".join(leaves)


def _inside(label: str, value: Any, depth: int) -> list[tuple[str, Any, int]]:
    """Return what a structure holds, the first one last; what is no structure holds nothing."""
    if isinstance(value, _MAPPINGS):
        found = [(f"{key}: ", item, depth) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        found = [(label, item, depth) for item in value]
    else:
        return []
    found.reverse()
    return found
