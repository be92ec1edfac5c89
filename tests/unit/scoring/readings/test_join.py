"""From requests of metrics to what is attached to a closed trace."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_requests import PROCESS, metric, request
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import Config, ReadingsConfig
from scorer.errors import PermanentError
from scorer.model.position import Position
from scorer.model.reading import Coverage, Measured
from scorer.otlp.join import join as join_items
from scorer.otlp.split import split_traces
from scorer.receivers.assembly_settings import assembler_settings
from scorer.scoring.readings import join
from scorer.scoring.readings.join import Readings, noted
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, TraceBuilder

KWH = 3.6e6
ENERGY = [(0, 0.0), (10, 1000.0), (20, 4000.0)]


class Joined:
    """Readings with a manual clock, and traces to attach them to."""

    def __init__(self, **config):
        self.telemetry, self.clock = Telemetry(), ManualClock()
        self.readings = Readings(ReadingsConfig(**config), self.telemetry, self.clock)

    def take(self, *metrics, resource=PROCESS, tenant=""):
        self.readings.take(self.readings.wanted(request(*metrics, resource=resource)), tenant)

    def attach(self, closed):
        (attached,) = self.readings.attach([closed])
        return {found.field: found for found in attached.readings}

    def of(self, start=10, end=20, **options):
        """Return what a trace of one span is given, by field."""
        builder = TraceBuilder(**options)
        builder.span("invoke_agent", start_s=start, duration_s=end - start)
        return self.attach(closed(builder.request()))

    def count(self, outcome):
        return self.telemetry.value("spanscore_readings_total", outcome=outcome)


def closed(*bodies, tenant=""):
    assembler = Assembler(assembler_settings(Config().assembly), MemoryBudget(10**9))
    for offset, body in enumerate(bodies):
        assembler.push(split_traces(body).spans, Position("otlp", 0, offset), 0.0, tenant)
    (trace,) = assembler.drain(1.0, "replay_end")
    return trace


def energy(points=ENERGY, **options):
    return metric("hw.energy", points, kind="cumulative", unit="J", **options)


def test_the_energy_of_the_time_of_a_trace_is_attached():
    """3000 J between the readings at 10 s and 20 s."""
    joined = Joined()
    joined.take(energy())
    expected = pytest.approx(3000 / KWH)
    assert joined.of() == {
        "energy_kwh": Measured("energy_kwh", expected, "hw.energy", Coverage(1.0, 0.0))
    }


def test_after_the_last_reading_its_rate_is_held_on():
    """300 W for 5 s more: 4500 J, a third of them held on."""
    joined = Joined()
    joined.take(energy())
    found = joined.of(10, 25)["energy_kwh"]
    assert found.value == pytest.approx(4500 / KWH)
    assert found.coverage == Coverage(pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_every_field_has_its_metric():
    """Shares in percent, memory in MiB, carbon in kg."""
    joined = Joined()
    joined.take(
        metric("process.cpu.utilization", [(20, 0.25)]),
        metric("process.memory.usage", [(20, 2**30)], kind="cumulative", monotonic=False),
        metric("hw.gpu.utilization", [(20, 0.5)], hw__id="0"),
        metric("spanscore.grid_intensity", [(20, 475.0)], unit="g/kWh"),
        metric("spanscore.carbon", [(10, 20, 3.0)], kind="delta", unit="g"),
        metric("hw.power", [(20, 360.0)], unit="W"),
    )
    assert {name: found.value for name, found in joined.of().items()} == pytest.approx(
        {
            "cpu_percent": 25.0,
            "memory_mb": 1024.0,
            "gpu_percent": 50.0,
            "grid_intensity": 0.475,
            "carbon_kg": 0.003,
            "energy_kwh": 0.001,
        }
    )


def test_the_first_metric_that_says_enough_is_taken():
    """A process' own use of the processor comes before that of its machine."""
    joined = Joined()
    joined.take(
        metric("system.cpu.utilization", [(20, 0.9)]),
        metric("process.cpu.utilization", [(20, 0.1)]),
    )
    assert joined.of()["cpu_percent"].source == "process.cpu.utilization"
    assert joined.of(100, 400) == {}


def test_readings_for_less_than_the_wanted_share_are_not_taken():
    """4 s of 10 s are known, after that the last reading is too old."""
    told = metric("hw.power", [(14, 1.0)])
    for min_share, expected in ((0.4, ["energy_kwh"]), (0.5, [])):
        joined = Joined(min_share=min_share, max_age=1e-9)
        joined.take(told)
        assert list(joined.of(10, 20)) == []
        joined = Joined(min_share=min_share, max_age=2)
        joined.take(told)
        assert list(joined.of(12, 22)) == expected


def test_readings_of_after_the_end_count_for_as_long_as_configured():
    """2 s by default; then the last reading of a process that ends with its trace is among them."""
    joined = Joined()
    joined.take(metric("hw.power", [(22, 5.0)]))
    assert list(joined.of(10, 20)) == ["energy_kwh"]
    assert joined.of(10, 19.9) == {}


def test_spans_without_readings_have_none():
    """Other services, other tenants, and spans without a time."""
    joined = Joined()
    joined.take(energy())
    assert joined.of(service="other") == {}
    builder = TraceBuilder()
    builder.span("a", start_s=10, duration_s=10)
    assert joined.attach(closed(builder.request(), tenant="t")) == {}
    assert joined.of(10, 10) == {}
    assert Joined().of() == {}


def test_tenants_have_their_own():
    """The readings of one are none of the other."""
    joined = Joined()
    joined.take(energy(), tenant="t")
    builder = TraceBuilder()
    builder.span("a", start_s=10, duration_s=10)
    assert list(joined.attach(closed(builder.request(), tenant="t"))) == ["energy_kwh"]
    assert joined.of() == {}


def test_readings_of_another_instance_do_not_count():
    """Spans must say whose they are when readings do."""
    joined = Joined()
    joined.take(energy(), resource=PROCESS | {"service.instance.id": "a"})
    assert joined.of() == {}


def processes(*hosts):
    """Return a trace of processes, the first from 0 s to 10 s, the next from 10 s to 20 s."""
    bodies = []
    for number, host in enumerate(hosts):
        builder = TraceBuilder(service=f"s{number}")
        span_id = bytes([number + 1]) * 8
        builder.span("invoke_agent", start_s=10 * number, duration_s=10, span_id=span_id)
        bodies.append(_with_host(builder.request(), host))
    return closed(*bodies)


def _with_host(body, host):
    message = trace_pb2.TracesData.FromString(body)
    attributes = message.resource_spans[0].resource.attributes
    attributes.add(key="host.name").value.string_value = host
    return message.SerializeToString()


def test_the_energy_of_several_processes_is_added_up():
    """1000 J of the one in its 10 s, 3000 J of the other in its own."""
    joined = Joined()
    for name in ("s0", "s1"):
        joined.take(energy(), resource={"service.name": name})
    found = joined.attach(processes("h", "h"))["energy_kwh"]
    assert found.value == pytest.approx(4000 / KWH)
    assert found.coverage == Coverage(1.0, 0.0)


def test_a_process_without_readings_lowers_what_is_covered():
    """Half of the time is known."""
    joined = Joined()
    joined.take(energy(), resource={"service.name": "s0"})
    found = joined.attach(processes("h", "h"))["energy_kwh"]
    assert (found.value, found.coverage.measured) == pytest.approx((1000 / KWH, 0.5))


def test_of_very_many_processes_most_are_not_looked_up(monkeypatch):
    """What they would add is missing, and the share that is covered says so."""
    monkeypatch.setattr(join, "_MAX_PROCESSES", 1)
    joined = Joined()
    for name in ("s0", "s1"):
        joined.take(energy(), resource={"service.name": name})
    found = joined.attach(processes("h", "h"))["energy_kwh"]
    assert (found.value, found.coverage.measured) == pytest.approx((1000 / KWH, 0.5))


def test_the_energy_of_a_host_is_counted_once_for_its_processes():
    """4000 J in 20 s; on another host, nothing is known."""
    joined = Joined()
    joined.take(energy(), resource={"host.name": "h"})
    found = joined.attach(processes("h", "h"))["energy_kwh"]
    assert (found.value, found.coverage.measured) == pytest.approx((4000 / KWH, 1.0))
    found = joined.attach(processes("h", "elsewhere"))["energy_kwh"]
    assert (found.value, found.coverage.measured) == pytest.approx((1000 / KWH, 0.5))


def test_a_trace_that_closes_once_more_gets_what_was_noted():
    """Whatever is known by now, so that no score has two values; then the note is used up."""
    joined = Joined()
    builder = TraceBuilder()
    builder.span("a", start_s=10, duration_s=10)
    trace = closed(builder.request())
    key = trace.tenant, trace.trace_id, trace.revision
    found = Measured("energy_kwh", 7.0, "hw.energy", Coverage(1.0, 0.0))
    joined.take(energy())
    joined.readings.recall(key, noted([found]))
    assert joined.attach(trace) == {"energy_kwh": found}
    assert joined.attach(trace)["energy_kwh"].value != 7.0
    joined.readings.recall(key, noted([]))
    assert joined.attach(trace) == {}


def test_only_what_is_wanted_is_kept_of_a_request():
    """And it is a request again, which a log may hold."""
    readings = Joined().readings
    body = request(metric("http.requests", [(1, 1)]), energy())
    found = readings.wanted(body)
    assert join_items(found) == request(energy())
    assert readings.wanted(join_items(found)) == found
    assert readings.wanted(request(metric("other", [(1, 1)]))) == []
    with pytest.raises(PermanentError):
        readings.wanted(b"\x0a\xff")


def test_a_metric_beyond_the_size_of_a_request_is_counted():
    """A megabyte of what is wanted in one request is no measurement of agents."""
    joined = Joined(max_request_size=1000)
    points = [(n, 1.0) for n in range(100)]
    body = request(energy(), metric("hw.power", points))
    assert join_items(joined.readings.wanted(body)) == request(energy())
    assert joined.count("too_large") == 1


def test_silent_processes_are_forgotten():
    """The gauge tells how many there are."""
    joined = Joined(kept=60)
    joined.take(energy())
    assert joined.readings.resources == 1
    joined.clock.advance(61)
    joined.take(energy(), resource={"host.name": "h"})
    assert joined.readings.resources == 1
    assert joined.of() == {}
    assert joined.count("kept") == 6


def test_many_resources_are_remembered_within_bounds():
    """What their bytes name is looked up again when it is not."""
    joined = Joined()
    for number in range(600):
        joined.take(energy(), resource={"service.name": f"s{number}"})
    assert joined.readings.resources == 500
    assert len(joined.readings._identities) < 512


COUNTS = st.lists(st.integers(0, 1000), min_size=3, max_size=8)


@settings(deadline=None)  # the machine may be busy
@given(
    increments=COUNTS,
    more=st.integers(0, 500),
    at=st.integers(0, 7),
    order=st.randoms(use_true_random=False),
)
def test_order_and_duplicates_change_nothing_and_more_use_is_never_less(
    increments, more, at, order
):
    """Points of a counter, each in a request of its own, some twice."""

    def used(increments, shuffle=lambda items: items):
        total, points = 0.0, []
        for number, step in enumerate(increments):
            total += step
            points.append((5 * number, total))
        joined = Joined()
        for point in shuffle(points):
            joined.take(energy([point]))
        return joined.of(7, 23).get("energy_kwh")

    def shuffled(points):
        points = points + points[:2]
        order.shuffle(points)
        return points

    first = used(increments)
    assert used(increments, shuffled) == first
    higher = [step + (more if number == at else 0) for number, step in enumerate(increments)]
    assert used(higher).value >= first.value * (1 - 1e-12)


def test_processes_without_readings_count_each_for_its_time():
    """10 s of 40 s are known, though the three others overlap nothing."""
    joined = Joined(min_share=0.2)
    joined.take(energy(), resource={"service.name": "s0"})
    found = joined.attach(processes("h", "h", "h", "h"))["energy_kwh"]
    assert found.coverage.measured == pytest.approx(0.25)
    assert Joined().attach(processes("h")) == {}
