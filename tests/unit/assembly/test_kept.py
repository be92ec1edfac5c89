"""Closed traces that are kept for late spans."""

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.kept import KeptTraces
from scorer.assembly.open_trace import OpenTrace, Timers
from scorer.model.position import Position


def trace(key, size):
    made = OpenTrace(key, "", Timers(1, 1, 1), Position("t", 0, 1), 0)
    made.size = size
    return made


def test_the_oldest_go_when_there_are_too_many_bytes():
    """The bound is in bytes."""
    kept = KeptTraces(100, MemoryBudget(1000))
    for key in (b"a", b"b", b"c"):
        kept.put(trace(key, 40))
    assert [key in kept for key in (b"a", b"b", b"c")] == [False, True, True]
    assert (kept.bytes, len(kept)) == (80, 2)


def test_what_is_larger_than_all_the_room_is_not_kept():
    """Nor does it push out the others."""
    kept = KeptTraces(100, MemoryBudget(1000))
    kept.put(trace(b"a", 40))
    kept.put(trace(b"b", 101))
    assert (b"a" in kept, b"b" in kept) == (True, False)


def test_what_is_taken_is_kept_no_longer():
    """Its bytes are free again."""
    kept = KeptTraces(100, MemoryBudget(1000))
    kept.put(trace(b"a", 40))
    assert kept.take(b"a").key == b"a"
    assert (kept.bytes, kept.get(b"a")) == (0, None)


def test_what_is_kept_is_charged_until_it_goes():
    """It is part of the memory budget, and gives way when that is needed, oldest first."""
    budget = MemoryBudget(1000)
    kept = KeptTraces(100, budget)
    for key in (b"a", b"b", b"c"):
        kept.put(trace(key, 30))
    assert budget.used == 90
    kept.forget(31)
    assert (budget.used, b"b" in kept, b"c" in kept) == (30, False, True)
    kept.forget(10**6)
    assert (budget.used, len(kept)) == (0, 0)
