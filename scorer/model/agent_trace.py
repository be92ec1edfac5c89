"""The normalised view of a finished agent trace: the one thing that metrics read.

It is built once per trace by `scorer.dialects`, is immutable and shared by all metrics.
`None` always means *not captured*; `""`, `()` and `0` are captured values. Costs are USD,
times Unix nanoseconds, durations seconds. What comes many times a trace is not tracked by the
garbage collector: frozen values made of decoded JSON hold no cycles.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from scorer.model.reading import Coverage
from scorer.model.trace import Completeness

Role = Literal["system", "user", "assistant", "tool"]
ToolStatus = Literal["success", "error"]
MediaKind = Literal["image", "audio", "video", "document"]


class Usage(Struct, frozen=True, gc=False):
    """Token counts; `input` includes cached ones. A measured 0 differs from None."""

    input: int | None = None
    output: int | None = None
    total: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


class RequestedCall(Struct, frozen=True, gc=False):
    """A tool call as a model asked for it; `arguments` is parsed JSON where it parses."""

    name: str
    arguments: Any = None
    id: str | None = None


class Message(Struct, frozen=True, gc=False):
    """One message of a conversation. `text` joins the text parts; tool results have role tool."""

    role: Role
    text: str | None = None
    tool_calls: tuple[RequestedCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None


class Document(Struct, frozen=True, gc=False):
    """A retrieved passage; `text` is None where only its id was captured."""

    text: str | None
    id: str | None = None
    score: float | None = None
    rank: int | None = None
    span_id: str | None = None


class ToolCall(Struct, frozen=True, kw_only=True, gc=False):
    """A tool call that was executed (or whose result came back in a message).

    `status` None = nothing says how it ended. `span_id` None = known from messages only.
    """

    name: str
    id: str | None = None
    arguments: Any = None
    arguments_parse_error: str | None = None
    result: Any = None
    status: ToolStatus | None = None
    error_type: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    agent: str | None = None
    span_id: str | None = None
    cost_usd: float | None = None


class LlmCall(Struct, frozen=True, kw_only=True, gc=False):
    """One call of a model. `time_to_first_chunk` is in seconds."""

    span_id: str
    model: str | None = None
    provider: str | None = None
    usage: Usage = Usage()
    input_messages: tuple[Message, ...] | None = None
    output_messages: tuple[Message, ...] | None = None
    start_ns: int = 0
    end_ns: int = 0
    time_to_first_chunk: float | None = None
    finish_reasons: tuple[str, ...] = ()
    agent: str | None = None
    error_type: str | None = None
    cost_usd: float | None = None


class Agent(Struct, frozen=True):
    """An agent that took part; `authority_level` (0 to 10) and `can_delegate` are its role."""

    name: str
    id: str | None = None
    authority_level: float | None = None
    can_delegate: bool | None = None


class Handoff(Struct, frozen=True):
    """Control passed from one agent to another."""

    source: str | None
    target: str | None


class Interaction(Struct, frozen=True, kw_only=True, gc=False):
    """One agent addressed others.

    `type` is request, response, notification, delegation, collaboration, negotiation, conflict or
    handoff. `response_s` is how many seconds passed until the answer.
    """

    source: str
    targets: tuple[str, ...]
    type: str = "request"
    message_type: str | None = None
    success: bool | None = None
    response_s: float | None = None
    start_ns: int = 0


class Conflict(Struct, frozen=True, kw_only=True, gc=False):
    """Agents disagreed; `resolution_s` is how many seconds it took to settle."""

    agents: tuple[str, ...] = ()
    resolved: bool | None = None
    resolution_s: float | None = None


class ErrorInfo(Struct, frozen=True):
    """An error that a span reports (status or exception event)."""

    span_id: str
    type: str | None = None
    message: str | None = None


class Media(Struct, frozen=True):
    """A reference to an image, sound, film or document; never the content itself.

    `size` is the number of bytes of inline content, None where it is elsewhere.
    """

    kind: MediaKind
    ref: str
    mime_type: str | None = None
    span_id: str | None = None
    size: int | None = None


class ToolDefinition(Struct, frozen=True):
    """A tool that was offered to a model; `schema` is its JSON Schema."""

    name: str
    schema: Any = None


class Reference(Struct, frozen=True, kw_only=True):
    """The known right answer for a trace; `source` says where it came from."""

    answer: str | None = None
    contexts: tuple[str, ...] | None = None
    tool_calls: Any = None
    topics: tuple[str, ...] | None = None
    caption: str | None = None
    transcript: str | None = None
    source: Literal["attribute", "case_id", "question", "sample"] = "attribute"


class Resources(Struct, frozen=True, kw_only=True):
    """What a run used, as OTLP metrics, its spans or their resource report it; None = not reported.

    `cpu_percent` may exceed 100 where several cores are counted. `grid_intensity` is in kg of
    CO2e per kWh, `region` is the `cloud.region` of the agent. What was reported but is no finite
    number is NaN: no metric scores it. `sources` tells by field where a value came from, `coverage`
    of what came from OTLP metrics for how much of the time they speak.
    """

    energy_kwh: float | None = None
    carbon_kg: float | None = None
    cpu_percent: float | None = None
    memory_mb: float | None = None
    gpu_percent: float | None = None
    grid_intensity: float | None = None
    region: str | None = None
    sources: Mapping[str, str] = {}
    coverage: Mapping[str, Coverage] = {}


class Spending(Struct, frozen=True, kw_only=True, gc=False):
    """What one span spends of a privacy budget: (epsilon, delta), None = not told.

    What was told but is no finite number is NaN. `principal` is whose budget it is, `dataset` of
    which data, None = of the service's.
    """

    span_id: str
    epsilon: float | None = None
    delta: float | None = None
    principal: str | None = None
    dataset: str | None = None
    end_ns: int = 0


class AgentTrace(Struct, frozen=True, kw_only=True):
    """What one agent run was asked, did, said, used and cost.

    `usage` and `cost_usd` are trace totals without double counting; `cost_usd` is what the
    spans report (pricing tokens is a metric's work). `success` is the root's status as a
    boolean, None when unset. `interactions` hold each handoff, too. `consent` maps a category of
    data to whether the user allows its use, `sensitive` maps a key to the user's own value:
    personal data, never to be quoted. `is_agent` is False for a trace without any agent, model,
    tool or retrieval span: such a trace is not scored.
    """

    trace_id: str
    tenant: str = ""
    dialects: tuple[str, ...] = ()
    service: str = ""
    agent: str | None = None
    is_agent: bool = True
    session_id: str | None = None
    user_id: str | None = None
    case_id: str | None = None
    question: str | None = None
    answer: str | None = None
    messages: tuple[Message, ...] | None = None
    contexts: tuple[Document, ...] | None = None
    reference: Reference | None = None
    consent: Mapping[str, Any] | None = None
    sensitive: Mapping[str, Any] | None = None
    resources: Resources = Resources()
    spending: tuple[Spending, ...] = ()
    tool_calls: tuple[ToolCall, ...] | None = None
    tool_definitions: tuple[ToolDefinition, ...] | None = None
    llm_calls: tuple[LlmCall, ...] = ()
    models: tuple[str, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    agents: tuple[Agent, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    interactions: tuple[Interaction, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    media: tuple[Media, ...] = ()
    errors: tuple[ErrorInfo, ...] = ()
    has_error: bool = False
    success: bool | None = None
    start_ns: int = 0
    end_ns: int = 0
    root_span_id: str | None = None
    completeness: Completeness = Completeness(span_count=0, root_present=False)

    @property
    def duration_s(self) -> float | None:
        """Seconds from start to end of the root span (of all spans when there is no root)."""
        if not self.start_ns or self.end_ns < self.start_ns:
            return None
        return (self.end_ns - self.start_ns) / 1e9
