"""From what a metric returned to checked `Score`s."""

import math
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from scorer.api import AgentTrace, Measurement, MetricSpec, OutputSpec, Unscored
from scorer.model.score import Score, score_id
from scorer.model.trace import CloseReason
from scorer.registry import LoadedMetric

_MAX_EXPLANATION = 2000


class Subject(Struct, frozen=True, kw_only=True):
    """What is scored: a trace as it was closed, or a sample."""

    id: str
    trace: AgentTrace
    event_time: str | None
    close_reason: CloseReason | None = None
    revision: int = 1
    is_trace: bool = True


def scores_of(
    loaded: LoadedMetric, subject: Subject, result: Measurement | Unscored
) -> tuple[Score, ...]:
    """Return one score per output; exactly one, without value, when there is no measurement."""
    if isinstance(result, Unscored):
        return (_unscored(loaded, subject, result),)
    fault = _fault(loaded.spec, result)
    if fault is not None:
        return (_unscored(loaded, subject, Unscored(fault, "failed", result.detail)),)
    return tuple(_outputs(loaded, subject, result))


def _fault(spec: MetricSpec, result: Measurement) -> str | None:
    declared = {output.name for output in spec.outputs}
    required = {output.name for output in spec.outputs if output.required}
    if not required <= result.values.keys():
        return "missing_output"
    if not result.values.keys() <= declared:
        return "undeclared_output"
    if not all(_is_finite(value) for value in result.values.values()):
        return "non_finite"
    return None


def _is_finite(value: Any) -> bool:
    return isinstance(value, bool | int | float) and math.isfinite(value)


def _outputs(loaded: LoadedMetric, subject: Subject, result: Measurement) -> Iterator[Score]:
    for output in loaded.spec.outputs:
        if output.name not in result.values:
            yield _score(loaded, subject, output, status="missing", reason="output_omitted")
            continue
        primary = output is loaded.spec.outputs[0]
        raw = result.values[output.name]
        value = _clamp(float(raw), output) if loaded.mode == "beyond" else float(raw)
        detail = result.detail if primary else None
        if value != raw:
            detail = {**(detail or {}), "raw": float(raw)}
        yield _score(
            loaded,
            subject,
            output,
            status="scored",
            value=value,
            label=_label(loaded, result, raw, value, primary=primary),
            method=result.method,
            explanation=result.explanation[:_MAX_EXPLANATION]
            if primary and result.explanation
            else None,
            detail=detail,
        )


def _label(
    loaded: LoadedMetric, result: Measurement, raw: float | bool, value: float, *, primary: bool
) -> str | None:
    if isinstance(raw, bool):
        return "pass" if raw else "fail"
    if not primary:
        return None
    if loaded.threshold is not None:
        return loaded.threshold.label(value)
    return result.label


def _clamp(value: float, output: OutputSpec) -> float:
    low, high = output.range or (None, None)
    if low is not None and value < low:
        return low
    if high is not None and value > high:
        return high
    return value


def _unscored(loaded: LoadedMetric, subject: Subject, result: Unscored) -> Score:
    return _score(
        loaded,
        subject,
        loaded.spec.outputs[0],
        status=result.status,
        reason=result.reason,
        method=loaded.spec.methods[0],
        detail=result.detail,
    )


def _score(loaded: LoadedMetric, subject: Subject, output: OutputSpec, **outcome: Any) -> Score:
    """Build a score: identity and context from the subject, the rest from the outcome."""
    spec, trace = loaded.spec, subject.trace
    method = outcome.setdefault("method", spec.methods[0])
    return Score(
        id=score_id(
            tenant=trace.tenant,
            scope=spec.scope,
            subject=subject.id,
            metric=spec.name,
            output=output.name,
            method=method,
            evaluator_version=spec.version,
            config_hash=loaded.config_hash,
            revision=subject.revision,
        ),
        metric=spec.name,
        output=output.name,
        direction=output.direction,
        unit=output.unit,
        range=output.range,
        kind=spec.kind,
        scope=spec.scope,
        subject=subject.id,
        evaluator_version=spec.version,
        tenant=trace.tenant,
        trace_id=trace.trace_id if subject.is_trace else None,
        span_id=trace.root_span_id,
        session_id=trace.session_id,
        service=trace.service,
        agent=trace.agent,
        revision=subject.revision,
        close_reason=subject.close_reason,
        completeness=trace.completeness if subject.is_trace else None,
        event_time=subject.event_time,
        **outcome,
    )
