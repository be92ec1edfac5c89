"""What the series of one metric say together."""

import pytest

from scorer.model.reading import Coverage
from scorer.scoring.readings.measure import Figure, measure, together
from scorer.scoring.readings.names import WANTED
from scorer.scoring.readings.series import NS, Series, Window

S = int(NS)
WINDOW = Window(0, 10 * S, 12 * S, 60 * S)


def series(*readings, counts=False):
    made = Series(counts=counts, is_delta=False, from_start=False)
    for seconds, value in readings:
        made.add(seconds * S, value, 0)
    return made


def test_energy_is_the_power_over_the_time():
    """100 W for 5 s and 300 W for 5 s are 2000 J."""
    power = series((1, 100.0), (5, 100.0), (10, 300.0))
    figure = measure(WANTED["hw.power"], [(b"", power)], WINDOW)
    assert figure.value == pytest.approx(2000 / 3.6e6)
    assert figure.coverage == Coverage(1.0, 0.0)


def test_what_is_not_known_is_taken_as_the_rest():
    """A counter from 5 s on: 10 J in 5 s stand for 20 J in 10 s; a half is measured."""
    energy = series((5, 1.0), (10, 11.0), counts=True)
    figure = measure(WANTED["hw.energy"], [(b"", energy)], WINDOW)
    assert figure == Figure(pytest.approx(20 / 3.6e6), Coverage(0.5, 0.0))
    assert figure.coverage.known == 0.5


def test_series_are_added_up_and_those_of_parts_averaged():
    """Two GPUs at 20 % and 60 % are 40 % busy; user and system time are one use of a processor."""
    one, other = series((1, 0.2), (10, 0.2)), series((1, 0.6), (10, 0.6))
    gpu, cpu = WANTED["hw.gpu.utilization"], WANTED["process.cpu.utilization"]
    assert measure(gpu, [(b"0", one), (b"1", other)], WINDOW).value == pytest.approx(40)
    assert measure(cpu, [(b"", one), (b"", other)], WINDOW).value == pytest.approx(80)


def test_of_memory_the_peak_counts():
    """What it had in use at most, of what is known of the window."""
    memory = series((0, 9e9), (4, 2**30), (8, 2**20))
    assert measure(WANTED["process.memory.usage"], [(b"", memory)], WINDOW).value == 1024


def test_series_that_say_nothing_do_not_count():
    """Neither do none at all; of the others the smallest share is told."""
    cpu = WANTED["process.cpu.time"]
    silent = series((5, 1.0), counts=True)
    assert measure(cpu, [(b"", silent)], WINDOW) is None
    assert measure(cpu, [], WINDOW) is None
    half, whole = series((5, 0), (10, 5), counts=True), series((0, 0), (10, 10), counts=True)
    figure = measure(cpu, [(b"", silent), (b"", half), (b"", whole)], WINDOW)
    assert (figure.value, figure.coverage.known) == (pytest.approx(200), 0.5)


def test_processes_of_a_trace_are_put_together():
    """Totals add up, of peaks the largest counts, means go by time; the third says nothing."""
    figures = [
        (Figure(3.0, Coverage(1.0, 0.0)), Window(0, 30, 30, 9)),
        (Figure(1.0, Coverage(0.5, 0.5)), Window(0, 10, 10, 9)),
    ]
    assert together("total", figures, 50).value == 4.0
    assert together("peak", figures, 50).value == 3.0
    assert together("mean", figures, 50).value == pytest.approx(2.5)
    coverage = together("mean", figures, 50).coverage
    assert (coverage.measured, coverage.held) == pytest.approx((0.7, 0.1))
