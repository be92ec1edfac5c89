"""OTLP/JSON requests to protobuf; the numbers j1 to j10 are those of the conformance list."""

import json
import math

import pytest
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError
from scorer.otlp.json_mapping import (
    count_metric_points,
    logs_from_json,
    metrics_from_json,
    traces_from_json,
)

HEX_TRACE = "5b8efff798038103d269b633813fc60c"
HEX_SPAN = "eee19b7ec3c1b174"


def request(*spans: dict) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def span(**fields) -> dict:
    return {"traceId": HEX_TRACE, "spanId": HEX_SPAN, "name": "chat", **fields}


def mapped(**fields) -> trace_pb2.Span:
    result = traces_from_json(request(span(**fields)))
    assert result.rejected == 0, result.warning
    parsed = trace_service_pb2.ExportTraceServiceRequest.FromString(result.body)
    return parsed.resource_spans[0].scope_spans[0].spans[0]


def rejection(**fields) -> str:
    result = traces_from_json(request(span(**fields), span(name="good")))
    parsed = trace_service_pb2.ExportTraceServiceRequest.FromString(result.body)
    assert [s.name for s in parsed.resource_spans[0].scope_spans[0].spans] == ["good"]
    assert result.rejected == 1
    return result.warning


def value(**kind):
    return mapped(attributes=[{"key": "k", "value": kind}]).attributes[0].value


def test_ids_are_hex_in_any_case():
    """j1: all four kinds of id, upper and lower case."""
    out = mapped(
        traceId=HEX_TRACE.upper(),
        parentSpanId=HEX_SPAN,
        links=[{"traceId": HEX_TRACE, "spanId": HEX_SPAN.upper()}],
    )

    assert out.trace_id == out.links[0].trace_id == bytes.fromhex(HEX_TRACE)
    assert out.span_id == out.parent_span_id == out.links[0].span_id == bytes.fromhex(HEX_SPAN)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"traceId": "W47/95gDgQPSabYzgT/GDA=="}, "trace_id is 32 hex digits"),
        ({"traceId": HEX_SPAN}, "trace_id has 8 bytes, not 16"),
        ({"spanId": "abc"}, "span_id is 16 hex digits"),
        ({"spanId": 7}, "span_id is a string, not a number"),
        ({"parentSpanId": "ffff"}, "parent_span_id has 2 bytes, not 8"),
        ({"links": [{"traceId": "zz"}]}, "trace_id is 32 hex digits"),
        ({"kind": "SPAN_KIND_CLIENT"}, "kind is an integer in OTLP/JSON"),
        ({"status": {"code": "STATUS_CODE_OK"}}, "code is an integer in OTLP/JSON"),
        ({"kind": 2**40}, "kind"),
        ({"startTimeUnixNano": "-1"}, "start_time_unix_nano"),
        ({"startTimeUnixNano": 1.5}, "start_time_unix_nano is an integer, not '1.5'"),
        ({"startTimeUnixNano": "tomorrow"}, "start_time_unix_nano is an integer"),
        ({"startTimeUnixNano": True}, "start_time_unix_nano is an integer"),
        ({"endTimeUnixNano": "1e999999999"}, "end_time_unix_nano is an integer"),
        ({"name": 5}, "name is a string, not a number"),
        ({"attributes": {}}, "attributes is an array, not an object"),
        ({"attributes": ["x"]}, "KeyValue is an object, not a string"),
        ({"attributes": [{"value": {"boolValue": "true"}}]}, "bool_value is true or false"),
        ({"attributes": [{"value": {"doubleValue": "much"}}]}, "double_value is a number"),
        ({"attributes": [{"value": {"doubleValue": []}}]}, "double_value is a number"),
        ({"attributes": [{"value": {"bytesValue": "*"}}]}, "bytes_value is base64"),
        ({"attributes": [{"value": {"intValue": "9223372036854775808"}}]}, "int_value"),
        ({"status": None, "events": [{"timeUnixNano": []}]}, "time_unix_nano is an integer"),
    ],
)
def test_a_wrong_value_rejects_its_span_alone(fields, text):
    """j1, j2, j3, j10: the span is counted with a reason that names the field."""
    assert text in rejection(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"traceId": "ssn 078-05-1120"},
        {"kind": "078-05-1120"},
        {"startTimeUnixNano": "4111111111111111 is her card"},
        {"startTimeUnixNano": [["078-05-1120"]]},
        {"attributes": [{"value": {"doubleValue": "078-05-1120"}}]},
    ],
)
def test_what_stands_in_a_wrong_field_is_not_repeated(fields):
    """A sender's slip may have put content there, and the reason is sent back and logged."""
    reason = rejection(**fields)
    assert not any(value in reason for value in ("078", "4111"))


def test_unknown_enum_numbers_are_kept():
    """j2: a newer kind is no error."""
    assert mapped(kind=77).kind == 77


@pytest.mark.parametrize("written", ["1500", 1500, "1.5e3", 1500.0, "1500.0"])
def test_integers_are_texts_or_numbers(written):
    """j3: an exponent or a fraction is fine as long as the value is integral."""
    assert mapped(startTimeUnixNano=written).start_time_unix_nano == 1500


def test_the_whole_range_of_integers_passes():
    """j3: 64 bits, unsigned for times and signed for values."""
    assert mapped(endTimeUnixNano=str(2**64 - 1)).end_time_unix_nano == 2**64 - 1
    assert value(intValue=str(-(2**63))).int_value == -(2**63)
    assert value(intValue=-5).int_value == -5


def test_unknown_fields_are_ignored_at_any_depth():
    """j4: newer senders are understood."""
    assert mapped(novelty={"a": [1]}, status={"code": 1, "x": None}).status.code == 1


def test_snake_case_is_ignored_with_a_hint():
    """j5: the spec says unknown, the user wants to know."""
    result = traces_from_json('{"resource_spans": [{"scope_spans": []}]}')

    assert result == (b"", 0, "key resource_spans is ignored: OTLP/JSON spells it resourceSpans")
    inner = traces_from_json('{"resourceSpans": [{"scope_spans": []}]}')
    assert "scopeSpans" in inner.warning


@pytest.mark.parametrize("text", ["AAH/+g==", "AAH/+g", "AAH_-g=="])
def test_bytes_are_base64(text):
    """j6: only ids are hex; the URL-safe alphabet and missing padding pass."""
    assert value(bytesValue=text).bytes_value == b"\x00\x01\xff\xfa"


def test_doubles_can_be_what_json_has_no_number_for():
    """j7: NaN and the infinities come as texts."""
    assert math.isnan(value(doubleValue="NaN").double_value)
    assert value(doubleValue="Infinity").double_value == math.inf
    assert value(doubleValue="-Infinity").double_value == -math.inf
    assert value(doubleValue=3).double_value == 3.0


def test_null_is_absent():
    """j8: for messages, arrays, items and scalars."""
    out = mapped(name=None, status=None, attributes=None, events=[None], parentSpanId=None)

    assert (out.name, out.HasField("status"), len(out.attributes), len(out.events)) == (
        "",
        False,
        0,
        0,
    )
    assert traces_from_json('{"resourceSpans": null}').body == b""


def test_an_empty_message_is_present():
    """An empty array value differs from no value."""
    assert value(arrayValue={}).WhichOneof("value") == "array_value"
    assert value().WhichOneof("value") is None


def test_nested_values_are_mapped():
    """Arrays and key-value lists nest."""
    inner = {"kvlistValue": {"values": [{"key": "n", "value": {"intValue": "1"}}]}}
    out = value(arrayValue={"values": [{"stringValue": "x"}, inner]})

    assert out.array_value.values[0].string_value == "x"
    assert out.array_value.values[1].kvlist_value.values[0].value.int_value == 1


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff{}", "not UTF-8"),
        (b"[]", "is an object, not an array"),
        (b"null", "is an object, not null"),
        (b'{"resourceSpans": {}}', "is an array, not an object"),
        (b'{"resourceSpans": [3]}', "ResourceSpans is an object, not a number"),
        (b'{"resourceSpans": [{"resource": {"attributes": [1]}}]}', "KeyValue is an object"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "key 'c' stands twice"),
        (b'{"x": NaN}', "NaN is no JSON"),
        (b'{"x": "\x00"}', "no JSON"),
        (b"{} {}", "no JSON"),
        (b'{"x": 01}', "no JSON"),
        (b'{"x": ' + b"[" * 100_000, "nests too deeply"),
        (b'{"x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "nests too deeply"),
        (b'{"x":' * 20_000 + b"1" + b"}" * 20_000, "nests too deeply"),
        (b'{"resourceLogs": []}', "this is a logs request"),
    ],
)
def test_a_wrong_document_is_a_permanent_error(body, text):
    """j9, j10: what is wrong outside of a span is wrong for the request."""
    with pytest.raises(PermanentError, match=text):
        traces_from_json(body)


def deep_value() -> dict:
    value: dict = {"stringValue": "x"}
    for _ in range(40):
        value = {"arrayValue": {"values": [value]}}
    return value


def test_a_span_whose_values_nest_too_deeply_is_rejected_alone():
    """j9: deeper values than protobuf would read again cost their span only."""
    attributes = [{"key": "k", "value": deep_value()}]

    assert rejection(attributes=attributes) == "values nest more than 64 messages deep"


def test_a_resource_whose_values_nest_too_deeply_fails_the_request():
    """j9: there is no span to reject."""
    resource = {"attributes": [{"key": "k", "value": deep_value()}]}
    with pytest.raises(PermanentError, match="64 messages deep"):
        traces_from_json(json.dumps({"resourceSpans": [{"resource": resource}]}))


def test_half_a_surrogate_pair_becomes_a_replacement_character():
    """j10: a text that was cut inside an emoji costs one character, wherever it stands."""
    out = mapped(name="cut \ud83d", attributes=[{"key": "\ude00", "value": {"stringValue": "é"}}])

    assert (out.name, out.attributes[0].key) == ("cut \ufffd", "\ufffd")
    assert out.attributes[0].value.string_value == "é"
    refs = [{"idKeys": ["\udfff"]}]
    assert traces_from_json(json.dumps({"resourceSpans": [{"resource": {"entityRefs": refs}}]}))


def test_a_zero_character_in_a_text_is_kept():
    """j10: it is a valid character of a JSON text and of a protobuf one."""
    assert mapped(name="a\0b").name == "a\0b"


def with_number(number: str) -> str:
    fields = json.dumps(span(startTimeUnixNano=4711, unknown=4712))
    bad = fields.replace("4711", number).replace("4712", number)
    good = json.dumps(span(name="good", unknown=4712)).replace("4712", number)
    return f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{bad},{good}]}}]}}]}}'


@pytest.mark.parametrize(
    "number", ["9" * 350, "9" * 5000, "-" + "9" * 1_000_000, "1e999999999", "0." + "1" * 1_000_000]
)
def test_a_huge_number_rejects_its_span_alone(number):
    """j3: however long it is, and in fields that nobody knows it is ignored."""
    result = traces_from_json(with_number(number))

    (good,) = trace_service_pb2.ExportTraceServiceRequest.FromString(result.body).resource_spans
    assert [s.name for s in good.scope_spans[0].spans] == ["good"]
    assert (result.rejected, len(result.warning) < 200) == (1, True)
    assert "start_time_unix_nano" in result.warning


def test_a_double_beyond_all_doubles_is_an_infinity():
    """j7: as IEEE 754 rounds it, whether it is written with digits or with an exponent."""
    for number in ("9" * 5000, "1e400"):
        text = request(span(attributes=[{"value": {"doubleValue": 4711}}])).replace("4711", number)
        body = traces_from_json(text).body
        (group,) = trace_service_pb2.ExportTraceServiceRequest.FromString(body).resource_spans
        assert group.scope_spans[0].spans[0].attributes[0].value.double_value == math.inf


def test_a_document_without_the_signal_is_an_empty_request_with_a_hint():
    """Unknown keys are ignored, but an empty result is worth a word."""
    assert traces_from_json("{}") == (b"", 0, "")
    assert traces_from_json('{"spans": []}').warning == "there is no resourceSpans in the request"


def test_a_byte_order_mark_is_fine():
    """Some editors write one."""
    assert traces_from_json(b"\xef\xbb\xbf{}").body == b""


def test_logs_are_mapped():
    """Bodies, severities, both times and the event name; a bad record is rejected alone."""
    record = {
        "timeUnixNano": "5",
        "observedTimeUnixNano": "6",
        "severityNumber": 9,
        "eventName": "gen_ai.choice",
        "body": {"stringValue": "hi"},
        "traceId": HEX_TRACE,
        "spanId": HEX_SPAN,
    }
    records = [record, {"severityNumber": "INFO"}, {"traceId": ""}]
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}

    result = logs_from_json(json.dumps(document))

    parsed = logs_service_pb2.ExportLogsServiceRequest.FromString(result.body)
    first, second = parsed.resource_logs[0].scope_logs[0].log_records
    assert (first.time_unix_nano, first.observed_time_unix_nano) == (5, 6)
    assert (first.event_name, first.body.string_value) == ("gen_ai.choice", "hi")
    assert first.trace_id == bytes.fromhex(HEX_TRACE)
    assert second.trace_id == b""
    assert result.rejected == 1


def test_metric_points_are_counted(metrics_body):
    """Metrics are only counted, whatever their kind."""
    assert count_metric_points(metrics_body) == 3
    assert count_metric_points(b"") == 0
    with pytest.raises(PermanentError, match="broken protobuf"):
        count_metric_points(b"\x0a\xff")


def test_metrics_in_json_are_counted_through_protobuf():
    """The JSON form takes the same mapper; an exemplar's ids are hex too."""
    point = {"asInt": "1", "exemplars": [{"traceId": HEX_TRACE, "spanId": HEX_SPAN}]}
    metric = {"name": "m", "gauge": {"dataPoints": [point, point]}}
    document = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric, {"name": "none"}]}]}]}

    assert count_metric_points(metrics_from_json(json.dumps(document)).body) == 2


def test_a_request_of_wrong_items_only_is_given_up():
    """Rejecting one by one has a bound."""
    with pytest.raises(PermanentError, match="more than 10000 items are wrong"):
        traces_from_json(request(*[{"kind": "x"}] * 10_001))
