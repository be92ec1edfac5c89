"""What a score is, what a scored trace is, and how a score is identified."""

import hashlib
import uuid
from typing import Any, Literal

from msgspec import Struct

from scorer.model.account import Posting
from scorer.model.trace import CloseReason, Completeness

Status = Literal["scored", "missing", "not_applicable", "failed", "skipped"]
Method = Literal["exact", "lexical", "embedding", "nli", "judge"]
ScoreScope = Literal["span", "trace", "session", "window"]
Direction = Literal["higher", "lower", "none"]
Kind = Literal[
    "quality",
    "operational",
    "privacy",
    "sustainability",
    "multimodal",
    "multiagent",
    "safety",
]
Range = tuple[float | None, float | None]

# Any fixed namespace will do; it must never change, or stored score ids would.
_NAMESPACE = uuid.UUID("6f1c5a52-3f0b-5d6e-9f0e-0c8f5b1f7a10")
_SEPARATOR = "\x1f"
_NAMESPACE_BYTES = _NAMESPACE.bytes
_VARIANT = {f"{digit:x}": "89ab"[digit & 3] for digit in range(16)}


class Score(Struct, frozen=True, kw_only=True):
    """One output of one metric for one subject. Field order is the order in the scores file.

    `value` is set only when `status` is "scored" and is always finite. `label` is "pass" or
    "fail" where a threshold applies, or the metric's own label. `event_time` is the end of
    the scored operation, RFC 3339.
    """

    id: str
    metric: str
    output: str = "value"
    value: float | None = None
    label: str | None = None
    status: Status
    reason: str | None = None
    method: Method = "exact"
    direction: Direction = "higher"
    unit: str = "1"
    range: Range | None = None
    kind: Kind = "quality"
    scope: ScoreScope = "trace"
    subject: str
    explanation: str | None = None
    detail: dict[str, Any] | None = None
    evaluator_version: str = "1"
    judge_model: str | None = None
    tenant: str = ""
    trace_id: str | None = None
    span_id: str | None = None
    session_id: str | None = None
    service: str = ""
    agent: str | None = None
    revision: int = 1
    close_reason: CloseReason | None = None
    completeness: Completeness | None = None
    event_time: str | None = None


def score_id(  # noqa: PLR0913 - the identity of a score has this many parts
    *,
    tenant: str,
    scope: ScoreScope,
    subject: str,
    metric: str,
    output: str,
    method: Method,
    evaluator_version: str,
    config_hash: str,
    revision: int,
) -> str:
    """Return the deterministic id of a score: UUIDv5 over the parts of its identity.

    Equal to `str(uuid.uuid5(_NAMESPACE, name))`, at a third of its cost.
    """
    parts = (tenant, scope, subject, metric, output, method, evaluator_version, config_hash)
    name = f"{_SEPARATOR.join(parts)}{_SEPARATOR}{revision}"
    text = hashlib.sha1(_NAMESPACE_BYTES + name.encode(), usedforsecurity=False).hexdigest()
    # RFC 9562: 5 is the version, and the variant is 10 in two bits.
    variant = _VARIANT[text[16]]
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{variant}{text[17:20]}-{text[20:32]}"


Verdict = Literal["scored", "not_agent", "quarantined"]


class ToolCount(Struct, frozen=True):
    """How often a tool ended with a status in one trace; status "unknown" where none is known."""

    tool: str
    status: str
    count: int


class TraceFacts(Struct, frozen=True, kw_only=True):
    """What a trace used and did, for additive series (each counted once per trace)."""

    tokens: dict[str, int] = {}
    cost_usd: float | None = None
    tool_calls: tuple[ToolCount, ...] = ()
    pii_findings: dict[str, int] = {}
    duration_s: float | None = None


class ScoredTrace(Struct, frozen=True, kw_only=True):
    """All that came out of scoring one closed trace, in the order of closing.

    `metric_seconds` is measured and so differs from run to run; it never leaves through a
    sink that promises equal output. `breaches` names the metrics whose label is "fail".
    `opened` and `closed` are seconds of the assembler's clock. `postings` wait to be booked: their
    scores are made then, and no sink sees any.
    """

    tenant: str
    trace_id: str
    service: str
    agent: str | None = None
    session_id: str | None = None
    verdict: Verdict = "scored"
    reason: str | None = None
    close_reason: CloseReason
    revision: int = 1
    completeness: Completeness
    dialects: tuple[str, ...] = ()
    scores: tuple[Score, ...] = ()
    breaches: tuple[str, ...] = ()
    facts: TraceFacts = TraceFacts()
    root_span_id: str | None = None
    event_time: str | None = None
    opened: float | None = None
    closed: float = 0.0
    metric_seconds: dict[str, float] = {}
    postings: tuple[Posting, ...] = ()
