"""The decision log: why each of the last traces was scored, or was not.

A finished trace is kept as it came from the scoring, the oldest out first; what is still
open is asked of the assembler. A document has always the same keys; null = not known. A trace
that was scored again shows its newest revision; `history` has one entry for each earlier one,
`changed` what each revision changed, and `joining` how many late spans wait for the next.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Protocol

import msgspec
from msgspec import Raw
from msgspec.structs import asdict, replace

from scorer.config import Config
from scorer.model.score import ScoredTrace
from scorer.model.score_json import UNENCODABLE, encodable, encode_score, valid_text
from scorer.model.times import rfc3339
from scorer.web.history import Earlier, Finished, succeed

Document = dict[str, Any]

# What a trace says of itself is of any size; a usual one takes 13 KB.
_MAX_BYTES = 48 * 2**20
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Finished)

_UNKNOWN: Document = dict.fromkeys(
    (
        "trace_id",
        "tenant",
        "state",
        "reason",
        "service",
        "agent",
        "session_id",
        "opened",
        "closed",
        "close_reason",
        "revision",
        "history",
        "changed",
        "span_count",
        "joining",
        "late_spans",
        "completeness",
        "dialects",
        "root_span_id",
        "breaches",
        "scores",
    )
)


class OpenTraces(Protocol):
    """What the assembler knows of traces that are not scored yet."""

    def describe(self, trace_id: str, tenant: str = "") -> dict[str, Any] | None:
        """Say what is known of a trace of a tenant (lower-case hex id), or None for nothing.

        `state` is `open`, `closed` (its scores are on their way) or `late` (all that is left
        are spans that came too late). The other keys are those of a document, as far as they
        are known, `opened` and `closed` in seconds of the assembler's clock. Asked for a trace
        that was scored, it may add `late_spans`; it is `open` or `closed` again when late spans
        have joined it.
        """
        ...


class RecentTraces:
    """The last `web.recent_traces` finished traces: a sink, and the answers of the API.

    `to_unix` turns seconds of the assembler's clock into Unix seconds.
    """

    def __init__(
        self,
        config: Config,
        open_traces: OpenTraces,
        to_unix: Callable[[float], float] = float,
    ) -> None:
        self.limit = config.web.recent_traces
        self._open = open_traces
        self._to_unix = to_unix
        # As bytes: half the memory, and what they take is known.
        self._traces: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._bytes = 0

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Remember traces; a revision takes the place of the one before."""
        for trace in traces:
            key = (trace.tenant, trace.trace_id)
            before = self._traces.get(key) if trace.revision > 1 else None
            finished = succeed(None if before is None else _decoder.decode(before), trace)
            self._forget(key)
            data = self._traces[key] = _encode(finished)
            self._bytes += len(data)
            while len(self._traces) > self.limit or self._bytes > _MAX_BYTES:
                self._forget(next(iter(self._traces)))

    async def close(self) -> None:
        """Do nothing: nothing is held outside this object."""

    def find(self, trace_id: str, tenant: str = "") -> Document | None:
        """Return the document of a trace by its lower-case hex id, None if it is not known."""
        data = self._traces.get((tenant, trace_id))
        seen = self._open.describe(trace_id, tenant) or {}
        if data is not None:
            return self._finished(_decoder.decode(data), seen)
        if not seen:
            return None
        times = {key: self._time(seen.get(key)) for key in ("opened", "closed")}
        return _UNKNOWN | {"trace_id": trace_id, "tenant": tenant} | seen | times

    def latest(self, limit: int, tenant: str | None = None) -> list[Document]:
        """Return the documents of the last finished traces without their scores, newest first.

        `tenant` None = those of all tenants.
        """
        wanted = (
            data
            for (owner, _), data in reversed(self._traces.items())
            if tenant is None or owner == tenant
        )
        return [self._summary(_decoder.decode(data).trace) for data in islice(wanted, limit)]

    def _forget(self, key: tuple[str, str]) -> None:
        self._bytes -= len(self._traces.pop(key, b""))

    def _summary(self, trace: ScoredTrace) -> Document:
        return {
            "trace_id": trace.trace_id,
            "tenant": trace.tenant,
            "state": trace.verdict,
            "reason": _text(trace.reason),
            "service": _text(trace.service),
            "agent": _text(trace.agent),
            "session_id": _text(trace.session_id),
            "opened": self._time(trace.opened),
            "closed": self._time(trace.closed),
            "close_reason": trace.close_reason,
            "revision": trace.revision,
            "span_count": trace.completeness.span_count,
            "breaches": trace.breaches,
        }

    def _finished(self, finished: Finished, seen: Document) -> Document:
        trace = finished.trace
        return (
            _UNKNOWN
            | self._summary(trace)
            | {
                "history": [self._earlier(entry) for entry in finished.history],
                "changed": finished.changed,
                "joining": _joining(trace, seen),
                "late_spans": seen.get("late_spans"),
                "completeness": trace.completeness,
                "dialects": trace.dialects,
                "root_span_id": trace.root_span_id,
                "scores": [Raw(encode_score(score)) for score in trace.scores],
            }
        )

    def _earlier(self, entry: Earlier) -> Document:
        return asdict(entry) | {"closed": self._time(entry.closed)}

    def _time(self, seconds: float | None) -> str | None:
        if seconds is None:
            return None
        return rfc3339(round(self._to_unix(seconds) * 1000) * 1_000_000)


def _joining(trace: ScoredTrace, seen: Document) -> int | None:
    """Return how many late spans joined a scored trace that is not scored again yet."""
    if seen.get("state") not in ("open", "closed"):
        return None
    spans: int = seen.get("span_count", 0)
    return max(0, spans - trace.completeness.span_count)


def _encode(finished: Finished) -> bytes:
    try:
        return _encoder.encode(finished)
    except UNENCODABLE:
        return _encoder.encode(replace(finished, trace=_valid(finished.trace)))


def _valid(trace: ScoredTrace) -> ScoredTrace:
    names = {"service": valid_text(trace.service), "agent": _text(trace.agent)}
    scores = tuple(map(encodable, trace.scores))
    return replace(trace, **names, session_id=_text(trace.session_id), scores=scores)


def _text(text: str | None) -> str | None:
    return None if text is None else valid_text(text)
