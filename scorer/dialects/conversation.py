"""The messages of a run, and the tool calls that they tell of.

A later model call repeats the history of the earlier ones, so the same tool call is seen many
times: once as requested, then in every history. Calls are joined by id; where the ids differ
(the OpenAI Responses API has two per call) the n-th request of a tool with the same arguments
is the n-th one in the history. What stands before the last word of the user belongs to an
earlier run.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from scorer.dialects.model_calls import ModelCall
from scorer.dialects.payload_text import messages_in
from scorer.dialects.tree import Node
from scorer.dialects.values import as_text
from scorer.model.agent_trace import Message, RequestedCall

_CARRIERS = frozenset({"agent", "workflow", "chain"})


class ToldCall:
    """A tool call as the messages tell it.

    `followed` = the model was called again after it. `by_order` = only the order of the messages
    ties the result to the call.
    """

    __slots__ = ("agent", "arguments", "by_order", "followed", "id", "ids", "name", "result")

    def __init__(self, call: RequestedCall, agent: str | None) -> None:
        self.name = call.name
        self.arguments = call.arguments
        self.id = call.id
        self.ids = {call.id} - {None}
        self.agent = agent
        self.result: str | None = None
        self.followed = False
        self.by_order = False


class _Turn(Struct, frozen=True, gc=False):
    """Messages of one model call (or of a wrapper span, where no model call is recorded)."""

    inputs: Sequence[Message]
    outputs: Sequence[Message]
    agent: str | None


def told_calls(calls: Sequence[ModelCall], nodes: Sequence[Node]) -> tuple[ToldCall, ...]:
    """Return the tool calls that messages tell of, in the order of the run."""
    turns = _turns(calls) or _wrapper_turns(nodes)
    if not any(
        message.tool_calls  # without a request nothing is told
        for turn in turns
        for messages in (turn.inputs, turn.outputs)
        for message in messages
    ):
        return ()
    told = _Told()
    for index, turn in enumerate(turns):
        told.history(_of_this_run(turn.inputs), turn.agent)
        told.history(turn.outputs, turn.agent, requested=True)
        if index + 1 < len(turns):
            told.followed(turn.outputs)
    return tuple(told.calls)


def wrapper_messages(node: Node) -> tuple[Message, ...]:
    """Return the conversation that an agent or chain span recorded, () when none."""
    if node.conversation is None:
        facts = node.facts
        outputs = facts.output_messages or messages_in(facts.output_text)
        node.conversation = (*(facts.input_messages or ()), *outputs)
    return node.conversation


def _turns(calls: Sequence[ModelCall]) -> list[_Turn]:
    return [
        _Turn(call.call.input_messages or (), call.call.output_messages or (), call.call.agent)
        for call in calls
        if call.call.input_messages or call.call.output_messages
    ]


def _wrapper_turns(nodes: Sequence[Node]) -> list[_Turn]:
    return [
        _Turn((), messages, node.agent)
        for node in nodes
        if node.facts.role in _CARRIERS and (messages := wrapper_messages(node))
    ]


def _of_this_run(messages: Sequence[Message]) -> Sequence[Message]:
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            return messages[index + 1 :]
    return messages


class _Told:
    """Joins what turn after turn tells of the same calls."""

    def __init__(self) -> None:
        self.calls: list[ToldCall] = []
        self._by_id: dict[str, ToldCall] = {}
        self._alike: defaultdict[tuple[str, str | None], list[ToldCall]] = defaultdict(list)

    def history(
        self, messages: Sequence[Message], agent: str | None, *, requested: bool = False
    ) -> None:
        telling = [item for item in messages if item.tool_calls or item.role == "tool"]
        if not telling:
            return
        dropped = not any(item.role == "assistant" and item.text for item in messages)
        seen: defaultdict[tuple[str, str | None], int] = defaultdict(int)
        pending: list[ToldCall] = []
        unnamed = iter(self._of(agent) if dropped else ())
        for message in telling:
            for call in message.tool_calls:
                key = (call.name, as_text(call.arguments))
                pending.append(self._call(call, key, seen[key], agent, requested))
                seen[key] += 1
            if message.role != "tool":
                continue
            if dropped and not pending and message.tool_call_id is None:
                pending = list(islice(unnamed, 1))
                for told in pending:
                    told.by_order = told.result is None or told.by_order
            self._result(message, pending)

    def _of(self, agent: str | None) -> list[ToldCall]:
        """Return the calls of an agent so far: a history without the requests has their results."""
        return [call for call in self.calls if call.agent == agent]

    def followed(self, messages: Iterable[Message]) -> None:
        for message in messages:
            for call in message.tool_calls:
                known = self._by_id.get(call.id or "")
                for told in [known] if known else self._alike[call.name, as_text(call.arguments)]:
                    told.followed = True

    def _call(
        self,
        call: RequestedCall,
        key: tuple[str, str | None],
        position: int,
        agent: str | None,
        requested: bool,
    ) -> ToldCall:
        known = self._by_id.get(call.id) if call.id is not None else None
        if known is None:
            alike = self._alike[key]
            if not requested and position < len(alike):
                known = alike[position]
            else:
                known = ToldCall(call, agent)
                self.calls.append(known)
                alike.append(known)
        if call.id is not None:
            self._by_id[call.id] = known
            known.ids.add(call.id)
        return known

    def _result(self, message: Message, pending: list[ToldCall]) -> None:
        told: Any = self._by_id.get(message.tool_call_id) if message.tool_call_id else None
        if told is None and pending:
            named = [call for call in pending if message.name in (None, call.name)]
            told = named[0] if named else None
        if told is None:
            return
        if told in pending:
            pending.remove(told)
        if told.result is None:
            told.result = message.text
