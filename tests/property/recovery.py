"""What the test of recovery is made of: what outlives the process, and bodies of requests."""

from contextlib import suppress

from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import RetryableError
from scorer.otlp.split import split_logs, split_traces
from scorer.receivers.entries import Request, decode
from scorer.testing import MemoryLog

SEGMENT = 3  # records
LOG_MARK = b"\0log"


class SegmentedLog(MemoryLog):
    """Frees only whole segments, as the journal does: what is left of one is replayed."""

    def __init__(self):
        super().__init__()
        self.low = 1
        self._left = None  # records until one is refused

    @property
    def retained_offset(self):
        return self._records[0].offset if self._records else self.next_offset

    def append(self, payload, *, makes_room=False):
        if self._left == 0:
            self._left = None
            raise RetryableError("full")
        if self._left is not None:
            self._left -= 1
        return super().append(payload, makes_room=makes_room)

    def refuse_after(self, records):
        """Refuse one record after so many; None = none."""
        self._left = records

    def release(self, low):
        assert low <= self.next_offset
        self.low = max(self.low, low)
        super().release((self.low - 1) // SEGMENT * SEGMENT + 1)


class DictLedger:
    """The rules of the ledger, in a dictionary that outlives the process."""

    def __init__(self, capacity):
        self.rows = {}
        self.fails = set()
        self._capacity = capacity

    async def closing(self, rows):
        self._fail("closing")
        for row in rows:
            noted = self.rows.get((row.tenant, row.trace_id))
            if noted is None or noted.is_scored or row.revision >= noted.revision:
                self.rows.pop((row.tenant, row.trace_id), None)
                self.rows[row.tenant, row.trace_id] = row

    async def scored(self, keys):
        self._fail("scored")
        for tenant, trace_id, revision in keys:
            row = self.rows.get((tenant, trace_id))
            if row is not None and row.revision == revision:
                self.rows[tenant, trace_id] = _changed(row, is_scored=True)

    async def forget(self, source, partition, below):
        assert (source, partition) == ("otlp", 0)
        self._fail("forget")
        spare = len(self.rows) - self._capacity
        old = [key for key, row in self.rows.items() if row.is_scored and row.closed_at < below]
        for key in old[: max(spare, 0)]:
            del self.rows[key]

    def _fail(self, what):
        if what in self.fails:
            self.fails.remove(what)
            raise RetryableError("the disk is full")


def _changed(row, **fields):
    return type(row)(**{name: getattr(row, name) for name in row.__struct_fields__} | fields)


def run(coroutine):
    """Run what never waits."""
    with suppress(StopIteration):
        coroutine.send(None)
        raise AssertionError("it waits for something")


def traces_body(batch):
    data = trace_pb2.TracesData()
    scoped = data.resource_spans.add().scope_spans.add()
    for trace, number, parent, kind, text, end in batch:
        span = scoped.spans.add(
            trace_id=trace.to_bytes(16, "big"),
            span_id=number.to_bytes(8, "big"),
            kind=kind,
            name=f"says {text}",
            end_time_unix_nano=1,
        )
        if parent not in {0, number}:
            span.parent_span_id = parent.to_bytes(8, "big")
        if end == 1:
            span.attributes.add(key="spanscore.trace.end").value.bool_value = True
    return data.SerializeToString()


def logs_body(traces):
    data = logs_pb2.LogsData()
    scoped = data.resource_logs.add().scope_logs.add()
    for number, trace in enumerate(traces):
        scoped.log_records.add(trace_id=trace.to_bytes(16, "big"), event_name=f"log {number}")
    return data.SerializeToString()


def identity(wire):
    span = trace_pb2.Span.FromString(wire)
    return span.span_id, span.kind


def content_of(record):
    """Yield ((tenant, trace id), item) of what an entry of the log holds."""
    entry = decode(record.payload)
    bodies = (entry.body, entry.body) if isinstance(entry, Request) else (entry.traces, entry.logs)
    signals = (entry.signal,) if isinstance(entry, Request) else ("traces", "logs")
    if "traces" in signals:
        for span in split_traces(bodies[0]).spans:
            yield (entry.tenant, span.trace_id), (span.span_id, span.kind)
    if "logs" in signals:
        for log in split_logs(bodies[1]).records:
            yield (entry.tenant, log.trace_id), LOG_MARK + log.wire
