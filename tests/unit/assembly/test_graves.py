"""What is remembered of closed traces."""

from scorer.assembly.graves import Graves


def test_the_place_of_the_close_is_remembered():
    """Of the last revision."""
    graves = Graves(10)
    graves.bury(b"a", 5)
    graves.bury(b"a", 9, 2)
    assert (graves.closed_at(b"a"), graves.revision(b"a"), len(graves)) == (9, 2, 1)
    assert graves.closed_at(b"b") is None


def test_late_spans_are_counted_while_the_trace_is_remembered():
    """A trace that was closed again keeps its count."""
    graves = Graves(10)
    graves.bury(b"a", 5)
    graves.count_late(b"a", 2)
    graves.bury(b"a", 9, 2)
    graves.count_late(b"a", 1)
    assert (graves.late(b"a"), graves.late(b"b")) == (3, None)


def test_the_oldest_is_forgotten_with_all_that_is_known_of_it():
    """Memory is bounded; a trace that was closed again counts as new."""
    graves = Graves(2)
    for number, key in enumerate((b"a", b"b", b"a", b"c"), 1):
        graves.bury(key, number, 2)
        graves.count_late(key, 1)
    assert graves.closed_at(b"b") is None
    assert graves.late(b"b") is None
    assert graves.revision(b"b") == 1
    assert (graves.closed_at(b"a"), graves.closed_at(b"c")) == (3, 4)
