"""How the readings of a series fill a stretch of time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.scoring.readings.series import NS, Series, Stretch, Window

S = int(NS)


def series(*readings, counts=False, is_delta=False, from_start=False):
    """Readings are (seconds, value) or (start, seconds, value)."""
    made = Series(counts=counts, is_delta=is_delta, from_start=from_start)
    for reading in readings:
        *start, seconds, value = reading
        made.add(seconds * S, value, start[0] * S if start else 0)
    return made


def window(start, end, *, after=0, max_age=60):
    return Window(start * S, end * S, (end + after) * S, max_age * S)


def known(made, *args, **options):
    """Return (start, end, rate) in seconds, with "held" where it is held on."""
    return [
        (s.start_ns / S, s.end_ns / S, round(s.rate, 6), *(["held"] if s.held else []))
        for s in made.stretches(window(*args, **options))
    ]


def test_a_level_speaks_for_the_time_since_the_reading_before():
    """The last one is held on, to the end of the window."""
    level = series((10, 1.0), (20, 2.0), (30, 3.0))
    assert known(level, 15, 35) == [(15, 20, 2.0), (20, 30, 3.0), (30, 35, 3.0, "held")]


def test_a_level_speaks_for_no_more_than_its_age():
    """Neither backwards, nor held on; what lies in between is not known."""
    level = series((100, 1.0), (200, 2.0))
    assert known(level, 0, 300, max_age=30) == [
        (70, 100, 1.0),
        (170, 200, 2.0),
        (200, 230, 2.0, "held"),
    ]


def test_a_reading_that_is_too_old_says_nothing():
    """The process may have changed or ended since."""
    assert known(series((10, 1.0)), 100, 110, max_age=60) == []
    assert known(series((10, 1.0)), 65, 75, max_age=60) == [(65, 70, 1.0, "held")]


def test_later_readings_do_not_count():
    """But for those within `after`, which then speak for the end of the window."""
    level = series((10, 1.0), (40, 9.0))
    assert known(level, 20, 30) == [(20, 30, 1.0, "held")]
    assert known(level, 20, 30, after=10) == [(20, 30, 9.0)]
    assert known(series((40, 9.0)), 20, 30) == []


def test_a_counter_tells_its_rate_between_two_readings():
    """40 in 10 s, 10 in 10 s; the last rate is held on."""
    counter = series((10, 100), (20, 140), (30, 150), counts=True)
    assert known(counter, 12, 35) == [(12, 20, 4.0), (20, 30, 1.0), (30, 35, 1.0, "held")]


def test_the_first_reading_of_a_counter_tells_nothing():
    """A meter may have counted for years before it was read, whatever start it names."""
    assert known(series((0, 10, 100), counts=True), 0, 20) == []


def test_the_first_reading_of_our_own_counter_counts_from_its_start():
    """It is defined so: 100 in 10 s."""
    counter = series((10, 20, 100), counts=True, from_start=True)
    assert known(counter, 0, 25) == [(10, 20, 10.0), (20, 25, 10.0, "held")]
    assert known(series((20, 100), counts=True, from_start=True), 0, 25) == []


@pytest.mark.parametrize("readings", [[(1, 10, 100), (15, 20, 5)], [(10, 100), (20, 5)]])
def test_a_counter_that_starts_anew_leaves_a_gap(readings):
    """It names another start, or fell: what it had counted in between is not known."""
    counter = series(*readings, (*readings[1][:-2], 30, 25), counts=True)
    assert known(counter, 5, 30) == [(20, 30, 2.0)]


def test_two_processes_in_one_series_tell_nothing():
    """Their counts alternate, with different starts: that is noticed, not added up."""
    counter = series((1, 10, 100), (2, 11, 7), (1, 12, 101), (2, 13, 8), counts=True)
    assert known(counter, 5, 20) == []


def test_deltas_count_from_their_start():
    """Without one, from the reading before; none reaches over it."""
    deltas = series((1, 11, 20), (15, 20, 5), counts=True, is_delta=True)
    assert known(deltas, 0, 20) == [(1, 11, 2.0), (15, 20, 1.0)]
    assert known(series((10, 1), (20, 5), counts=True, is_delta=True), 0, 20) == [(10, 20, 0.5)]
    assert known(series((1, 11, 1), (5, 20, 5), counts=True, is_delta=True), 0, 19) == [
        (1, 11, 0.1),
        (11, 19, 0.1, "held"),
    ]


def test_of_two_readings_of_one_time_the_larger_stays():
    """A duplicate changes nothing, and whichever came first does not matter."""
    level = series((10, 1.0))
    assert not level.add(10 * S, 1.0, 0)
    assert not level.add(10 * S, 3.0, 0)
    assert not level.add(10 * S, 2.0, 0)
    assert (len(level), known(level, 5, 10)) == (1, [(5, 10, 3.0)])


def test_old_readings_can_be_dropped():
    """Those of the time itself, too."""
    level = series((10, 1.0), (20, 2.0), (30, 3.0))
    assert level.drop_until(20 * S) == 2
    assert list(level.times) == [30 * S]
    assert level.drop_until(5 * S) == 0


def test_no_readings_say_nothing():
    """A window before the first has none either."""
    assert known(series(), 0, 10) == []


READING = st.tuples(st.integers(0, 3), st.integers(4, 60), st.integers(0, 9))


@settings(deadline=None)  # the machine may be busy
@given(
    readings=st.lists(READING, max_size=12),
    order=st.randoms(use_true_random=False),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    place=st.tuples(st.integers(0, 50), st.integers(1, 30), st.integers(0, 5)),
    max_age=st.integers(1, 40),
)
def test_stretches_are_in_order_within_the_window_and_do_not_depend_on_arrival(
    readings, order, flags, place, max_age
):
    """In any order, any of them twice: the same stretches, none before its forerunner's end."""
    names = dict(zip(("counts", "is_delta", "from_start"), flags, strict=True))
    start, length, after = place
    asked = window(start, start + length, after=after, max_age=max_age)
    first = list(series(*readings, **names).stretches(asked))
    shuffled = readings + readings[:3]
    order.shuffle(shuffled)
    assert list(series(*shuffled, **names).stretches(asked)) == first
    at = asked.start_ns
    for stretch in first:
        assert at <= stretch.start_ns < stretch.end_ns <= asked.end_ns
        assert stretch.rate >= 0
        at = stretch.end_ns
    assert [s.held for s in first[:-1]] == [False] * len(first[:-1])


def test_a_stretch_is_measured_unless_it_says_otherwise():
    """`held` is the exception."""
    assert not Stretch(0, 1, 1.0).held
