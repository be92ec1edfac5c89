"""The OTLP/JSON mapper inverts a writer, and fails only as it says."""

import base64
import json
from typing import Any

from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError
from scorer.otlp.json_mapping import logs_from_json, metrics_from_json, traces_from_json

times = st.integers(0, 2**64 - 1)
counts = st.integers(0, 2**32 - 1)
texts = st.text(max_size=10)
trace_ids = st.binary(min_size=16, max_size=16)
span_ids = st.binary(min_size=8, max_size=8)

values = st.recursive(
    st.one_of(
        st.just({}),
        st.fixed_dictionaries({"string_value": texts}),
        st.fixed_dictionaries({"bool_value": st.booleans()}),
        st.fixed_dictionaries({"int_value": st.integers(-(2**63), 2**63 - 1)}),
        st.fixed_dictionaries({"double_value": st.floats(allow_nan=False)}),
        st.fixed_dictionaries({"bytes_value": st.binary(max_size=10)}),
    ).map(lambda kind: common_pb2.AnyValue(**kind)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(
            lambda items: common_pb2.AnyValue(array_value=common_pb2.ArrayValue(values=items))
        ),
        st.lists(inner, max_size=3).map(
            lambda items: common_pb2.AnyValue(
                kvlist_value=common_pb2.KeyValueList(
                    values=[common_pb2.KeyValue(key="k", value=item) for item in items]
                )
            )
        ),
    ),
    max_leaves=6,
)
attributes = st.lists(st.builds(common_pb2.KeyValue, key=texts, value=values), max_size=3)
spans = st.builds(
    trace_pb2.Span,
    trace_id=trace_ids,
    span_id=span_ids,
    parent_span_id=st.one_of(st.just(b""), span_ids),
    trace_state=texts,
    name=texts,
    kind=st.integers(0, 9),
    flags=counts,
    start_time_unix_nano=times,
    end_time_unix_nano=times,
    attributes=attributes,
    dropped_attributes_count=counts,
    events=st.lists(
        st.builds(trace_pb2.Span.Event, name=texts, time_unix_nano=times, attributes=attributes),
        max_size=2,
    ),
    links=st.lists(
        st.builds(trace_pb2.Span.Link, trace_id=trace_ids, span_id=span_ids, attributes=attributes),
        max_size=2,
    ),
    status=st.builds(trace_pb2.Status, code=st.integers(0, 5), message=texts),
)
records = st.builds(
    logs_pb2.LogRecord,
    trace_id=st.one_of(st.just(b""), trace_ids),
    span_id=st.one_of(st.just(b""), span_ids),
    time_unix_nano=times,
    severity_number=st.integers(0, 24),
    body=values,
    attributes=attributes,
    event_name=texts,
)


def hex_ids(value: Any) -> Any:
    """Turn the base64 ids of the stock JSON mapping into the hex of OTLP."""
    if isinstance(value, list):
        return [hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item).hex()
        if key in {"traceId", "spanId", "parentSpanId"}
        else hex_ids(item)
        for key, item in value.items()
    }


def otlp_json(message: Any) -> bytes:
    stock = json_format.MessageToDict(message, use_integers_for_enums=True)
    return json.dumps(hex_ids(stock)).encode()


@given(st.lists(spans, max_size=3), attributes)
def test_traces_come_back_from_json_as_they_were(sent, resource):
    """Writing as OTLP/JSON and mapping back gives the same message."""
    request = trace_service_pb2.ExportTraceServiceRequest()
    group = request.resource_spans.add(schema_url="s")
    group.resource.attributes.extend(resource)
    group.scope_spans.add(scope={"name": "lib"}).spans.extend(sent)

    mapped = traces_from_json(otlp_json(request))

    assert (mapped.rejected, mapped.warning) == (0, "")
    assert trace_service_pb2.ExportTraceServiceRequest.FromString(mapped.body) == request
    assert mapped.body == request.SerializeToString()


@given(st.lists(records, max_size=3))
def test_logs_come_back_from_json_as_they_were(sent):
    """Likewise for log records."""
    request = logs_service_pb2.ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.extend(sent)

    assert logs_from_json(otlp_json(request)).body == request.SerializeToString()


KEYS = """
    resourceSpans resourceLogs resourceMetrics scopeSpans scopeLogs spans logRecords resource scope
    attributes key value traceId spanId kind status code events links timeUnixNano stringValue
    intValue doubleValue bytesValue arrayValue kvlistValue values flags name batches trace data
    traceID spanID processes references tags logs fields startTime resource_spans scopeMetrics
    metrics gauge dataPoints exemplars
"""
keys = st.sampled_from(KEYS.split())
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["0" * 32, "f" * 32, "a" * 16, "1e5", "AAAA", "NaN", "\ud800"]),
)
documents = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=5)),
    max_leaves=25,
)
payloads = st.one_of(
    documents.map(json.dumps),
    documents.map(lambda d: json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [d]}]}]})),
    documents.map(lambda d: json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [d]}]}]})),
    st.binary(max_size=50),
    st.text(max_size=50),
)


@given(payloads)
def test_any_json_maps_or_is_a_permanent_error(payload):
    """No input gets anything else out of the mapper."""
    for mapping in (traces_from_json, logs_from_json, metrics_from_json):
        try:
            mapping(payload)
        except PermanentError:
            continue
