"""The points of a few OTLP metrics, out of requests that are full of others.

Theory of operation. A process exports hundreds of metrics and Spanscore reads a handful. A walk
over the bytes finds the name of each metric without making an object of it, and only those
that are wanted are cut out, as they were sent and under what they were sent; these are parsed. What
is cut out is a request of its own again (`join`), so it can be kept in a log and read again.
"""

import math
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2

from scorer.model.trace import Envelope, Item
from scorer.otlp.wire import Walk

Attributes = tuple[tuple[str, str], ...]

# Fields of the request, of ResourceMetrics, of ScopeMetrics and of Metric.
_GROUPS, _RESOURCE, _SCOPES, _SCOPE, _METRICS, _NAME = 1, 1, 2, 1, 2, 1
_NAME_TAG, _ONE_BYTE = 0x0A, 0x80
_NO_VALUE: Final = metrics_pb2.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK
_DELTA: Final = metrics_pb2.AGGREGATION_TEMPORALITY_DELTA
_CUMULATIVE: Final = metrics_pb2.AGGREGATION_TEMPORALITY_CUMULATIVE
_LAST_NS: Final = 2**63 - 1


class Point(NamedTuple):
    """One number of a gauge or a sum, at least 0; times are Unix nanoseconds.

    `start_ns` is where its count begins, 0 = not told. With `is_delta` it counts from there only.
    """

    attributes: Attributes
    is_delta: bool
    start_ns: int
    time_ns: int
    value: float


class CutMetrics(NamedTuple):
    """The wanted metrics of a request, and how many were left out for their size."""

    items: list[Item]
    too_large: int


class MetricPoints(NamedTuple):
    """The points of one metric; `unusable` ones are no numbers, below 0, or have no time."""

    name: str
    unit: str
    points: list[Point]
    unusable: int


def cut_metrics(body: bytes, names: Collection[bytes], max_size: int) -> CutMetrics:
    """Return the metrics of these names in an ExportMetricsServiceRequest (protobuf).

    Of those that do not fit into `max_size` bytes, none is taken; what they were sent under counts
    for each scope.

    Raises:
        PermanentError: The body is no protobuf, or holds too many tiny messages.
    """
    walk, cut = Walk(body), _Cut(body, names, max_size)
    for group in walk.fields(0, len(body)):
        if group.number == _GROUPS and group.payload is not None:
            cut.group(walk, group.payload, group.stop)
    return CutMetrics(cut.items, cut.too_large)


class _Cut:
    """What is cut out of a body; a walk goes over it once, in its order."""

    def __init__(self, body: bytes, names: Collection[bytes], max_size: int) -> None:
        self.items: list[Item] = []
        self.too_large = 0
        self._body = body
        self._names = names
        self._room = max_size

    def group(self, walk: Walk, start: int, stop: int) -> None:
        """Take what is wanted of the metrics of one resource, which may come in pieces."""
        body, resource = self._body, b""
        found: list[tuple[bytes, list[bytes]]] = []
        for number, _, payload, end in walk.fields(start, stop):
            if payload is None:
                continue
            if number == _RESOURCE:
                resource += body[payload:end]
            elif number == _SCOPES:
                found.append(self._scoped(walk, payload, end))
        for scope, wires in found:
            self._take(Envelope(resource, scope), wires)

    def _take(self, envelope: Envelope, wires: list[bytes]) -> None:
        if wires and self._fits(envelope.size):
            self.items += [(wire, envelope) for wire in wires]
        else:
            self.too_large += len(wires)

    def _fits(self, size: int) -> bool:
        """Take room, where there is as much."""
        if size > self._room:
            return False
        self._room -= size
        return True

    def _scoped(self, walk: Walk, start: int, stop: int) -> tuple[bytes, list[bytes]]:
        """Return a scope and its wanted metrics."""
        body, scope = self._body, b""
        wires: list[bytes] = []
        for number, _, payload, end in walk.fields(start, stop):
            if payload is None:
                continue
            if number == _SCOPE:
                scope += body[payload:end]
            elif number == _METRICS and self._name(walk, payload, end) in self._names:
                if self._fits(end - payload):
                    wires.append(body[payload:end])
                else:
                    self.too_large += 1
        return scope, wires

    def _name(self, walk: Walk, start: int, stop: int) -> bytes:
        """Return the name of a metric, which as a rule stands first and is short."""
        body = self._body
        if stop - start > 2 and body[start] == _NAME_TAG and body[start + 1] < _ONE_BYTE:
            return body[start + 2 : start + 2 + body[start + 1]]
        for number, _, payload, end in walk.fields(start, stop):
            if number == _NAME and payload is not None:
                return body[payload:end]
        return b""


def read_points(wire: bytes) -> MetricPoints:
    """Decode one metric; of a histogram or a summary no point is usable."""
    try:
        metric = metrics_pb2.Metric.FromString(wire)
    except DecodeError:
        return MetricPoints("", "", [], 1)
    kind = metric.WhichOneof("data")
    if kind not in {"gauge", "sum"}:
        return MetricPoints(metric.name, metric.unit, [], 1)
    data = metric.gauge if kind == "gauge" else metric.sum
    temporality = _CUMULATIVE if kind == "gauge" else metric.sum.aggregation_temporality
    if temporality not in {_DELTA, _CUMULATIVE}:
        return MetricPoints(metric.name, metric.unit, [], len(data.data_points))
    is_delta = temporality == _DELTA
    found = [point for pb in data.data_points if (point := _point(pb, is_delta=is_delta))]
    return MetricPoints(metric.name, metric.unit, found, len(data.data_points) - len(found))


def last_time_ns(metrics: Iterable[metrics_pb2.ResourceMetrics]) -> int:
    """Return the time of a request of metrics: the latest first point of a metric, 0 = none."""
    scopes = (scope for group in metrics for scope in group.scope_metrics)
    return max((_first_time_ns(metric) for scope in scopes for metric in scope.metrics), default=0)


def _first_time_ns(metric: metrics_pb2.Metric) -> int:
    kind = metric.WhichOneof("data")
    points = getattr(metric, kind).data_points if kind else ()
    return int(points[0].time_unix_nano) if points else 0


def _point(pb: metrics_pb2.NumberDataPoint, *, is_delta: bool) -> Point | None:
    kind = pb.WhichOneof("value")
    value = float(pb.as_int if kind == "as_int" else pb.as_double)
    is_number = kind is not None and math.isfinite(value) and value >= 0
    if not is_number or pb.flags & _NO_VALUE or not 0 < pb.time_unix_nano <= _LAST_NS:
        return None
    start = pb.start_time_unix_nano
    return Point(
        _attributes(pb.attributes),
        is_delta,
        start if start < pb.time_unix_nano else 0,
        pb.time_unix_nano,
        value,
    )


def _attributes(pairs: Iterable[common_pb2.KeyValue]) -> Attributes:
    return tuple(sorted({pair.key: _text(pair.value) for pair in pairs}.items()))


def _text(value: common_pb2.AnyValue) -> str:
    kind = value.WhichOneof("value")
    return str(getattr(value, kind)) if kind else ""
