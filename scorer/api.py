"""What the author of a metric or a dialect may import.

A metric is a class registered under the entry-point group `spanscore.metrics`. It is
constructed once per process with the options of the configuration, has a `spec`, and
turns an `AgentTrace` into a `Measurement` or says why it cannot (`Unscored`). The engine
owns applicability (from `spec.needs`), time-outs, validation, thresholds, status and
emission; a metric that raises only fails its own score.

    class AnswerLength:
        spec = MetricSpec(
            name="answer_length", kind="quality", description="Words in the answer.",
            outputs=(OutputSpec(unit="{word}", range=(0, None), direction="none"),),
            needs=("answer",),
        )

        def score(self, trace: AgentTrace) -> Measurement | Unscored:
            return Measurement({"value": len((trace.answer or "").split())})
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from msgspec import Struct

from scorer.model.account import Balance, Entries, Entry
from scorer.model.agent_trace import (
    Agent,
    AgentTrace,
    Conflict,
    Document,
    ErrorInfo,
    Handoff,
    Interaction,
    LlmCall,
    Media,
    MediaKind,
    Message,
    Reference,
    RequestedCall,
    Resources,
    Spending,
    ToolCall,
    ToolDefinition,
    Usage,
)
from scorer.model.inference import (
    Describe,
    Description,
    Embeddings,
    EmbedFrames,
    EmbedMedia,
    EmbedRequest,
    EmbedText,
    Vector,
)
from scorer.model.reading import Coverage
from scorer.model.score import Direction, Kind, Method, Range, Score, ScoredTrace, ScoreScope
from scorer.model.span import Event, Link, LogRecord, Resource, Scope, Span
from scorer.model.span_facts import SpanFacts, SpanRole
from scorer.model.trace import Completeness
from scorer.registration import DEFAULT_METRICS, register_metric, resolve_metrics

__all__ = [
    "DEFAULT_METRICS",
    "AccountMetric",
    "Agent",
    "AgentTrace",
    "Balance",
    "Completeness",
    "Conflict",
    "CostClass",
    "Coverage",
    "Describe",
    "Description",
    "Dialect",
    "Direction",
    "Document",
    "EmbedFrames",
    "EmbedMedia",
    "EmbedRequest",
    "EmbedText",
    "Embeddings",
    "Entries",
    "Entry",
    "ErrorInfo",
    "Event",
    "Handoff",
    "Inference",
    "Interaction",
    "Kind",
    "Link",
    "LlmCall",
    "LogRecord",
    "Measurement",
    "Media",
    "MediaKind",
    "Message",
    "Method",
    "MetricSpec",
    "Mode",
    "Need",
    "OutputSpec",
    "Range",
    "Reference",
    "RequestedCall",
    "Resource",
    "Resources",
    "Scope",
    "Score",
    "ScoreMetric",
    "ScoreScope",
    "ScoredTrace",
    "Sink",
    "Span",
    "SpanFacts",
    "SpanRole",
    "Spending",
    "Threshold",
    "ToolCall",
    "ToolDefinition",
    "TraceMetric",
    "Unscored",
    "Usage",
    "Vector",
    "register_metric",
    "resolve_metrics",
]

Mode = Literal["documented", "beyond"]

# A fact of the trace that a metric cannot do without. The engine answers
# `not_applicable` with reason `no_<need>` when it is not there, `no_reference` for any reference.
Need = Literal[
    "question",
    "answer",
    "contexts",
    "context_text",
    "tool_calls",
    "llm_calls",
    "usage",
    "duration",
    "outputs",
    "reference_answer",
    "reference_caption",
    "reference_transcript",
    "media",
    "image",
    "video",
    "consent",
    "sensitive_values",
    "spending",
]

# What a metric runs on beside the processor.
CostClass = Literal["none", "embedding", "judge", "gpu"]


class Threshold(Struct, frozen=True, forbid_unknown_fields=True):
    """A value below `min` or above `max` fails."""

    min: float | None = None
    max: float | None = None

    def label(self, value: float) -> Literal["pass", "fail"]:
        """Return "fail" when the value is outside the threshold."""
        below = self.min is not None and value < self.min
        above = self.max is not None and value > self.max
        return "fail" if below or above else "pass"


class OutputSpec(Struct, frozen=True, kw_only=True):
    """One declared output of a metric. `range` is inclusive; None = unbounded."""

    name: str = "value"
    unit: str = "1"
    range: Range | None = (0.0, 1.0)
    direction: Direction = "higher"
    required: bool = True


class MetricSpec(Struct, frozen=True, kw_only=True):
    """What a metric is and needs. The first output is the primary one, named `value`.

    `default_threshold` applies to the primary output unless the configuration says
    otherwise. `version` changes whenever values may change. `timeout_s` bounds one call.
    `in_default` False keeps a metric of Spanscore's own out of the group `default`; it is still
    in the group of its kind. `uses_readings`: it reads `trace.resources`, so that the OTLP metrics
    that tell of these are kept while it is enabled.

    The rest is for the catalogue: the `system` whose definition mode `documented` reproduces, and
    in one clause what that does otherwise; the most expensive thing that one call uses; and
    `inputs`, in words, where `needs` does not say all.
    """

    name: str
    kind: Kind
    description: str
    outputs: tuple[OutputSpec, ...] = (OutputSpec(),)
    scope: ScoreScope = "trace"
    needs: tuple[Need, ...] = ()
    methods: tuple[Method, ...] = ("exact",)
    default_threshold: Threshold | None = None
    threshold_reason: str = ""
    version: str = "1"
    timeout_s: float = 5.0
    system: str = ""
    documented: str = ""
    cost_class: CostClass = "none"
    inputs: str = ""
    in_default: bool = True
    uses_readings: bool = False


class Measurement(Struct, frozen=True):
    """What a metric measured: a value per declared output.

    Values are finite numbers or booleans; an optional output may be left out. `detail` holds
    JSON-ready data for whoever looks into one score; never a secret or a PII value.
    """

    values: Mapping[str, float | bool]
    method: Method = "exact"
    explanation: str | None = None
    detail: dict[str, Any] | None = None
    label: str | None = None


class Unscored(Struct, frozen=True):
    """Why there is no value. `reason` is a short snake_case code, the same for the same cause."""

    reason: str
    status: Literal["not_applicable", "failed", "skipped"] = "not_applicable"
    detail: dict[str, Any] | None = None


@runtime_checkable
class TraceMetric(Protocol):
    """A metric of a whole trace (stage 1)."""

    @property
    def spec(self) -> MetricSpec:
        """What the metric is; a class attribute will do."""
        ...

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure one trace. May raise; then the score is `failed`."""
        ...


@runtime_checkable
class ScoreMetric(Protocol):
    """A metric of the scores of the other metrics of the same trace (stage 3)."""

    @property
    def spec(self) -> MetricSpec:
        """What the metric is; a class attribute will do."""
        ...

    def combine(self, trace: AgentTrace, scores: Sequence[Score]) -> Measurement | Unscored:
        """Combine the scores of the earlier stages. May raise; then the score is `failed`."""
        ...


@runtime_checkable
class Inference(Protocol):
    """Models that run elsewhere: on a GPU, in a process of their own.

    A metric that needs one has a keyword `inference: Inference | None` in its constructor. It is
    handed in by the service, never configured; None = not served, for which the metric answers
    `Unscored("sidecar_unavailable", "skipped")`.

    Each call answers every request, in their order, with a result or with why there is none. It
    raises for none of them and may block, within the `timeout_s` of the metric. The same request
    gets the same result. Reasons: `sidecar_unavailable` (not reachable, busy, too slow) and
    `media_not_allowed` are `skipped`; `unknown_model`, `unsupported_media` (no such kind for this
    model), `media_not_found`, `media_unreadable` and `media_too_large` are `failed`. References
    come from spans, so from anybody: none is read but what the configuration of `media` allows.
    """

    def embed(self, requests: Sequence[EmbedRequest]) -> Sequence[Embeddings | Unscored]:
        """Return the vectors of texts, images, sounds and films."""
        ...

    def describe(self, requests: Sequence[Describe]) -> Sequence[Description | Unscored]:
        """Return captions of images and transcripts of sounds."""
        ...


@runtime_checkable
class Sink(Protocol):
    """Where scores go. `write` gets scored traces in close order, never concurrently.

    An error raised by `write` is counted and logged; a `RetryableError` is tried again.
    `close` flushes; it is safe to call twice.
    """

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Take scored traces; return when they are handed over."""
        ...

    async def close(self) -> None:
        """Flush and release what the sink holds."""
        ...


@runtime_checkable
class AccountMetric(Protocol):
    """A metric of accounts that outlive the trace, such as a budget that many traces spend.

    `entries` is called where trace metrics are, in a scoring process, and must be pure. What it
    finds is booked in the main process in the order in which traces close, each span once, and
    kept over a restart; then `measure` is called, there: it must be quick. Entries are booked of
    every trace, also of those that a sampling rule leaves out.
    """

    @property
    def spec(self) -> MetricSpec:
        """What the metric is; a class attribute will do."""
        ...

    def entries(self, trace: AgentTrace) -> Entries | Unscored:
        """Find what a trace adds to which account. May raise; then the score is `failed`."""
        ...

    def measure(
        self, balances: Sequence[Balance], detail: dict[str, Any] | None
    ) -> Measurement | Unscored:
        """Measure, given the accounts that a trace added to, each as it is after that.

        `detail` is that of the entries. May raise; then the score is `failed`.
        """
        ...


@runtime_checkable
class Dialect(Protocol):
    """How one instrumentation writes its spans. Pure; never raises for bad attributes.

    Registered under the entry-point group `spanscore.dialects` as an object. `logs` are the
    log records of the span. Several dialects may match one span: state only what your own
    attributes say, the facts are merged field by field.

    Where `matches` depends on nothing but attribute keys, scope name, events and logs, a class
    attribute `matches_by_keys = True` saves asking again for spans with the same keys.
    It may also have `keys`, a frozenset of attributes: it is then asked only about spans that have
    one of them. With a method `prepared(keys)` that returns a quicker `read(span)` for spans with
    these attributes (and neither events nor logs), it is asked for that once for each set of them.
    """

    @property
    def name(self) -> str:
        """The name under which the dialect is configured and reported."""
        ...

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:
        """Tell cheaply whether the span carries this dialect; called for every span."""
        ...

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:
        """Return what this dialect says about the span; a field it does not know stays None."""
        ...
