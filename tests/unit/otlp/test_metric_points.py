"""The points of a few metrics, out of a request of many."""

import math

import pytest
from metric_requests import T0, S, data, metric, request
from opentelemetry.proto.metrics.v1 import metrics_pb2

from scorer.errors import PermanentError
from scorer.otlp.join import join
from scorer.otlp.metric_points import Point, cut_metrics, last_time_ns, read_points
from scorer.otlp.wire import length_delimited

WANTED = {b"hw.energy", b"hw.power"}
OTHERS = [metric(f"http.server.{n}", [(1, n)]) for n in range(5)]


def points(built):
    return read_points(built.SerializeToString())


def test_only_wanted_metrics_are_cut_out_with_what_they_were_sent_under():
    """As the very bytes, so that joined they are a request of their own."""
    energy, power = metric("hw.energy", [(1, 5)]), metric("hw.power", [(1, 7)], unit="W")
    cut = cut_metrics(request(OTHERS[0], energy, *OTHERS, power), WANTED, 10**6)
    assert cut.too_large == 0
    assert join(cut.items) == request(energy, power)


def test_a_request_without_any_gives_nothing():
    """Neither does an empty one."""
    assert cut_metrics(request(*OTHERS), WANTED, 10**6) == ([], 0)
    assert cut_metrics(b"", WANTED, 10**6) == ([], 0)
    assert join([]) == b""


def test_a_name_that_only_contains_a_wanted_one_is_another():
    """Names are compared whole."""
    body = request(metric("hw.energy.total", [(1, 1)]), metric("my.hw.energy", [(1, 1)]))
    assert cut_metrics(body, WANTED, 10**6).items == []


def test_beyond_the_size_metrics_are_left_out_and_counted():
    """A request can be as large as a receiver takes; what is read of it is bounded."""
    built = metric("hw.energy", [(n, n) for n in range(10)])
    size = len(built.SerializeToString())
    cut = cut_metrics(request(built, built, built), WANTED, 2 * size + 100)
    assert (len(cut.items), cut.too_large) == (2, 1)


def test_a_large_resource_of_many_scopes_does_not_multiply():
    """It would be written for each of them."""
    message = data(metric("hw.energy", [(1, 1)]), resource={"service.name": "x" * 1000})
    group = message.resource_metrics[0]
    for _ in range(9):
        group.scope_metrics.append(group.scope_metrics[0])
    cut = cut_metrics(message.SerializeToString(), WANTED, 5000)
    assert (len(cut.items), cut.too_large) == (4, 6)
    assert len(join(cut.items)) < 5000


def test_what_is_no_protobuf_is_refused():
    """As everywhere at the door."""
    with pytest.raises(PermanentError):
        cut_metrics(b"\x0a\xff", WANTED, 10**6)


def test_a_resource_in_two_pieces_is_whole():
    """A parser would merge them, too."""
    built = data(metric("hw.energy", [(1, 1)])).resource_metrics[0]
    other = metrics_pb2.ResourceMetrics()
    other.resource.attributes.add(key="host.name").value.string_value = "h"
    body = metrics_pb2.MetricsData.FromString(
        metrics_pb2.MetricsData(resource_metrics=[built]).SerializeToString()
    )
    group = body.resource_metrics[0].SerializeToString() + other.SerializeToString()
    wire = b"\x0a" + bytes([len(group)]) + group
    ((_, envelope),) = cut_metrics(wire, WANTED, 10**6).items
    resource = type(other.resource).FromString(envelope.resource)
    assert [pair.key for pair in resource.attributes] == ["service.name", "host.name"]


def test_a_point_has_its_times_value_and_attributes():
    """Gauges and sums alike; integers become numbers."""
    found = points(metric("m", [(1, 3, 2.5)], kind="cumulative", unit="J", b="2", a="1"))
    expected = Point((("a", "1"), ("b", "2")), False, T0 + S, T0 + 3 * S, 2.5)
    assert found == ("m", "J", [expected], 0)
    counted = metrics_pb2.Metric(name="m")
    counted.gauge.data_points.add(time_unix_nano=7, as_int=4)
    assert points(counted).points == [Point((), False, 0, 7, 4.0)]
    assert points(metric("m", [(1, 2, 1)], kind="delta")).points[0].is_delta


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_number_that_cannot_be_is_unusable(value):
    """None of what is read can be negative."""
    assert points(metric("m", [(1, value), (2, 1.0)])).unusable == 1


def test_points_without_time_value_or_temporality_are_unusable():
    """Nothing is guessed."""
    built = metrics_pb2.Metric(name="m")
    built.gauge.data_points.add(as_double=1.0)
    built.gauge.data_points.add(time_unix_nano=5)
    built.gauge.data_points.add(time_unix_nano=2**64 - 1, as_double=1.0)
    built.gauge.data_points.add(time_unix_nano=5, as_double=1.0, flags=1)
    assert points(built) == ("m", "", [], 4)
    built = metrics_pb2.Metric(name="m")
    built.sum.data_points.add(time_unix_nano=5, as_double=1.0)
    assert points(built) == ("m", "", [], 1)


def test_a_start_that_is_not_before_its_point_is_none():
    """Some senders write the same time twice."""
    assert points(metric("m", [(3, 3, 1.0)], kind="cumulative")).points[0].start_ns == 0


def test_histograms_and_broken_bytes_are_unusable():
    """They tell no single number."""
    built = metrics_pb2.Metric(name="m")
    built.histogram.data_points.add(time_unix_nano=5, count=1)
    assert points(built) == ("m", "", [], 1)
    assert read_points(b"\x0a\x02\xff\xff") == ("", "", [], 1)


def test_the_time_of_a_request_is_that_of_its_latest_metric():
    """Stored ones are read in this order, between the spans of their time."""
    built = data(metric("a", [(5, 1)]), metric("b", [(9, 1)]), metrics_pb2.Metric(name="empty"))
    assert last_time_ns(built.resource_metrics) == T0 + 9 * S
    assert last_time_ns([]) == 0


def test_a_request_of_many_small_metrics_is_no_attack():
    """The walk goes over each byte once, so it finds no more fields than there are."""
    many = [metric("hw.energy", [(1, 1.0)], id=str(number)) for number in range(3000)]
    assert len(cut_metrics(request(*many), WANTED, 10**6).items) == 3000


def test_a_name_may_stand_anywhere_and_be_of_any_length():
    """Senders may order fields as they like."""
    name, unit = b"\x0a\x09hw.energy", b"\x1a\x01J"
    long = b"\x0a\x80\x02" + b"x" * 256
    bodies = [unit + name, name + unit, long, b"", unit]
    scoped = b"".join(_field(2, body) for body in bodies)
    body = _field(1, _field(2, scoped))
    assert [wire for wire, _ in cut_metrics(body, WANTED, 10**6).items] == bodies[:2]


def _field(number, payload):
    return length_delimited(number, payload)
