"""Fakes and builders for tests of Spanscore and of plug-ins; the service uses none of it."""

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.api import ScoredTrace
from scorer.errors import RetryableError, TooLargeError
from scorer.journal import Record
from scorer.model.score import Score
from scorer.model.trace import Completeness
from scorer.otlp.signal import Signal
from scorer.receivers.take import Accepted
from scorer.sinks.otlp.parcel import Parcel
from scorer.telemetry import Telemetry
from scorer.testing.inference import FakeInference as FakeInference


class RecordedRequest(NamedTuple):
    """One request that a `RecordingIngest` took."""

    signal: Signal
    body: bytes
    tenant: str


class RecordingIngest:
    """An `Ingest` that keeps the requests it is given and answers what it is told to.

    `raises` is raised before anything is kept; `answer` is returned otherwise.
    """

    def __init__(self) -> None:
        self.requests: list[RecordedRequest] = []
        self.answer = Accepted()
        self.raises: Exception | None = None

    def traces(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Keep a traces request."""
        return self._take("traces", body, tenant)

    def logs(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Keep a logs request."""
        return self._take("logs", body, tenant)

    def metrics(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Keep a metrics request."""
        return self._take("metrics", body, tenant)

    async def durable(self, offset: int, first: int | None = None) -> None:
        """Return at once: what is kept is in memory."""

    def of(self, signal: Signal) -> list[bytes]:
        """Return the bodies of one signal, in order of arrival."""
        return [request.body for request in self.requests if request.signal == signal]

    def _take(self, signal: Signal, body: bytes, tenant: str) -> Accepted:
        if self.raises is not None:
            raise self.raises
        self.requests.append(RecordedRequest(signal, body, tenant))
        return self.answer


class ManualClock:
    """A clock that only a test moves; seconds."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class RecordingSink:
    """A sink that keeps what it is given; `raises` is raised instead, once per item."""

    def __init__(self) -> None:
        self.traces: list[ScoredTrace] = []
        self.raises: list[Exception] = []
        self.is_closed = False

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Keep scored traces."""
        if self.raises:
            raise self.raises.pop(0)
        self.traces.extend(traces)

    async def close(self) -> None:
        """Note the close."""
        self.is_closed = True


class RecordingCourier:
    """A courier that keeps what it is given, and accepts it when it `is_up`; a test may set that.

    It has room for `bound` parcels that are not accepted.
    """

    def __init__(self, *, bound: int = 1000) -> None:
        self.parcels: list[Parcel] = []
        self.is_up = True
        self._bound = bound
        self._waiting: list[asyncio.Future[None]] = []
        self._has_room = asyncio.Event()
        self._answer()

    def submit(self, parcel: Parcel) -> "asyncio.Future[None]":
        """Keep a parcel."""
        self.parcels.append(parcel)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(done)
        self._answer()
        return done

    def come_up(self) -> None:
        """Accept what waits, and what comes."""
        self.is_up = True
        self._answer()

    async def room(self) -> None:
        """Wait until fewer than `bound` parcels wait."""
        await self._has_room.wait()

    async def run(self) -> None:
        """Wait until cancelled."""
        await asyncio.Event().wait()

    async def close(self, within_s: float) -> None:
        """Do nothing."""

    def of(self, signal: Signal) -> list[bytes]:
        """Return the bodies of one signal, in order."""
        return [parcel.body for parcel in self.parcels if parcel.signal == signal]

    def _answer(self) -> None:
        while self.is_up and self._waiting:
            self._waiting.pop(0).set_result(None)
        if len(self._waiting) < self._bound:
            self._has_room.set()
        else:
            self._has_room.clear()


class TraceBuilder:
    """Builds the spans of one trace, as an SDK would send them.

    trace = TraceBuilder("00…01", service="shop")
    root = trace.span("invoke_agent", **{"gen_ai.operation.name": "invoke_agent"})
    trace.span("chat", parent=root, **{"gen_ai.usage.input_tokens": 12})
    body = trace.request()
    """

    def __init__(
        self,
        trace_id: str | int = 1,
        *,
        service: str = "test-agent",
        scope: str = "test",
        start_ns: int = 1_700_000_000_000_000_000,
    ) -> None:
        number = trace_id if isinstance(trace_id, int) else int(trace_id, 16)
        self.trace_id = number.to_bytes(16, "big")
        self.service = service
        self.scope = scope
        self.start_ns = start_ns
        self.spans: list[trace_pb2.Span] = []
        self.logs: list[logs_pb2.LogRecord] = []

    def span(  # noqa: PLR0913 - every part of a span can be given
        self,
        name: str,
        *,
        parent: trace_pb2.Span | bytes | None = None,
        start_s: float = 0.0,
        duration_s: float = 1.0,
        error: str | None = None,
        span_id: bytes | None = None,
        **attributes: Any,
    ) -> trace_pb2.Span:
        """Add a span; `start_s` counts from the start of the trace."""
        begin = self.start_ns + int(start_s * 1e9)
        span = trace_pb2.Span(
            trace_id=self.trace_id,
            span_id=span_id or (len(self.spans) + 1).to_bytes(8, "big"),
            parent_span_id=parent.span_id if isinstance(parent, trace_pb2.Span) else parent or b"",
            name=name,
            kind=trace_pb2.Span.SPAN_KIND_INTERNAL,
            start_time_unix_nano=begin,
            end_time_unix_nano=begin + int(duration_s * 1e9),
            attributes=_key_values(attributes),
        )
        if error is not None:
            span.status.code = trace_pb2.Status.STATUS_CODE_ERROR
            span.status.message = error
        self.spans.append(span)
        return span

    def log(
        self, event_name: str, body: Any, *, span: trace_pb2.Span, **attributes: Any
    ) -> logs_pb2.LogRecord:
        """Add a log record of a span."""
        record = logs_pb2.LogRecord(
            trace_id=self.trace_id,
            span_id=span.span_id,
            time_unix_nano=span.start_time_unix_nano,
            event_name=event_name,
            body=_any_value(body),
            attributes=_key_values(attributes),
        )
        self.logs.append(record)
        return record

    def request(self, *spans: trace_pb2.Span) -> bytes:
        """Return an export request of the given spans (default: all)."""
        scoped = trace_pb2.ScopeSpans(spans=spans or self.spans)
        scoped.scope.name = self.scope
        group = trace_pb2.ResourceSpans(scope_spans=[scoped])
        group.resource.attributes.extend(_key_values({"service.name": self.service}))
        return trace_pb2.TracesData(resource_spans=[group]).SerializeToString()

    def log_request(self) -> bytes:
        """Return an export request of all log records."""
        scoped = logs_pb2.ScopeLogs(log_records=self.logs)
        scoped.scope.name = self.scope
        group = logs_pb2.ResourceLogs(scope_logs=[scoped])
        group.resource.attributes.extend(_key_values({"service.name": self.service}))
        return logs_pb2.LogsData(resource_logs=[group]).SerializeToString()


_FATES = ("offered", "refused", "accepted", "duplicate", "reread", "late_unjoined", "closed")
_VERDICTS = ("scored", "not_agent", "quarantined")


def assert_balanced(spans: Mapping[str, float]) -> None:
    """Assert that every offered span is accounted for exactly once.

    offered = refused + accepted; accepted = duplicate + reread + late_unjoined + open +
    closed; closed = scored + not_agent + quarantined. A count that is not given is 0.
    """
    count = defaultdict(float, spans)
    held = sum(count[name] for name in ("duplicate", "reread", "late_unjoined", "open", "closed"))
    assert count["offered"] == count["refused"] + count["accepted"], spans
    assert count["accepted"] == held, spans
    assert count["closed"] == sum(count[name] for name in _VERDICTS), spans


def assert_balance(telemetry: Telemetry) -> None:
    """Assert the balance of a service or an ingest by its series."""
    for hook in telemetry.refresh:
        hook()
    names = (*_FATES, *_VERDICTS)
    spans = {name: telemetry.value(f"spanscore_{name}_spans_total") for name in names}
    assert_balanced(spans | {"open": telemetry.value("spanscore_open_spans")})


def assert_scrape_balance(text: str) -> None:
    """Assert the balance of what /metrics answered (text format)."""
    spans: dict[str, float] = {}
    for line in text.splitlines():
        found = re.match(r"spanscore_(\w+?)_spans(?:_total)?(?:{.*})? (\S+)$", line)
        if found:
            spans[found[1]] = spans.get(found[1], 0.0) + float(found[2])
    assert "offered" in spans, "this is no answer of /metrics"
    assert_balanced(spans)


def _key_values(attributes: Mapping[str, Any]) -> list[common_pb2.KeyValue]:
    return [common_pb2.KeyValue(key=k, value=_any_value(v)) for k, v in attributes.items()]


def _any_value(value: Any) -> common_pb2.AnyValue:
    if value is None:
        return common_pb2.AnyValue()
    if isinstance(value, Mapping):
        pairs = common_pb2.KeyValueList(values=_key_values(value))
        return common_pb2.AnyValue(kvlist_value=pairs)
    for kind, name in _SCALARS:
        if isinstance(value, kind):
            scalar = common_pb2.AnyValue()
            setattr(scalar, name, value)
            return scalar
    items = common_pb2.ArrayValue(values=[_any_value(item) for item in value])
    return common_pb2.AnyValue(array_value=items)


# A bool is an int too, so it stands first.
_SCALARS = (
    (bool, "bool_value"),
    (int, "int_value"),
    (float, "double_value"),
    (bytes, "bytes_value"),
    (str, "string_value"),
)


def score(metric: str = "latency", value: float | None = 0.5, **fields: Any) -> Score:
    """Return a score between 0 and 1 of trace 1 of service "shop"; `fields` override."""
    base: dict[str, Any] = {
        "id": f"id-{metric}",
        "status": "missing" if value is None else "scored",
        "range": (0.0, 1.0),
        "subject": f"{1:032x}",
        "trace_id": f"{1:032x}",
        "service": "shop",
        "agent": "planner",
    }
    return Score(metric=metric, value=value, **(base | fields))


def scored_trace(number: int = 1, **fields: Any) -> ScoredTrace:
    """Return a scored trace of two spans, without scores, of service "shop"; `fields` override."""
    base: dict[str, Any] = {
        "tenant": "",
        "trace_id": f"{number:032x}",
        "service": "shop",
        "agent": "planner",
        "close_reason": "root",
        "completeness": Completeness(span_count=2, root_present=True),
    }
    return ScoredTrace(**(base | fields))


class MemoryLog:
    """A log that lives as long as its test; it is full at `max_size` bytes of payloads.

    `sync_raises` is raised by the next `synced`, once per item.
    """

    def __init__(self, *, max_size: int | None = None) -> None:
        self.sync_raises: list[Exception] = []
        self.is_closed = False
        self._max_size = max_size
        self._records: deque[Record] = deque()
        self._next = 1

    @property
    def next_offset(self) -> int:
        """The offset of the next record."""
        return self._next

    def append(self, payload: bytes, *, makes_room: bool = False) -> int:
        """Keep a record and return its offset."""
        if self.is_closed:
            raise RetryableError("the log is closed")
        if self._max_size is not None:
            self._check_room(len(payload), self._max_size, makes_room=makes_room)
        self._records.append(Record(self._next, payload))
        self._next += 1
        return self._next - 1

    async def synced(self, offset: int, first: int | None = None) -> None:  # noqa: ARG002 - protocol
        """Return at once: memory is all that is promised."""
        if offset >= self._next:
            raise ValueError(f"no record {offset} was appended")
        if self.sync_raises:
            raise self.sync_raises.pop(0)

    def replay(self) -> Iterator[Record]:
        """Return the records that are not released, as they are now."""
        return iter(tuple(self._records))

    def release(self, low: int) -> None:
        """Forget what is below `low`."""
        while self._records and self._records[0].offset < low:
            self._records.popleft()

    def close(self) -> None:
        """Refuse more."""
        self.is_closed = True

    def _check_room(self, size: int, limit: int, *, makes_room: bool) -> None:
        if size > limit:
            raise TooLargeError(f"the record of {size} bytes is larger than the log")
        used = sum(len(record.payload) for record in self._records)
        if used + size > limit and not makes_room:
            raise RetryableError(f"the log is full ({limit} bytes)")
