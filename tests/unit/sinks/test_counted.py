"""What is remembered of traces that were counted."""

import math

import pytest

from scorer.sinks.counted import Counted, CountedTraces
from scorer.testing import scored_trace


def counting(traces, number, *amounts, **fields):
    """Write a trace as the sink does; returns how much each amount grew, None if forgotten."""
    trace = scored_trace(number, **fields)
    counted = traces.take(trace)
    if counted is None:
        return None
    grown = [counted.grow("tool", f"{n}" * 500, to=amount) for n, amount in enumerate(amounts)]
    traces.keep(trace, counted)
    return grown


def test_an_amount_adds_what_is_above_the_largest_so_far():
    """What shrinks and grows again is not added twice."""
    counted = Counted()
    assert [counted.grow("tokens", "input", to=n) for n in (5, 3, 5, 9)] == [5, 0, 0, 4]
    assert counted.grow("tokens", "output", to=2) == 2


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, 1e15, 10**400])
def test_an_implausible_amount_adds_nothing_and_hides_nothing(bad):
    """A later plausible amount is added as a whole."""
    counted = Counted()
    assert counted.grow("cost", to=bad) == 0
    assert counted.grow("cost", to=2.5) == 2.5


def test_amounts_are_remembered_from_revision_to_revision():
    """A float, and a count as large as the engine lets through, come back exactly."""
    traces = CountedTraces()
    assert counting(traces, 1, 0.1, 10**15 - 2) == [0.1, 10**15 - 2]
    assert counting(traces, 1, 0.1, 10**15 - 1, revision=2) == [0, 1]


def test_a_trace_that_was_not_scored_is_remembered():
    """Nothing was counted of it, which is not the same as that nothing is known."""
    traces = CountedTraces()
    assert counting(traces, 1) == []
    assert counting(traces, 1, 3, revision=2) == [3]


def test_a_first_revision_starts_anew():
    """A trace id that is used again is another trace."""
    traces = CountedTraces()
    assert [counting(traces, 1, 3), counting(traces, 1, 3)] == [[3], [3]]


def test_the_trace_that_was_scored_longest_ago_goes_first():
    """A revision makes a trace young again; what has gone stays unknown."""
    traces = CountedTraces(max_traces=2)
    for number, revision in ((1, 1), (2, 1), (1, 2), (3, 1)):
        assert counting(traces, number, 5, revision=revision) is not None
    assert counting(traces, 2, 5, revision=2) is None
    assert counting(traces, 2, 9, revision=3) is None
    assert counting(traces, 1, 6, revision=3) == [1]


def test_traces_of_many_amounts_go_before_they_fill_the_memory():
    """The bytes of all amounts are bounded, however long the names."""
    traces = CountedTraces(max_bytes=5_000)
    for number in range(50):
        counting(traces, number, *range(1, 101))
    for number in range(50):
        counting(traces, 49, 1, revision=number + 2)
    assert 0 < traces._bytes <= 5_000
    assert traces._bytes == sum(map(len, traces._traces.values()))
    assert counting(traces, 0, 1, revision=2) is None
    assert counting(traces, 49, 2, revision=2) == [1]


def test_a_trace_that_grows_without_end_is_forgotten():
    """Its revisions then add nothing, and push out no other trace."""
    traces = CountedTraces()
    counting(traces, 1, 5)
    assert len(counting(traces, 2, *[1] * 1_001)) == 1_001
    assert counting(traces, 2, 2, revision=2) is None
    assert counting(traces, 1, 6, revision=2) == [1]
