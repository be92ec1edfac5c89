"""Builds OTLP requests of metrics, as an SDK would send them."""

from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2

S = 10**9
T0 = 1_700_000_000 * S
"""The start of the traces of `TraceBuilder`."""
PROCESS = {"service.name": "test-agent"}

_TEMPORALITY = {
    "cumulative": metrics_pb2.AGGREGATION_TEMPORALITY_CUMULATIVE,
    "delta": metrics_pb2.AGGREGATION_TEMPORALITY_DELTA,
}


def metric(name, points, *, kind="gauge", unit="", monotonic=True, start_s=None, **attributes):
    """Return a metric of `(seconds after T0, value)`, or `(start, seconds, value)`, points."""
    built = metrics_pb2.Metric(name=name, unit=unit)
    if kind == "gauge":
        data = built.gauge
    else:
        data = built.sum
        data.is_monotonic = monotonic
        data.aggregation_temporality = _TEMPORALITY[kind]
    for point in points:
        *start, seconds, value = point
        begin = start[0] if start else start_s
        number = data.data_points.add(
            time_unix_nano=T0 + round(seconds * S),
            start_time_unix_nano=0 if begin is None else T0 + round(begin * S),
            as_double=value,
        )
        for key, text in attributes.items():
            number.attributes.add(key=key.replace("__", ".")).value.string_value = text
    return built


def request(*metrics, resource=PROCESS):
    """Return a request of metrics of one resource."""
    return data(*metrics, resource=resource).SerializeToString()


def data(*metrics, resource=PROCESS):
    """Return it as a message."""
    built = metrics_service_pb2.ExportMetricsServiceRequest()
    group = built.resource_metrics.add()
    for key, value in resource.items():
        pair = group.resource.attributes.add(key=key)
        if isinstance(value, int):
            pair.value.int_value = value
        else:
            pair.value.string_value = value
    scoped = group.scope_metrics.add()
    scoped.scope.name = "meter"
    scoped.metrics.extend(metrics)
    return built
