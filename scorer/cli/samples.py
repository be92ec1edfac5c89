"""Plain samples (no spans): one JSON object a line becomes the view that metrics read.

`FIELDS` says what there is. A field that is absent or null is *not captured*; a field of
another name is not read, and told once. Ids must be unique: a second sample of the same id is a
bad line, because its scores would get the same score ids. A sample without an id is `line-N`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from scorer.cli.sample_fields import Shape, UnknownFields, why_no_sample
from scorer.errors import PermanentError
from scorer.model.agent_trace import (
    Agent,
    AgentTrace,
    Document,
    LlmCall,
    Message,
    Reference,
    Spending,
    ToolCall,
    ToolStatus,
    Usage,
)

FIELDS: Final[Mapping[str, str]] = {
    "id": "the `subject` of the scores; default: `line-N`",
    "question, answer": "texts",
    "contexts": "retrieved passages in rank order, each a text or `{text, id, score}`",
    "expected": "the reference answer; also `expected_contexts`, `expected_tool_calls`, "
    "`expected_caption`, `expected_transcript`",
    "tool_calls": "`{name, arguments, result, status, id, error_type}` each; "
    "status: `success` or `error`",
    "model, usage": "one model call; usage: `{input, output, total, cache_read, cache_write, "
    "reasoning}` tokens, or `prompt_tokens`, `completion_tokens`, `total_tokens`",
    "cost_usd": "the reported cost",
    "service, agent, session_id, user_id": "whose run it was",
    "privacy_epsilon, privacy_delta": "what it spent of the privacy budget of `user_id`",
}
"""What a sample may hold, for the help and the README."""


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


class SampleUsage(Usage, frozen=True):
    """Token counts under our names or under those of OpenAI's API; ours win."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None

    def plain(self) -> Usage:
        """Return the counts under our names."""
        return Usage(
            input=self.prompt_tokens if self.input is None else self.input,
            output=self.completion_tokens if self.output is None else self.output,
            total=self.total_tokens if self.total is None else self.total,
            cache_read=self.cache_read,
            cache_write=self.cache_write,
            reasoning=self.reasoning,
        )


class Sample(Struct, frozen=True, kw_only=True):
    """One line of a samples file."""

    id: str | int | None = None
    question: str | None = None
    answer: str | None = None
    contexts: list[str | Passage] | None = None
    expected: str | None = None
    expected_contexts: tuple[str, ...] | None = None
    expected_tool_calls: Any = None
    expected_caption: str | None = None
    expected_transcript: str | None = None
    tool_calls: list[SampleCall] | None = None
    model: str | None = None
    usage: SampleUsage | None = None
    cost_usd: float | None = None
    service: str = ""
    agent: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    privacy_epsilon: float | None = None
    privacy_delta: float | None = None


class BadSample(Struct, frozen=True):
    """A line that is not a sample, and why."""

    line: int
    error: str


_ENUM_VALUE = re.compile(r"Invalid enum value (?:.*(?= - at `)|.*)", re.DOTALL)
_SHAPE: Final[Shape] = {
    part: frozenset(shape.__struct_fields__)
    for part, shape in {
        "": Sample,
        "contexts": Passage,
        "tool_calls": SampleCall,
        "usage": SampleUsage,
    }.items()
}


class ReadSample(Struct, frozen=True):
    """A sample, as metrics see it and as it was written."""

    line: int
    view: AgentTrace
    document: dict[str, Any]


def read_samples(
    lines: Iterable[bytes], tell: Callable[[str], None] = lambda _: None
) -> Iterator[AgentTrace | BadSample]:
    """Turn the lines of a samples file into views; blank lines are passed over.

    `tell` gets a text for each field of a sample that is not read, once.
    """
    for item in read_documents(lines, tell):
        yield item if isinstance(item, BadSample) else item.view


def read_documents(
    lines: Iterable[bytes],
    tell: Callable[[str], None] = lambda _: None,
    also: Collection[str] = (),
) -> Iterator[ReadSample | BadSample]:
    """Do the same, and keep what was written; `also` names further fields that are read."""
    unknown = UnknownFields({**_SHAPE, "": _SHAPE[""] | set(also)}, tell)
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = parse_sample(line)
            view = view_of(document, default_id=f"line-{number}")
        except PermanentError as error:
            yield BadSample(number, str(error))
            continue
        unknown.check(document, number)
        first = seen.setdefault(view.trace_id, number)
        if first == number:
            yield ReadSample(number, view, document)
        else:
            yield BadSample(number, f"id {view.trace_id!r} is already that of line {first}")


def parse_sample(line: bytes) -> dict[str, Any]:
    """Parse one line; raises PermanentError for what is no sample."""
    try:
        document = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise PermanentError(str(error)) from error
    if not isinstance(document, dict):
        raise PermanentError("a sample is one JSON object on a line of its own")
    if not _SHAPE[""] & document.keys():
        raise PermanentError(why_no_sample(document))
    return document


def view_of(document: dict[str, Any], default_id: str) -> AgentTrace:
    """Turn a parsed sample into a view; raises PermanentError saying what is wrong with it."""
    try:
        sample = msgspec.convert(document, Sample)
    except msgspec.ValidationError as error:
        # What stands in the sample is not repeated.
        raise PermanentError(_ENUM_VALUE.sub("Unknown value", str(error))) from error
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
        usage=None if sample.usage is None else sample.usage.plain(),
        cost_usd=sample.cost_usd,
        spending=_spending(sample),
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
    given = Reference(
        answer=sample.expected,
        contexts=sample.expected_contexts,
        tool_calls=sample.expected_tool_calls,
        caption=sample.expected_caption,
        transcript=sample.expected_transcript,
        source="sample",
    )
    return None if given == Reference(source="sample") else given


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


def _spending(sample: Sample) -> tuple[Spending, ...]:
    epsilon, delta = sample.privacy_epsilon, sample.privacy_delta
    if epsilon is None and delta is None:
        return ()
    return (Spending(span_id="", epsilon=epsilon, delta=delta, principal=sample.user_id),)


def _llm_calls(sample: Sample) -> tuple[LlmCall, ...]:
    if sample.model is None and sample.usage is None:
        return ()
    usage = Usage() if sample.usage is None else sample.usage.plain()
    return (LlmCall(span_id="", model=sample.model, usage=usage),)
