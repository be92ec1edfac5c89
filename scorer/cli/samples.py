"""Plain samples (no spans): one JSON object a line becomes the view that metrics read.

| field                 | becomes                                                            |
|-----------------------|--------------------------------------------------------------------|
| `id`                  | the subject of the scores; default: the number of the line         |
| `question`, `answer`  | the same                                                           |
| `contexts`            | passages in rank order; each a text or `{text, id, score}`         |
| `expected`            | the reference answer                                               |
| `expected_contexts`   | the reference contexts                                             |
| `expected_tool_calls` | the reference tool calls                                           |
| `tool_calls`          | `{name, arguments, result, status, id, error_type}` each; status   |
|                       | `success` or `error`                                               |
| `model`, `usage`      | one model call; usage is `{input, output, cache_read, ...}` tokens |
| `cost_usd`            | the reported cost                                                  |
| `service`, `agent`, `session_id`, `user_id` | the same                                     |

A field that is absent or null is *not captured*; other fields are ignored. Ids must be unique:
a second sample of the same id is a bad line, because its scores would get the same score ids.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from scorer.errors import PermanentError
from scorer.model.agent_trace import (
    Agent,
    AgentTrace,
    Document,
    LlmCall,
    Message,
    Reference,
    ToolCall,
    ToolStatus,
    Usage,
)


class Passage(Struct, frozen=True):
    """A context with its id and retrieval score."""

    text: str | None = None
    id: str | None = None
    score: float | None = None


class SampleCall(Struct, frozen=True):
    """A tool call of a sample."""

    name: str
    arguments: Any = None
    result: Any = None
    status: ToolStatus | None = None
    id: str | None = None
    error_type: str | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """One line of a samples file."""

    id: str | int | None = None
    question: str | None = None
    answer: str | None = None
    contexts: list[str | Passage] | None = None
    expected: str | None = None
    expected_contexts: tuple[str, ...] | None = None
    expected_tool_calls: Any = None
    tool_calls: list[SampleCall] | None = None
    model: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    service: str = ""
    agent: str | None = None
    session_id: str | None = None
    user_id: str | None = None


class BadSample(Struct, frozen=True):
    """A line that is not a sample, and why."""

    line: int
    error: str


_decoder = msgspec.json.Decoder(Sample)


def read_samples(lines: Iterable[bytes]) -> Iterator[AgentTrace | BadSample]:
    """Turn the lines of a samples file into views; blank lines are passed over."""
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            view = view_of(line, default_id=str(number))
        except PermanentError as error:
            yield BadSample(number, str(error))
            continue
        first = seen.setdefault(view.trace_id, number)
        if first == number:
            yield view
        else:
            yield BadSample(number, f"id {view.trace_id!r} is already that of line {first}")


def view_of(line: bytes, default_id: str) -> AgentTrace:
    """Turn one line into a view; raises PermanentError saying what is wrong with it."""
    try:
        sample = _decoder.decode(line)
    except msgspec.DecodeError as error:
        raise PermanentError(str(error)) from error
    return AgentTrace(
        trace_id=default_id if sample.id is None else str(sample.id),
        service=sample.service,
        agent=sample.agent,
        agents=() if sample.agent is None else (Agent(sample.agent),),
        session_id=sample.session_id,
        user_id=sample.user_id,
        question=sample.question,
        answer=sample.answer,
        messages=_messages(sample),
        contexts=_contexts(sample),
        reference=_reference(sample),
        tool_calls=_tool_calls(sample),
        llm_calls=_llm_calls(sample),
        models=() if sample.model is None else (sample.model,),
        usage=sample.usage,
        cost_usd=sample.cost_usd,
    )


def _messages(sample: Sample) -> tuple[Message, ...] | None:
    messages = (Message("user", sample.question), Message("assistant", sample.answer))
    return tuple(message for message in messages if message.text is not None) or None


def _contexts(sample: Sample) -> tuple[Document, ...] | None:
    if sample.contexts is None:
        return None
    passages = [Passage(item) if isinstance(item, str) else item for item in sample.contexts]
    return tuple(
        Document(text=passage.text, id=passage.id, score=passage.score, rank=rank)
        for rank, passage in enumerate(passages, start=1)
    )


def _reference(sample: Sample) -> Reference | None:
    given = (sample.expected, sample.expected_contexts, sample.expected_tool_calls)
    if all(part is None for part in given):
        return None
    return Reference(answer=given[0], contexts=given[1], tool_calls=given[2], source="sample")


def _tool_calls(sample: Sample) -> tuple[ToolCall, ...] | None:
    if sample.tool_calls is None:
        return None
    return tuple(
        ToolCall(
            name=call.name,
            id=call.id,
            arguments=call.arguments,
            result=call.result,
            status=call.status,
            error_type=call.error_type,
        )
        for call in sample.tool_calls
    )


def _llm_calls(sample: Sample) -> tuple[LlmCall, ...]:
    if sample.model is None and sample.usage is None:
        return ()
    return (LlmCall(span_id="", model=sample.model, usage=sample.usage or Usage()),)
