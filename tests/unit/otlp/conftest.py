"""Builders of OTLP requests for the tests of this folder."""

from collections.abc import Callable

import pytest
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

TRACE_ID = bytes(range(1, 17))
SPAN_ID = bytes(range(1, 9))


@pytest.fixture
def make_span() -> Callable[..., trace_pb2.Span]:
    def make(**fields: object) -> trace_pb2.Span:
        defaults = {"trace_id": TRACE_ID, "span_id": SPAN_ID, "name": "chat"}
        times = {"start_time_unix_nano": 100, "end_time_unix_nano": 200}
        return trace_pb2.Span(**{**defaults, **times, **fields})

    return make


@pytest.fixture
def traces_body() -> Callable[..., bytes]:
    def make(*spans: trace_pb2.Span, service: str = "svc") -> bytes:
        request = trace_service_pb2.ExportTraceServiceRequest()
        group = request.resource_spans.add()
        group.resource.attributes.add(key="service.name").value.string_value = service
        scope_spans = group.scope_spans.add()
        scope_spans.scope.name = "lib"
        scope_spans.scope.version = "1"
        scope_spans.spans.extend(spans)
        return request.SerializeToString()

    return make


@pytest.fixture
def logs_body() -> Callable[..., bytes]:
    def make(*records: logs_pb2.LogRecord) -> bytes:
        request = logs_service_pb2.ExportLogsServiceRequest()
        scope_logs = request.resource_logs.add().scope_logs.add()
        scope_logs.scope.name = "lib"
        scope_logs.log_records.extend(records)
        return request.SerializeToString()

    return make


@pytest.fixture
def metrics_body() -> bytes:
    request = metrics_service_pb2.ExportMetricsServiceRequest()
    metrics = request.resource_metrics.add().scope_metrics.add().metrics
    metrics.add(name="tokens", description="d").sum.data_points.add(as_int=1)
    histogram = metrics.add(name="seconds").histogram
    histogram.data_points.add(count=1)
    histogram.data_points.add(count=2)
    return request.SerializeToString()
