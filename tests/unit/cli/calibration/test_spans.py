import pytest

from scorer.cli.calibration.spans import SpanCounts, by_type, f1_interval, match_spans, pooled


def test_an_overlap_of_the_same_type_is_right():
    """Each labelled span is met once; what is left over is invented or missed."""
    labelled = [("a", 0, 5), ("a", 10, 15), ("b", 20, 25)]
    found = [("a", 0, 5), ("a", 12, 13), ("a", 13, 15), ("b", 0, 5)]
    assert match_spans(labelled, found) == {
        "a": SpanCounts(right=2, invented=1, missed=0, exact=1),
        "b": SpanCounts(right=0, invented=1, missed=1, exact=0),
    }


def test_an_exact_span_is_not_taken_by_a_looser_one():
    """Whatever the order in which they were found."""
    found = match_spans([("a", 0, 5)], [("a", 0, 9), ("a", 0, 5)])
    assert found == {"a": SpanCounts(right=1, invented=1, exact=1)}


def test_shares_by_hand():
    """3 right, 1 invented, 2 missed: P = 3/4, R = 3/5, F1 = 6/9."""
    counts = SpanCounts(3, 1, 2)
    assert (counts.precision, counts.recall, counts.f1) == (0.75, 0.6, 6 / 9)
    assert SpanCounts().f1 == 0.0


def test_types_and_all_of_them():
    """Per text, so that texts can be drawn."""
    texts = [{"a": SpanCounts(1), "b": SpanCounts(0, 1)}, {}]
    assert by_type(texts, "a") == [SpanCounts(1), SpanCounts()]
    assert pooled(texts) == [SpanCounts(1, 1), SpanCounts()]


def test_the_interval_of_f1_comes_from_drawing_texts():
    """The same for the same seed; of five perfect texts it is not only 1."""
    mixed = [SpanCounts(1), SpanCounts(0, 1), SpanCounts(1, 0, 1), SpanCounts(2)] * 5
    found = f1_interval(mixed, 200, seed=0)
    assert found == f1_interval(mixed, 200, seed=0)
    assert found.low < found.value < found.high
    perfect = f1_interval([SpanCounts(1)] * 5, 50, seed=0)
    assert (perfect.low, perfect.high) == (pytest.approx(0.566, abs=0.001), 1.0)
