"""Recorded OTLP files through reading, splitting and decoding."""

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Completeness
from scorer.otlp.decode import decode_trace
from scorer.otlp.split import LogEntry, SpanEntry, split_logs, split_traces
from scorer.otlp.stored import StoredRequest, read_requests

_DEFAULT = Path(__file__).parents[2].parent / "shared" / "corpus"
CORPUS = Path(os.environ.get("SPANSCORE_CORPUS", _DEFAULT))
FILES = sorted(CORPUS.glob("*/*/*.jsonl"))
HERE = Position("corpus", 0, 0)

pytestmark = pytest.mark.skipif(not FILES, reason="no recordings: set SPANSCORE_CORPUS")


def items_in(path: Path, groups: str, scopes: str, items: str) -> list[dict[str, Any]]:
    """The spans or log records of a file, straight from its JSON."""
    documents = map(json.loads, path.read_text().splitlines())
    return [
        item
        for document in documents
        for group in document.get(groups, [])
        for scope in group[scopes]
        for item in scope.get(items, [])
    ]


def value_of(value: dict[str, Any]) -> Any:
    """An OTLP/JSON value as plain Python, written apart from the code under test."""
    if "arrayValue" in value:
        return [value_of(v) for v in value["arrayValue"].get("values", [])]
    if "kvlistValue" in value:
        return attributes_of(value["kvlistValue"].get("values", []))
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)


def attributes_of(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    return {pair["key"]: value_of(pair.get("value", {})) for pair in pairs}


def requests_of(path: Path) -> list[StoredRequest]:
    with path.open("rb") as stream:
        requests = list(read_requests(stream, path.name))
    for request in requests:
        assert isinstance(request, StoredRequest), request
        assert (request.warning, request.rejected) == (None, 0)
    return [request for request in requests if isinstance(request, StoredRequest)]


def closed(trace_id: bytes, spans: list[SpanEntry], logs: list[LogEntry]) -> ClosedTrace:
    return ClosedTrace(
        tenant="",
        trace_id=trace_id,
        spans=tuple(span.wire for span in spans),
        span_envelopes=tuple(span.envelope for span in spans),
        logs=tuple(log.wire for log in logs),
        log_envelopes=tuple(log.envelope for log in logs),
        reason="replay_end",
        opened=0.0,
        closed=0.0,
        completeness=Completeness(span_count=len(spans), root_present=True),
        first_position=HERE,
        last_position=HERE,
        size=0,
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_recorded_item_is_decoded_as_it_was_written(path):
    """No span, record or attribute of a recording is lost or changed on the way in."""
    spans, logs = defaultdict(list), defaultdict(list)
    for request in requests_of(path):
        if request.signal == "traces":
            split = split_traces(request.body)
            assert split.rejected == 0
            assert request.time_ns == max(span.end_ns for span in split.spans)
            for span in split.spans:
                spans[span.trace_id].append(span)
        elif request.signal == "logs":
            for record in split_logs(request.body).records:
                logs[record.trace_id].append(record)

    traces = [decode_trace(closed(t, spans[t], logs[t])) for t in {*spans, *logs}]

    expected = items_in(path, "resourceSpans", "scopeSpans", "spans")
    found = {(s.trace_id, s.span_id): s for trace in traces for s in trace.spans}
    assert sum(len(trace.spans) for trace in traces) == len(expected)
    for item in expected:
        span = found[item["traceId"], item["spanId"]]
        assert span.name == item["name"]
        assert span.parent_span_id == item.get("parentSpanId", "")
        assert span.end_ns == int(item["endTimeUnixNano"])
        assert span.attributes == attributes_of(item.get("attributes", []))
    records = items_in(path, "resourceLogs", "scopeLogs", "logRecords")
    traced = [record for record in records if record.get("traceId")]
    assert sum(len(trace.logs) for trace in traces) == len(traced)
    assert all(trace.completeness.undecodable == 0 for trace in traces)
