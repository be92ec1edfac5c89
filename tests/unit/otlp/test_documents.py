"""Finding the requests in one record."""

import pytest
from opentelemetry.proto.logs.v1 import logs_pb2

from scorer.errors import PermanentError
from scorer.otlp.documents import request_in_bytes, requests_in_document, requests_in_json
from scorer.otlp.split import split_traces

SPAN = {
    "traceId": "5b8efff798038103d269b633813fc60c",
    "spanId": "eee19b7ec3c1b174",
    "endTimeUnixNano": "7",
}
TRACES = {"resourceSpans": [{"scopeSpans": [{"spans": [SPAN, {**SPAN, "endTimeUnixNano": "5"}]}]}]}
RECORD = {"traceId": SPAN["traceId"], "timeUnixNano": "9"}
LOGS = {"resourceLogs": [{"scopeLogs": [{"logRecords": [RECORD]}]}]}
METRICS = {"resourceMetrics": []}


def test_the_signal_and_the_largest_time_are_told():
    """Replay orders requests by time; one without points has none."""
    (traces,) = requests_in_document(TRACES)
    (logs,) = requests_in_document(LOGS)
    (metrics,) = requests_in_document(METRICS)

    assert [(r.signal, r.time_ns) for r in (traces, logs, metrics)] == [
        ("traces", 7),
        ("logs", 9),
        ("metrics", 0),
    ]
    assert len(split_traces(traces.body).spans) == 2


def test_the_time_of_metrics_is_that_of_their_points():
    """So that they are read beside the spans of their time."""
    gauge = {"name": "hw.power", "gauge": {"dataPoints": [{"timeUnixNano": "8", "asInt": "1"}]}}
    document = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [gauge]}]}]}
    (request,) = requests_in_document(document)
    assert (request.signal, request.time_ns) == ("metrics", 8)
    assert request_in_bytes(request.body) == request


def test_a_document_may_hold_several_signals():
    """One request comes out for each."""
    found = requests_in_document({**TRACES, **LOGS, "resourceMetrics": None})

    assert [r.signal for r in found] == ["traces", "logs"]


def test_wrapped_and_renamed_traces_are_found():
    """Tempo's two forms, Jaeger's OTLP answer and snake_case dumps."""
    groups = TRACES["resourceSpans"]
    snake = [{"scope_spans": [{"spans": [SPAN]}]}]
    for document in (
        {"batches": groups},
        {"trace": TRACES},
        {"trace": {"batches": groups}},
        {"result": TRACES},
        {"resource_spans": snake},
    ):
        (request,) = requests_in_document(document)
        assert (request.signal, request.time_ns) == ("traces", 7)


def test_loose_ids_and_enums_are_understood_in_stored_otlp():
    """A strict server rejects them, a file has nobody to send it again."""
    loose = {**SPAN, "kind": "SPAN_KIND_CLIENT", "traceId": "W47/95gDgQPSabYzgT/GDA=="}
    broken = {**SPAN, "traceId": "?"}
    (request,) = requests_in_document(
        {"resourceSpans": [{"scopeSpans": [{"spans": [loose, broken]}]}]}
    )

    (entry,) = split_traces(request.body).spans
    assert (entry.trace_id.hex(), entry.kind) == (SPAN["traceId"], 3)
    assert request.rejected == 1
    assert "trace_id" in request.warning


def test_each_part_of_an_array_stands_for_itself():
    """A bad part is an error among good requests."""
    jaeger = {"traceID": "1", "spans": [{"traceID": "1", "spanID": "2"}], "processes": {}}
    found = list(requests_in_json([TRACES, 5, {"x": 1}, LOGS]))

    assert [getattr(r, "signal", "error") for r in found] == ["traces", "error", "error", "logs"]
    assert [r.signal for r in requests_in_json({"data": [jaeger, jaeger]})] == ["traces", "traces"]


@pytest.mark.parametrize("document", [{}, {"hello": 1}, 5, {"resourceSpans": 5}])
def test_what_is_no_request_is_a_permanent_error(document):
    """The text names the keys that are there."""
    with pytest.raises(PermanentError):
        requests_in_document(document)


def test_protobuf_is_recognised_by_its_content(make_span, traces_body, logs_body, metrics_body):
    """Nothing names the signal, the items do."""
    traced = logs_pb2.LogRecord(time_unix_nano=3, trace_id=bytes(range(16)))
    untraced = logs_pb2.LogRecord(severity_text="INFO")

    bodies = [traces_body(make_span()), logs_body(traced), logs_body(untraced), metrics_body]

    found = [request_in_bytes(body) for body in bodies]

    assert [(r.signal, r.time_ns) for r in found] == [
        ("traces", 200),
        ("logs", 3),
        ("logs", 0),
        ("metrics", 0),
    ]
    assert [r.body for r in found] == bodies
    assert request_in_bytes(b"").signal == "traces"


def test_protobuf_with_only_invalid_spans_passes_as_traces_with_a_warning(make_span, traces_body):
    """They are to be counted, not to be mistaken for something else."""
    request = request_in_bytes(traces_body(make_span(trace_id=b"12345678")))

    assert (request.signal, request.warning) == (
        "traces",
        "1 span refused: trace_id has 8 bytes, not 16",
    )


def test_invalid_spans_among_valid_ones_are_told(make_span, traces_body):
    """The request is used, and its warning says what is not."""
    body = traces_body(make_span(), make_span(trace_id=b"1"), make_span(span_id=b""))
    request = request_in_bytes(body)

    assert (request.time_ns, request.rejected) == (200, 0)
    assert request.warning == "2 spans refused: trace_id has 1 bytes, not 16"


@pytest.mark.parametrize(
    ("group", "signal"),
    [
        ({"resource": {}, **TRACES["resourceSpans"][0]}, "traces"),
        ({"instrumentationLibrarySpans": [{"spans": [SPAN]}]}, "traces"),
        ({"scope_spans": [{"spans": [SPAN]}]}, "traces"),
        (LOGS["resourceLogs"][0], "logs"),
        ({"scopeMetrics": []}, "metrics"),
    ],
)
def test_a_bare_group_is_a_request_of_one(group, signal):
    """Java's logging exporter writes a ResourceSpans (or ResourceLogs) a line."""
    (request,) = requests_in_document(group)

    assert request.signal == signal
    assert request.time_ns > 0 or signal == "metrics"


def test_keys_in_snake_case_are_read_at_every_level():
    """A dump that spells only the inner keys so must not lose them silently."""
    span = {"trace_id": SPAN["traceId"], "span_id": SPAN["spanId"], "end_time_unix_nano": "7"}
    (request,) = requests_in_document({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})

    assert (request.time_ns, request.warning) == (7, None)


def test_other_bytes_are_a_permanent_error():
    """So a corrupt record is reported."""
    for body in (b"\xff\xff", b"\x0a\x04\x12\x02\x12\x00"[:-1], b"\x7a\x01x"):
        with pytest.raises(PermanentError, match="no OTLP request"):
            request_in_bytes(body)
