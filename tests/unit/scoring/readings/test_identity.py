"""Whose readings they are."""

from metric_requests import data

from scorer.model.trace import Envelope
from scorer.scoring.readings.identity import (
    Stay,
    extend,
    identity_of,
    runs_of,
    shape_of,
    within,
)
from scorer.testing import TraceBuilder


def resource(**attributes):
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return data(resource=named).resource_metrics[0].resource.SerializeToString()


def test_a_resource_is_known_by_what_names_a_process_or_a_machine():
    """Numbers as texts; other attributes do not matter."""
    wire = resource(telemetry__sdk__name="x", process__pid=7, service__name="s", host__name="h")
    named = identity_of(wire)
    assert named == (("service.name", "s"), ("process.pid", "7"), ("host.name", "h"))
    assert shape_of(named) == ("service.name", "process.pid", "host.name")


def test_what_names_nothing_has_no_identity():
    """Every machine has a process 1; an endless name is none; broken bytes say nothing."""
    assert identity_of(b"") == ()
    assert identity_of(resource(process__pid=1, service__namespace="n")) == ()
    assert identity_of(resource(host__name="h" * 300)) == ()
    assert identity_of(resource(service__name="")) == ()
    assert identity_of(b"\xff") == ()


def test_a_part_has_exactly_the_attributes_of_a_shape():
    """Readings of a host are found for a process on it, not the other way round."""
    process = (("service.name", "s"), ("host.name", "h"))
    assert within(process, ("host.name",)) == (("host.name", "h"),)
    assert within(process, ("service.name", "host.name")) == process
    assert within(process[1:], ("service.name", "host.name")) is None


def test_a_stay_lasts_from_the_first_start_to_the_last_end():
    """Spans without times, or that do not decode, have none."""
    builder = TraceBuilder()
    spans = [builder.span("a", start_s=2, duration_s=3), builder.span("b", start_s=1)]
    broken = builder.span("c", start_s=5, duration_s=-9)
    stay = Stay()
    extend(stay, [b"\xff", *(span.SerializeToString() for span in [*spans, broken])])
    assert stay.start_ns - builder.start_ns == 10**9
    assert stay.end_ns - builder.start_ns == 5 * 10**9


def test_the_spans_of_a_trace_are_told_by_resource():
    """Those in a row together."""

    class Closed:
        spans = (b"1", b"2", b"3")
        span_envelopes = (Envelope(b"a", b"x"), Envelope(b"a", b"y"), Envelope(b"b", b""))

    assert list(runs_of(Closed)) == [(b"a", [b"1", b"2"]), (b"b", [b"3"])]
