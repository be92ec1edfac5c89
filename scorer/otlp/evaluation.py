"""Scores as telemetry: what `results` sends for a score.

Theory of operation. A span that a backend already has is never sent again, so a score travels on
carriers of its own: a log record, the event `gen_ai.evaluation.result` of the OpenTelemetry
conventions in the context of the evaluated span, and a span of OpenInference's kind EVALUATOR,
which is linked to its target and stands in a trace of its own. The ids of that span follow from
the id of the score and all times are those of the score, so that a score that is sent twice
arrives as the same bytes. `Score.detail` stays here: it may hold what a trace must not repeat.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.model.evaluation import EVENT, OWN_NAME
from scorer.model.score import Range, Score
from scorer.model.score_json import valid_text
from scorer.model.times import unix_ns
from scorer.model.trace import Envelope
from scorer.otlp.attributes import AttributeValue, encode_attribute
from scorer.otlp.join import join

MAX_TEXT = 256
"""Characters of a name or a code."""
MAX_EXPLANATION = 2_048
"""Characters of an explanation."""

Attributes = dict[str, AttributeValue]
Facts = Mapping[str, AttributeValue]

_PREFIX = "spanscore."
# The fields of LogRecord, Span and Resource that hold attributes.
_LOG_ATTRIBUTES, _SPAN_ATTRIBUTES, _RESOURCE_ATTRIBUTES = 6, 9, 1
_UNBOUNDED: Range = (None, None)
# The word that agentevals uses, so that a dashboard may count both.
_NOT_EVALUATED = "not_evaluated"
# What OpenInference puts before the index, by the scope of the score.
_SCOPES = {"span": "", "trace": "trace.", "session": "session."}
# Attributes that differ from score to score, so that it is no use to keep their bytes.
_UNIQUE = frozenset(
    {
        "gen_ai.evaluation.score.value",
        "gen_ai.evaluation.explanation",
        "spanscore.score_id",
        *(
            f"{scope}evaluations.0.evaluation.{field}"
            for scope in _SCOPES.values()
            for field in ("score", "explanation", "metadata")
        ),
    }
)


class Terms(NamedTuple):
    """What belongs to a score and does not stand in it.

    `threshold` = the value fails below the first or above the second. `probability` = the share
    of traces like this one that are scored, None = all.
    """

    threshold: Range = _UNBOUNDED
    probability: float | None = None


NO_TERMS = Terms()


def facts_of(score: Score, terms: Terms = NO_TERMS) -> Facts:
    """Return what is to be sent of a score that the conventions have no attribute for."""
    low, high = score.range or _UNBOUNDED
    # A threshold is for the primary output.
    bounds = terms.threshold if score.output == "value" else _UNBOUNDED
    facts: dict[str, AttributeValue | None] = {
        "score_id": score.id,
        "metric": score.metric,
        "output": score.output,
        "status": score.status,
        "reason": score.reason,
        "kind": score.kind,
        "method": score.method,
        "judge_model": score.judge_model,
        "direction": score.direction,
        "unit": score.unit,
        "range.min": low,
        "range.max": high,
        "threshold.min": bounds[0],
        "threshold.max": bounds[1],
        "scope": score.scope,
        "subject": score.subject,
        "evaluator_version": score.evaluator_version,
        "revision": score.revision,
        "close_reason": score.close_reason,
        "service": score.service or None,
        "tenant": score.tenant or None,
        "scoring.probability": terms.probability,
        **_completeness(score),
    }
    return {
        key: _cut(value, MAX_TEXT) if isinstance(value, str) else value
        for key, value in facts.items()
        if value is not None
    }


def evaluation_event(score: Score, facts: Facts) -> bytes:
    """Return the log record of a score, in the context of the span that was evaluated.

    `facts` are those of `facts_of`.
    """
    moment = unix_ns(score.event_time)
    attributes: Attributes = {"gen_ai.evaluation.name": _name(score)}
    if score.value is not None:
        attributes["gen_ai.evaluation.score.value"] = float(score.value)
    _put(attributes, "gen_ai.evaluation.score.label", _label(score), MAX_TEXT)
    _put(attributes, "gen_ai.evaluation.explanation", score.explanation, MAX_EXPLANATION)
    if score.status == "failed":
        attributes["error.type"] = _cut(score.reason or "_OTHER", MAX_TEXT)
    _put(attributes, "gen_ai.agent.name", score.agent, MAX_TEXT)
    _put(attributes, "gen_ai.conversation.id", score.session_id, MAX_TEXT)
    attributes.update(_prefixed(facts))
    record = logs_pb2.LogRecord(
        time_unix_nano=moment,
        observed_time_unix_nano=moment,
        severity_number=logs_pb2.SEVERITY_NUMBER_INFO,
        severity_text="INFO",
        event_name=EVENT,
    )
    trace_id, span_id = _target(score)
    if trace_id:
        record.trace_id = trace_id
        record.span_id = span_id
    return record.SerializeToString() + _encoded(_LOG_ATTRIBUTES, attributes)


def evaluator_span(score: Score, facts: Facts) -> bytes | None:
    """Return the carrier span of a score; None when it has no target to be linked to.

    A session is a target by its id; a window is none. `facts` are those of `facts_of`.
    """
    scope = _SCOPES.get(score.scope)
    trace_id, span_id = _target(score)
    is_session = score.scope == "session" and bool(score.session_id)
    if scope is None or not (span_id or is_session):
        return None
    attributes: Attributes = {"openinference.span.kind": "EVALUATOR"}
    if is_session:
        _put(attributes, "session.id", score.session_id, MAX_TEXT)
    attributes.update(_evaluation(f"{scope}evaluations.0.evaluation.", score, facts))
    attributes.update(_prefixed(facts))
    if span_id:
        # Once more, for backends that keep no links.
        attributes["spanscore.target.trace_id"] = trace_id.hex()
        attributes["spanscore.target.span_id"] = span_id.hex()
    moment = unix_ns(score.event_time)
    own_trace, own_span = carrier_ids(score.id)
    span = trace_pb2.Span(
        trace_id=own_trace,
        span_id=own_span,
        name=f"evaluation {_name(score)}",
        kind=trace_pb2.Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=moment,
        end_time_unix_nano=moment,
    )
    if span_id:
        span.links.add(trace_id=trace_id, span_id=span_id)
    if score.status == "failed":
        span.status.code = trace_pb2.Status.STATUS_CODE_ERROR
        span.status.message = _cut(score.reason or "", MAX_TEXT)
    return span.SerializeToString() + _encoded(_SPAN_ATTRIBUTES, attributes)


def carrier_ids(score_id: str) -> tuple[bytes, bytes]:
    """Return the trace id and the span id of a score's carrier span; never all zero."""
    digest = hashlib.sha256(f"{OWN_NAME} {score_id}".encode("utf-8", "replace")).digest()
    return digest[:15] + b"\x01", digest[16:23] + b"\x01"


def own_request(items: Iterable[bytes], version: str) -> bytes:
    """Return an Export*ServiceRequest of ours: of log records, or of spans."""
    scope = common_pb2.InstrumentationScope(name=OWN_NAME, version=version).SerializeToString()
    ours: Attributes = {"service.name": OWN_NAME, "service.version": version}
    resource = _encoded(_RESOURCE_ATTRIBUTES, ours)
    envelope = Envelope(resource, scope)
    return join((item, envelope) for item in items)


def _name(score: Score) -> str:
    name = score.metric if score.output == "value" else f"{score.metric}.{score.output}"
    return _cut(name, MAX_TEXT)


def _label(score: Score) -> str | None:
    return score.label if score.status == "scored" else _NOT_EVALUATED


def _target(score: Score) -> tuple[bytes, bytes]:
    """Return the ids of the evaluated span (of the root for a trace), empty where unknown."""
    try:
        trace_id = bytes.fromhex(score.trace_id or "")
        span_id = bytes.fromhex(score.span_id or "")
    except ValueError:
        return b"", b""
    if len(trace_id) != 16 or not any(trace_id):
        return b"", b""
    return trace_id, span_id if len(span_id) == 8 and any(span_id) else b""


def _evaluation(prefix: str, score: Score, facts: Facts) -> Attributes:
    """Return OpenInference's fields of an evaluation.

    Name, identifier and target make its identity, so a revision takes the place of the one
    before, and scores of another method stand beside it.
    """
    is_judge = score.method == "judge"
    judge = f"/{score.judge_model}" if score.judge_model else ""
    fields: Attributes = {
        "name": _name(score),
        "annotator_kind": "LLM" if is_judge else "CODE",
        "identifier": _cut(f"{OWN_NAME}/{score.method}{judge}", MAX_TEXT),
        "metadata": msgspec.json.encode(facts, order="deterministic").decode(),
    }
    if score.value is not None:
        fields["score"] = float(score.value)
    _put(fields, "label", _label(score), MAX_TEXT)
    # It must have a score, a label or an explanation.
    explanation = score.explanation or (None if score.status == "scored" else score.reason)
    _put(fields, "explanation", explanation, MAX_EXPLANATION)
    return {prefix + key: value for key, value in fields.items()}


def _completeness(score: Score) -> Attributes:
    found = score.completeness
    if found is None:
        return {}
    # `lost` names keys of the sender's attributes, which are nobody else's business.
    counts = {
        "orphan_parents": found.orphan_parents,
        "duplicates": found.duplicates,
        "conflicts": found.conflicts,
        "dropped": found.dropped,
        "truncated_content": found.truncated_content,
        "undecodable": found.undecodable,
    }
    present = {key: count for key, count in counts.items() if count}
    always: Attributes = {"span_count": found.span_count, "root_present": found.root_present}
    return {f"completeness.{key}": value for key, value in (always | present).items()}


def _prefixed(facts: Facts) -> Attributes:
    return {_PREFIX + key: value for key, value in facts.items()}


def _put(attributes: Attributes, key: str, text: str | None, limit: int) -> None:
    if text:
        attributes[key] = _cut(text, limit)


def _cut(text: str, limit: int) -> str:
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return text if text.isascii() else valid_text(text)


def _encoded(field: int, attributes: Attributes) -> bytes:
    """Return attributes as they stand in the wire bytes of a message, in its field."""
    return b"".join(
        [
            (encode_attribute if key in _UNIQUE else _encode_known)(field, key, value)
            for key, value in attributes.items()
        ]
    )


# Most attributes are the same for each score of a trace, or of a metric. 4,096 of them take some
# megabytes at most. `typed`, for 1, 1.0 and True are the same key otherwise.
_encode_known = lru_cache(4_096, typed=True)(encode_attribute)
