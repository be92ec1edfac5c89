"""Splitting a request into spans and log records."""

import pytest
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.split import has_end_marker, split_logs, split_traces
from scorer.otlp.wire import length_delimited

TRACE_ID = bytes(range(1, 17))
SPAN_ID = bytes(range(1, 9))


def test_a_span_comes_out_with_its_head_and_its_own_bytes(make_span, traces_body):
    """Ids, kind and end are read; the wire bytes are those that were sent."""
    span = make_span(parent_span_id=b"parent_1", kind=3)
    span.attributes.add(key="a").value.string_value = "b"

    (entry,), rejected, reason = split_traces(traces_body(span))

    assert entry[:5] == (TRACE_ID, SPAN_ID, b"parent_1", 3, 200)
    assert entry.wire == span.SerializeToString()
    assert (rejected, reason) == (0, "")


def test_unknown_fields_of_a_span_stay_in_its_bytes(make_span, traces_body):
    """What a newer protocol adds is kept for whoever forwards the span."""
    wire = make_span().SerializeToString() + b"\xfa\x3f\x03new"
    body = traces_body(trace_pb2.Span.FromString(wire))

    assert split_traces(body).spans[0].wire.endswith(b"\xfa\x3f\x03new")


def test_spans_of_one_scope_share_one_envelope_across_requests(make_span, traces_body):
    """Kept traces of one service hold one copy of its resource."""
    body = traces_body(make_span(), make_span(span_id=b"abcdefgh"))

    first, second = split_traces(body).spans
    again = split_traces(bytes(bytearray(body))).spans[0]

    assert first.envelope is second.envelope
    assert first.envelope is again.envelope
    assert b"svc" in first.envelope.resource


def test_an_empty_request_is_fine(traces_body):
    """No body, no resources and no spans are all valid."""
    for body in (b"", b"\x0a\x00", traces_body()):
        assert split_traces(body) == ([], 0, "")


@pytest.mark.parametrize("parent", [b"", bytes(8)])
def test_no_parent_or_a_zero_parent_is_a_root(make_span, traces_body, parent):
    """An all-zero parent id means none, as an absent one."""
    assert split_traces(traces_body(make_span(parent_span_id=parent))).spans[0][2] == b""


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"trace_id": b"12345678"}, "trace_id has 8 bytes, not 16"),
        ({"trace_id": bytes(16)}, "trace_id is all zero"),
        ({"span_id": b""}, "span_id has 0 bytes, not 8"),
        ({"span_id": bytes(8)}, "span_id is all zero"),
        ({"parent_span_id": b"abc"}, "parent_span_id has 3 bytes, not 8"),
    ],
)
def test_a_span_with_a_bad_id_is_rejected_alone(make_span, traces_body, fields, reason):
    """The good spans of the request are kept, the bad ones counted with a reason."""
    result = split_traces(traces_body(make_span(**fields), make_span()))

    assert len(result.spans) == 1
    assert (result.rejected, result.rejected_reason) == (1, reason)


def test_a_span_that_does_not_decode_is_rejected_alone(make_span, traces_body):
    """Broken bytes inside one span cost that span only."""
    good = make_span().SerializeToString()
    spans = b"".join(b"\x12" + bytes([len(s)]) + s for s in (good, b"\x0a\xff"))
    body = b"\x0a" + bytes([len(spans) + 2]) + b"\x12" + bytes([len(spans)]) + spans

    result = split_traces(body)

    assert len(result.spans) == 1
    assert result.rejected_reason == "a span does not decode"


def test_bytes_that_are_no_protobuf_are_a_permanent_error():
    """Sending garbage again will not help."""
    with pytest.raises(PermanentError, match="no ExportTraceServiceRequest"):
        split_traces(b'{"resourceSpans": []}')


def test_a_body_without_the_signal_is_a_permanent_error():
    """Unknown fields alone are no request."""
    for split in (split_traces, split_logs):
        with pytest.raises(PermanentError, match="another OTLP signal"):
            split(b"\x7a\x01x")


def test_a_payload_of_another_signal_is_a_permanent_error(
    make_span, traces_body, logs_body, metrics_body
):
    """Logs sent to the traces endpoint have no ids there, metrics have names in their place."""
    logs = logs_body(logs_pb2.LogRecord(time_unix_nano=1, trace_id=TRACE_ID))
    with pytest.raises(PermanentError, match="another OTLP signal"):
        split_traces(logs)
    with pytest.raises(PermanentError, match="another OTLP signal"):
        split_logs(traces_body(make_span()))
    with pytest.raises(PermanentError, match="another OTLP signal"):
        split_traces(metrics_body)


def test_spans_with_wrong_ids_are_spans(make_span, traces_body):
    """Who sends ids of another length, or times, is told what is wrong with the ids."""
    for fields in ({"trace_id": b"12345678"}, {"trace_id": b"abc", "span_id": b"abc"}):
        assert split_traces(traces_body(make_span(**fields))).rejected == 1


def test_log_records_of_traces_come_out_and_the_others_are_counted(logs_body):
    """A record without a trace id is no error, it just belongs to no trace."""
    traced = logs_pb2.LogRecord(time_unix_nano=5, trace_id=TRACE_ID, span_id=SPAN_ID)
    late = logs_pb2.LogRecord(observed_time_unix_nano=7, trace_id=TRACE_ID, span_id=b"xx")
    untraced = [logs_pb2.LogRecord(severity_number=9), logs_pb2.LogRecord(trace_id=bytes(16))]

    result = split_logs(logs_body(traced, late, *untraced))

    assert [entry[:3] for entry in result.records] == [(TRACE_ID, SPAN_ID, 5), (TRACE_ID, b"", 7)]
    assert result.records[0].wire == traced.SerializeToString()
    assert [wire for wire, _ in result.untraced] == [
        record.SerializeToString() for record in untraced
    ]
    assert result.rejected == 0


def evaluation(**fields):
    return logs_pb2.LogRecord(trace_id=TRACE_ID, span_id=SPAN_ID, **fields)


def test_events_with_scores_are_counted_and_belong_to_no_trace(logs_body):
    """Under the name of any version; or each score would be the cause of the next."""
    older = evaluation()
    older.attributes.add(key="event.name").value.string_value = "gen_ai.evaluation.result"
    named = [
        evaluation(event_name=f"gen_ai.evaluation{end}") for end in ("", ".result", ".results")
    ]

    result = split_logs(logs_body(older, *named))

    assert (result.records, result.untraced, result.rejected) == ([], [], 0)
    assert [wire for wire, _ in result.aside] == [r.SerializeToString() for r in (older, *named)]


def test_a_record_that_only_tells_of_scores_belongs_to_its_trace(logs_body):
    """The text in a body, or in another event's attribute, makes no score of it."""
    told = evaluation(event_name="gen_ai.choice")
    told.body.string_value = "gen_ai.evaluation.result"
    annotated = evaluation()
    annotated.attributes.add(key="gen_ai.evaluation.name").value.string_value = "relevance"

    result = split_logs(logs_body(told, annotated, evaluation(event_name="gen_ai.evaluation")))

    assert (len(result.records), len(result.evaluations)) == (2, 1)


def test_a_log_record_that_does_not_decode_is_rejected_alone(logs_body):
    """Broken bytes inside one record cost that record only."""
    good = logs_pb2.LogRecord(trace_id=TRACE_ID).SerializeToString()
    records = b"".join(b"\x12" + bytes([len(r)]) + r for r in (good, b"\x4a\xff"))
    body = b"\x0a" + bytes([len(records) + 2]) + b"\x12" + bytes([len(records)]) + records

    result = split_logs(body)

    assert (len(result.records), result.rejected) == (1, 1)
    assert result.rejected_reason == "a log record does not decode"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"bool_value": True}, True),
        ({"string_value": "true"}, True),
        ({"bool_value": False}, False),
        ({"string_value": "yes"}, False),
        ({"int_value": 1}, False),
    ],
)
def test_only_a_true_attribute_marks_the_end(make_span, value, expected):
    """The marker is the boolean true, or the text "true"."""
    span = make_span()
    span.attributes.add(key="spanscore.trace.end", value=value)

    assert has_end_marker(span.SerializeToString()) is expected


def test_the_name_of_the_marker_elsewhere_marks_nothing(make_span):
    """A prompt that quotes the marker must not close a trace."""
    span = make_span(name="spanscore.trace.end")
    span.attributes.add(key="input", value={"string_value": "spanscore.trace.end"})

    assert not has_end_marker(span.SerializeToString())
    assert not has_end_marker(make_span().SerializeToString())
    assert not has_end_marker(b"\x0a\xffspanscore.trace.end")


def test_many_services_do_not_grow_the_sharing_of_envelopes_without_bound(make_span, traces_body):
    """Sharing is an optimisation: services beyond its bound are still split right."""
    for number in range(1100):
        entry = split_traces(traces_body(make_span(), service=f"service-{number}")).spans[0]
        assert f"service-{number}".encode() in entry.envelope.resource
    huge = split_traces(traces_body(make_span(), service="x" * 40_000)).spans[0]
    assert len(huge.envelope.resource) > 40_000


def test_a_large_request_of_tiny_messages_is_refused_before_it_is_parsed():
    """Two bytes of an empty span would become dozens of bytes of memory."""
    empty_spans = length_delimited(1, length_delimited(2, b"\x12\x00" * 1024 * 1024))
    for body in (empty_spans, b"\x0a\x00" * 1024 * 1024):
        with pytest.raises(TooLargeError, match="tiny messages"):
            split_traces(body)
        with pytest.raises(TooLargeError, match="tiny messages"):
            split_logs(body)


def test_a_large_request_of_real_spans_is_split(make_span, traces_body):
    """The bound on tiny messages does not bite where spans have ids."""
    assert len(split_traces(traces_body(*[make_span()] * 30_000)).spans) == 30_000


@pytest.mark.parametrize("part", [b"\x4a\x00", b"\x5a\x00", b"\x6a\x00"])
def test_a_large_span_of_tiny_parts_is_refused_before_it_is_parsed(make_span, part):
    """Two bytes of an empty attribute, event or link would become dozens, at scoring."""
    span = make_span().SerializeToString() + part * 600_000
    with pytest.raises(TooLargeError, match="tiny messages"):
        split_traces(length_delimited(1, length_delimited(2, length_delimited(2, span))))


def test_a_large_log_record_of_tiny_attributes_is_refused_before_it_is_parsed():
    """Likewise."""
    record = logs_pb2.LogRecord(trace_id=TRACE_ID).SerializeToString() + b"\x32\x00" * 600_000
    with pytest.raises(TooLargeError, match="tiny messages"):
        split_logs(length_delimited(1, length_delimited(2, length_delimited(2, record))))


def test_a_large_span_of_real_attributes_is_split(make_span, traces_body):
    """The bound on tiny parts does not bite where they say something."""
    span = make_span(events=[{"name": "token", "time_unix_nano": n} for n in range(1, 40_000)])
    span.attributes.add(key="text").value.string_value = "x" * 2_000_000
    for number in range(20_000):
        span.attributes.add(key=f"llm.{number}.role").value.string_value = "user"

    assert len(split_traces(traces_body(span)).spans) == 1


def test_the_end_marker_of_a_span_of_broken_text_counts(make_span):
    """One broken text elsewhere does not keep the trace open."""
    span = make_span(name="NAME")
    span.attributes.add(key="spanscore.trace.end").value.bool_value = True

    assert has_end_marker(span.SerializeToString().replace(b"NAME", b"\xff\xffME"))
