"""From what a metric returned to checked `Score`s."""

import math
from collections.abc import Mapping
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scorer.api import AgentTrace, Entries, Entry, Measurement, MetricSpec, OutputSpec, Unscored
from scorer.model.score import Method, Score, score_id
from scorer.model.trace import CloseReason
from scorer.registry import LoadedMetric

_MAX_EXPLANATION = 2000
# Of an encoded detail; the largest of a trace of 20 spans takes 1 KB.
_MAX_DETAIL = 16 * 1024
_METHODS = frozenset(get_args(Method))
_STATUSES = frozenset({"not_applicable", "failed", "skipped"})
_LARGEST_AMOUNT = 2**63
# What stands in place of a measurement until the entries are booked.
NOT_BOOKED = Unscored("not_booked", "failed")
_encoder = msgspec.msgpack.Encoder()


class Subject(Struct, frozen=True, kw_only=True):
    """What is scored: a trace as it was closed, or a sample."""

    id: str
    trace: AgentTrace
    event_time: str | None
    close_reason: CloseReason | None = None
    revision: int = 1
    is_trace: bool = True


def is_sound(result: object) -> bool:
    """Whether a metric's result has the types it promises and can cross to another process.

    `detail` must be JSON-ready: no odd objects, no integers beyond 64 bits, no broken text.
    """
    if isinstance(result, Measurement):
        texts: tuple[object, ...] = (result.explanation, result.label)
        is_typed = isinstance(result.values, Mapping) and result.method in _METHODS
    elif isinstance(result, Unscored):
        texts = (result.reason, None)
        is_typed = isinstance(result.reason, str) and result.status in _STATUSES
    elif isinstance(result, Entries):
        texts = (None, None)
        is_typed = isinstance(result.entries, tuple) and all(map(_is_entry, result.entries))
    else:
        return False
    return is_typed and all(map(_is_text_or_none, texts)) and _is_plain(texts, result.detail)


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, Entry) or not isinstance(entry.account, tuple):
        return False
    if not isinstance(entry.amounts, dict):
        return False
    if not isinstance(entry.ends, int) or not 0 <= entry.ends < _LARGEST_AMOUNT:
        return False
    texts = (entry.span_id, *entry.account, *entry.amounts)
    return all(isinstance(text, str) for text in texts) and all(
        isinstance(amount, int) and abs(amount) < _LARGEST_AMOUNT
        for amount in entry.amounts.values()
    )


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_plain(texts: tuple[object, ...], detail: object) -> bool:
    if detail is not None and not (
        isinstance(detail, dict) and all(isinstance(key, str) for key in detail)
    ):
        return False
    try:
        _encoder.encode((texts, detail))
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return False
    return True


def scores_of(
    loaded: LoadedMetric, subject: Subject, result: Measurement | Unscored
) -> tuple[Score, ...]:
    """Return one score per output; exactly one, without value, when there is no measurement."""
    return _scores(loaded, _blank(loaded, subject), result)


def booked_scores(
    loaded: LoadedMetric, placeholder: Score, result: Measurement | Unscored
) -> tuple[Score, ...]:
    """Return the same in place of a score that was `NOT_BOOKED`."""
    return _scores(loaded, replace(placeholder, reason=None, detail=None), result)


def _scores(
    loaded: LoadedMetric, blank: Score, result: Measurement | Unscored
) -> tuple[Score, ...]:
    result = replace(result, detail=_bounded(result.detail))
    if isinstance(result, Unscored):
        return (_unscored(loaded, blank, result),)
    fault = _fault(loaded.spec, result)
    if fault is not None:
        return (_unscored(loaded, blank, Unscored(fault, "failed", result.detail)),)
    return tuple([_output(loaded, blank, output, result) for output in loaded.spec.outputs])


def _bounded(detail: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a detail, or in place of one that is too long how long it is."""
    if not detail:
        return detail
    size = len(_encoder.encode(detail))
    return detail if size <= _MAX_DETAIL else {"left_out_bytes": size}


def _fault(spec: MetricSpec, result: Measurement) -> str | None:
    left = set(result.values)
    for output in spec.outputs:
        if output.required and output.name not in result.values:
            return "missing_output"
        left.discard(output.name)
    if left:
        return "undeclared_output"
    if not all(map(_is_finite, result.values.values())):
        return "non_finite"
    return None


def _is_finite(value: Any) -> bool:
    if not isinstance(value, (bool, int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False


def _output(loaded: LoadedMetric, blank: Score, output: OutputSpec, result: Measurement) -> Score:
    if output.name not in result.values:
        method = loaded.spec.methods[0]
        return _filled(loaded, blank, output, method, status="missing", reason="output_omitted")
    primary = output is loaded.spec.outputs[0]
    raw = result.values[output.name]
    value = _clamp(float(raw), output) if loaded.mode == "beyond" else float(raw)
    detail = result.detail if primary else None
    if value != raw:
        detail = {**(detail or {}), "raw": float(raw)}
    explanation = result.explanation if primary else None
    return _filled(
        loaded,
        blank,
        output,
        result.method,
        status="scored",
        value=value,
        label=_label(loaded, result, raw, value, primary=primary),
        explanation=explanation[:_MAX_EXPLANATION] if explanation else None,
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


def _unscored(loaded: LoadedMetric, blank: Score, result: Unscored) -> Score:
    return _filled(
        loaded,
        blank,
        loaded.spec.outputs[0],
        loaded.spec.methods[0],
        status=result.status,
        reason=result.reason,
        detail=result.detail,
    )


def _blank(loaded: LoadedMetric, subject: Subject) -> Score:
    """Return what all scores of a metric on a subject have in common."""
    spec, trace = loaded.spec, subject.trace
    return Score(
        id="",
        metric=spec.name,
        status="missing",
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
    )


def _filled(
    loaded: LoadedMetric, blank: Score, output: OutputSpec, method: Method, **outcome: Any
) -> Score:
    """Return a score for an output: its identity, its declaration, and the outcome."""
    return replace(
        blank,
        id=score_id(
            tenant=blank.tenant,
            scope=blank.scope,
            subject=blank.subject,
            metric=blank.metric,
            output=output.name,
            method=method,
            evaluator_version=blank.evaluator_version,
            config_hash=loaded.config_hash,
            revision=blank.revision,
        ),
        output=output.name,
        method=method,
        direction=output.direction,
        unit=output.unit,
        range=output.range,
        **outcome,
    )
