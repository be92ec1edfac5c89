"""What stands in the log."""

import pytest

from scorer.assembly.open_trace import OpenTrace, Timers
from scorer.errors import PermanentError
from scorer.model.position import Position
from scorer.model.trace import Envelope
from scorer.otlp.split import split_logs, split_traces
from scorer.receivers.entries import Request, Snapshot, decode, encode, snapshot
from scorer.testing import TraceBuilder


@pytest.mark.parametrize(
    "entry", [Request("traces", "acme", b"\x0a\x00"), Snapshot("", 2, b"spans", b"", 3, 1)]
)
def test_an_entry_comes_back_as_it_was(entry):
    """Requests and snapshots are told apart."""
    assert decode(encode(entry)) == entry


@pytest.mark.parametrize(
    "payload", [b"", b"\xc1", b"nonsense", encode(Snapshot("", 1, b"", b""))[:-1]]
)
def test_what_is_no_entry_is_told(payload):
    """A foreign or cut record is left out by whoever reads the log."""
    with pytest.raises(PermanentError, match="does not decode"):
        decode(payload)


def test_a_snapshot_holds_all_of_a_trace():
    """Spans and log records, for the revision that is to come."""
    builder = TraceBuilder(1)
    span = builder.span("chat")
    builder.log("event", "hi", span=span)
    spans, logs = split_traces(builder.request()).spans, split_logs(builder.log_request()).records
    trace = OpenTrace(builder.trace_id, "acme", Timers(1, 1, 1), Position("t", 0, 1), 0)
    trace.spans, trace.envelopes = [spans[0].wire], [spans[0].envelope]
    trace.add_log(logs[0].wire, logs[0].envelope)
    entry = snapshot(trace, 2)
    assert (entry.tenant, entry.revision) == ("acme", 2)
    assert split_traces(entry.traces).spans == spans
    assert split_logs(entry.logs).records == logs


def test_a_snapshot_without_logs_has_none():
    """Most traces have no log records."""
    trace = OpenTrace(bytes(16), "", Timers(1, 1, 1), Position("t", 0, 1), 0)
    trace.spans, trace.envelopes = [b"span"], [Envelope(b"", b"")]
    assert snapshot(trace, 1).logs == b""
