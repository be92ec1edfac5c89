"""What open traces cost: memory over their wire bytes, and work per span by their number."""

import gc
import multiprocessing
import time

import psutil
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.model.position import Position
from scorer.model.trace import Envelope, SpanEntry
from scorer.receivers.admission import Admission
from scorer.receivers.ingest import AssemblingIngest
from scorer.telemetry import Telemetry

ENVELOPE = Envelope(b"resource", b"scope")
POSITION = Position("bench", 0, 1)


def new_assembler():
    settings = AssemblerSettings(
        timers=Timers(3600, 3600, 3600),
        max_spans_per_trace=10**6,
        max_bytes_per_trace=10**9,
        max_tombstones=1000,
    )
    return Assembler(settings, MemoryBudget(10**12))


def span(trace, number, size):
    parent = b"" if number == 0 else (1).to_bytes(8, "big")
    return SpanEntry(
        trace.to_bytes(16, "big"),
        (number + 1).to_bytes(8, "big"),
        parent,
        1,
        1,
        bytes(size),
        ENVELOPE,
    )


def rss():
    gc.collect()
    return psutil.Process().memory_info().rss


def _grow(traces, spans, size):
    """Return bytes of memory per wire byte, bytes over wire a trace, and charged per real byte."""
    assembler = new_assembler()
    before = rss()
    for trace in range(traces):
        assembler.push([span(trace, n, size) for n in range(spans)], POSITION, 0.0)
    used, wire = rss() - before, traces * spans * size
    return used / wire, (used - wire) / traces, assembler.open_bytes / used


def _push_cost(open_traces):
    """Return CPU microseconds a span of taking requests for some of many open traces."""
    assembler = new_assembler()
    door = AssemblingIngest(
        source="bench",
        assembler=assembler,
        admission=Admission(assembler, MemoryBudget(10**12)),
        telemetry=Telemetry(),
        clock=lambda: 1.0,
        on_closed=lambda _: None,
    )
    for trace in range(1, open_traces + 1):
        assembler.push([span(trace, 0, 300)], POSITION, 0.0)
    step = max(open_traces // 10_000, 1)
    bodies = [
        _request(range(first, first + 20 * step, step)) for first in _firsts(open_traces, step)
    ]
    gc.collect()
    started = time.process_time()
    for body in bodies:
        door.traces(body)
    return (time.process_time() - started) / (len(bodies) * 100) * 1e6


def _firsts(open_traces, step):
    return range(1, min(open_traces, 10_000 * step) - 20 * step, 20 * step)


def _request(traces):
    """Return a request with five more spans of each trace."""
    request = trace_pb2.TracesData()
    spans = request.resource_spans.add().scope_spans.add().spans
    for trace in traces:
        for number in range(2, 7):
            one = spans.add(trace_id=trace.to_bytes(16, "big"), span_id=number.to_bytes(8, "big"))
            one.parent_span_id = (1).to_bytes(8, "big")
            one.end_time_unix_nano = 1
            one.name = "x" * 280
    return request.SerializeToString()


def in_new_process(function, *arguments):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def report_memory():
    ratio, _, charged = in_new_process(_grow, 10_000, 20, 1300)
    print(f"memory, 20 spans of 1.3 KB a trace: {ratio:.2f}x wire bytes (charged {charged:.2f}x)")
    print("  target: at most 1.3x")
    _, over, charged = in_new_process(_grow, 200_000, 1, 300)
    print(f"memory, one 300-byte span a trace: {over:.0f} bytes over wire (charged {charged:.2f}x)")
    print("  target: at most 1228 bytes")


def report_open_traces():
    few = in_new_process(_push_cost, 10_000)
    many = in_new_process(_push_cost, 1_000_000)
    print(f"taking a span, CPU: {few:.2f} us with 10,000 open traces, {many:.2f} us with 1,000,000")
    print(f"  ratio {many / few:.2f}; target: within 1.5")
