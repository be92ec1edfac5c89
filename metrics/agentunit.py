"""The shapes of AgentUnit: what its metrics read and return, and readers for them.

A metric of AgentUnit has `evaluate(case, trace, outcome)`. Our metrics keep that method: it
always computes the original definition, which is what `mode="documented"` scores with. The
readers here are duck-typed, so that both the original's objects and ours will do, and they
reproduce the original's habits (an output that is a dict counts as its keys, for one).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from metrics.privacy.masking import quoted
from scorer.api import AgentTrace, Measurement, Method, MetricSpec, Mode, ToolCall, Unscored

_MAX_TEXT = 200
_MAX_ITEMS = 50
_MEASURED = ("energy_kwh", "carbon_kg", "cpu_percent", "memory_mb", "gpu_percent")
_LONG_NUMBER = 10**12  # rather a card or an account than a count; as a text it can be masked

# How the original would call RAGAS: (answer, references) -> score.
RagasScorer = Callable[[str, Sequence[str]], float]


class MetricResult(Struct, frozen=True):
    """What an AgentUnit metric returns; `value` None means "not measurable"."""

    name: str
    value: float | None
    detail: dict[str, Any] = {}


class Evaluator(Protocol):
    """An AgentUnit metric."""

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> Any:
        """Return an object with `value` and `detail`."""
        ...


class DatasetCase(Struct, frozen=True, kw_only=True):
    """The question side of a run; `context` None means that nothing was retrieved."""

    id: str
    query: str | None = None
    expected_output: str | None = None
    tools: list[str] = []
    context: list[str] | None = None
    metadata: dict[str, Any] = {}


class TraceEvent(Struct, frozen=True):
    """One event of a run; `timestamp` is in Unix seconds."""

    type: str
    payload: dict[str, Any]
    created_at: datetime

    @property
    def timestamp(self) -> float:
        """Unix seconds of the event."""
        return self.created_at.timestamp()


class TraceLog(Struct, frozen=True):
    """The events of a run in time order; `metadata` holds only what was measured."""

    events: list[TraceEvent] = []
    metadata: dict[str, Any] = {}

    def last_response(self) -> Any:
        """Return the content of the last agent response, None without one."""
        for event in reversed(self.events):
            if event.type == "agent_response":
                return event.payload.get("content")
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the events and the metadata as plain data."""
        events = [
            {"type": e.type, "payload": e.payload, "created_at": e.created_at.isoformat()}
            for e in self.events
        ]
        return {"events": events, "metadata": self.metadata}


class Outcome(SimpleNamespace):
    """How a run ended. It reads as its output text; `cost` and `usage` exist when measured."""

    def __str__(self) -> str:
        """Return the output text."""
        return text_of(self)


class CompositeMetric:
    """AgentUnit's composite: the mean of the values of its metrics, 0.0 without any value."""

    def __init__(self, metrics: Sequence[Any], name: str = "composite") -> None:
        self.name = name
        self._metrics = tuple(metrics)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:
        """Average the values that are not None; whatever a metric raises passes through."""
        values: list[float | None] = []
        detail: dict[str, Any] = {}
        for metric in self._metrics:
            result = metric.evaluate(case, trace, outcome)
            detail[metric.name] = result.detail
            values.append(result.value)
        return MetricResult(self.name, mean_or_zero(values), detail)


def mean_or_zero(values: Iterable[float | None]) -> float:
    """Return the mean of the values that are not None, 0.0 when there is none."""
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def spec_for(spec: MetricSpec, mode: Mode, method: Method = "exact") -> MetricSpec:
    """Return the declaration for a mode: the original decides itself what it can measure.

    Raises:
        ValueError: the mode is unknown.
    """
    if mode == "beyond":
        return spec
    if mode == "documented":
        return replace(spec, needs=(), methods=(method,))
    raise ValueError(f"mode must be beyond or documented, not {mode!r}")


def documented_score(
    metric: Evaluator, view: AgentTrace, method: Method = "exact"
) -> Measurement | Unscored:
    """Score a normalised trace with the original's definition."""
    return score_of(metric.evaluate(*case_of(view)), method)


def score_of(result: MetricResult, method: Method = "exact") -> Measurement | Unscored:
    """Return the score that a result of the original is; None is `not_measurable`."""
    detail = _bounded(result.detail)
    if result.value is None:
        return Unscored("not_measurable", detail=detail)
    if not math.isfinite(result.value):
        return Unscored("not_finite", status="failed", detail=detail)
    return Measurement({"value": float(result.value)}, method=method, detail=detail)


def ragas_score(
    ragas: RagasScorer | None, answer: str, references: list[str], *, otherwise: float
) -> float | None:
    """Return what RAGAS says, None when it fails, `otherwise` where there is no RAGAS."""
    if ragas is None:
        return otherwise
    try:
        return ragas(answer, references)
    except Exception:  # noqa: BLE001 - the original takes any failure as "not measurable"
        return None


def share_contained(answer: str, references: list[str]) -> float:
    """Return the share of the reference texts that the answer contains; needs at least one."""
    return sum(contained(answer, references)) / len(references)


def text_of(outcome: Any) -> str:
    """Return the text of an outcome: None is "", a list its lines, a dict only its keys."""
    return text_value(outcome.output if hasattr(outcome, "output") else outcome)


def text_value(value: Any) -> str:
    """Return the text of a value, as the original's core metrics read it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return "\n".join(str(item) for item in value)
    return str(value)


def references_of(case: Any) -> list[str]:
    """Return the context texts of a case, empty without any."""
    context = getattr(case, "context", None)
    if context is None:
        return []
    return [context] if isinstance(context, str) else [str(item) for item in context]


def contained(answer: str, references: Sequence[str]) -> list[bool]:
    """Say for each reference whether the lower-cased answer contains it ("" always is)."""
    folded = answer.lower()
    return [reference.lower() in folded for reference in references]


def tool_payloads(trace: Any) -> list[dict[str, Any]]:
    """Return the payloads of the `tool_call` events."""
    return [dict(event.payload) for event in events_of(trace) if event.type == "tool_call"]


def events_of(trace: Any) -> list[Any]:
    """Return the events of a trace, empty when it holds none."""
    return list(getattr(trace, "events", ()))


def metadata_of(trace: Any) -> Mapping[str, Any]:
    """Return the metadata of a trace; the stock trace object has none."""
    return getattr(trace, "metadata", None) or {}


def measured_of(trace: Any) -> Mapping[str, Any]:
    """Return what was measured in a run: the metadata of a trace, or a plain map itself."""
    return trace if isinstance(trace, Mapping) else metadata_of(trace)


def last_response(trace: Any) -> str | None:
    """Return the text of the last agent response, None without one; no content is "None"."""
    for event in reversed(events_of(trace)):
        if event.type == "agent_response":
            return str(event.payload.get("content"))
    return None


def case_of(view: AgentTrace) -> tuple[DatasetCase, TraceLog, Outcome]:
    """Build AgentUnit's (case, trace, outcome) from the normalised view."""
    case = DatasetCase(
        id=view.case_id or view.trace_id,
        query=view.question,
        expected_output=view.reference.answer if view.reference else None,
        tools=[tool.name for tool in view.tool_definitions or ()],
        context=_context_texts(view),
        metadata=_case_metadata(view),
    )
    return case, TraceLog(_events(view), _metadata(view)), _outcome(view)


def _case_metadata(view: AgentTrace) -> dict[str, Any]:
    metadata: dict[str, Any] = {f"{m.kind}_path": m.ref for m in reversed(view.media)}
    metadata |= view.sensitive or {}
    if view.consent is not None:
        metadata["consent"] = view.consent
    return metadata


def _context_texts(view: AgentTrace) -> list[str] | None:
    if view.contexts is None:
        return None
    return [document.text for document in view.contexts if document.text is not None]


def _events(view: AgentTrace) -> list[TraceEvent]:
    timed: list[tuple[int, str, dict[str, Any]]] = []
    if view.question is not None:
        timed.append((view.start_ns, "prompt", {"content": view.question}))
    timed += [
        (call.start_ns or view.start_ns, "tool_call", _tool_payload(call))
        for call in view.tool_calls or ()
    ]
    timed += [
        (spent.end_ns, "privacy_usage", {"privacy_epsilon": spent.epsilon})
        for spent in view.spending
        if spent.epsilon is not None and math.isfinite(spent.epsilon)
    ]
    timed += [
        (view.end_ns, "error", {"type": error.type, "message": error.message})
        for error in view.errors
    ]
    timed.sort(key=lambda item: item[0])
    if view.answer is not None:
        timed.append((max(view.end_ns, view.start_ns), "agent_response", {"content": view.answer}))
    return [TraceEvent(kind, payload, _moment(ns)) for ns, kind, payload in timed]


def _moment(ns: int) -> datetime:
    return datetime.fromtimestamp(ns / 1e9, tz=UTC)


def _tool_payload(call: ToolCall) -> dict[str, Any]:
    payload = {"name": call.name, "arguments": call.arguments, "result": call.result}
    if call.status is not None:
        payload["status"] = call.status
    if call.cost_usd is not None:
        payload["cost"] = call.cost_usd
    return payload


def _metadata(view: AgentTrace) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if view.cost_usd is not None:
        metadata["cost"] = view.cost_usd
    usage = _usage(view)
    if usage:
        metadata["usage"] = usage
    for name in _MEASURED:
        value = getattr(view.resources, name)
        if value is not None and math.isfinite(value):
            metadata[name] = value
    return metadata


def _usage(view: AgentTrace) -> dict[str, int]:
    if view.usage is None:
        return {}
    counts = {
        "prompt_tokens": view.usage.input,
        "completion_tokens": view.usage.output,
        "total_tokens": view.usage.total,
    }
    return {name: count for name, count in counts.items() if count is not None}


def _outcome(view: AgentTrace) -> Outcome:
    error = view.errors[0] if view.errors else None
    return Outcome(
        success=view.success if view.success is not None else not view.has_error,
        output=view.answer,
        error=(error.message or error.type) if error else None,
        tool_calls=[_tool_payload(call) for call in view.tool_calls or ()],
        **{key: value for key, value in _metadata(view).items() if key not in _MEASURED},
    )


def _bounded(value: Any) -> Any:
    """Cut long texts and lists that go into the detail of a score, and mask personal data."""
    if isinstance(value, str):
        return quoted(value, _MAX_TEXT)
    if isinstance(value, Mapping):
        items = list(value.items())[:_MAX_ITEMS]
        return {quoted(str(key), _MAX_TEXT): _bounded(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [_bounded(item) for item in value[:_MAX_ITEMS]]
    if isinstance(value, int) and value > _LONG_NUMBER:
        return _bounded(str(value))
    return value
