import pytest

from metrics.quality.answer_correctness import AnswerCorrectness, folded, numbers
from scorer.api import AgentTrace, Reference, Unscored


def trace(answer, expected):
    return AgentTrace(trace_id="t", answer=answer, reference=Reference(answer=expected))


@pytest.mark.parametrize(
    ("answer", "expected", "value", "rule"),
    [
        ("  PARIS. ", "Paris", 1.0, "equality"),
        ("straße", "STRASSE", 1.0, "equality"),
        ("ﬁne", "fine", 1.0, "equality"),
        ("1,000", "1000", 1.0, "number"),
        ("$42.00", "42", 1.0, "number"),
        ("-5", "5", 0.0, "number"),
        ("43", "42", 0.0, "number"),
        ("C++", "C", 2 / 2, "tokens"),
        # "it is paris" against "paris": P = 1/3, R = 1, F1 = 2 * 1/3 / (4/3) = 0.5
        ("It is Paris", "Paris", 0.5, "tokens"),
        # "the big cat" against "the cat sat down": P = 2/3, R = 2/4, F1 = 2/3 / (7/6) = 4/7
        ("the big cat", "the cat sat down", 4 / 7, "tokens"),
        ("Rome", "Paris", 0.0, "tokens"),
        ("", "Paris", 0.0, "tokens"),
    ],
)
def test_numbers_then_equality_then_token_overlap(answer, expected, value, rule):
    """The first rule that applies decides."""
    result = AnswerCorrectness().score(trace(answer, expected))
    assert result.values["value"] == pytest.approx(value)
    assert result.detail["rule"] == rule
    assert result.method == "lexical"


def test_the_tolerance_is_relative():
    """100 and 101 are equal within 2 %."""
    assert AnswerCorrectness(tolerance=0.02).score(trace("101", "100")).values["value"] == 1.0
    assert AnswerCorrectness().score(trace("101", "100")).values["value"] == 0.0
    with pytest.raises(ValueError, match="tolerance"):
        AnswerCorrectness(tolerance=-1)


@pytest.mark.parametrize("reference", [None, Reference(), Reference(answer="  ")])
def test_without_a_reference_there_is_no_value(reference):
    """A blank reference is none."""
    view = AgentTrace(trace_id="t", answer="x", reference=reference)
    assert AnswerCorrectness().score(view) == Unscored("no_reference")


def test_without_an_answer_there_is_no_value():
    """Not captured is not wrong."""
    view = AgentTrace(trace_id="t", reference=Reference(answer="x"))
    assert AnswerCorrectness().score(view) == Unscored("no_answer")


def test_documented_is_equality_after_trimming():
    """Case counts in the original; a blank reference equals a blank answer."""
    metric = AnswerCorrectness(mode="documented")
    assert metric.score(trace(" Paris ", "Paris")).values == {"value": 1.0}
    assert metric.score(trace("paris", "Paris")).values == {"value": 0.0}
    assert metric.score(trace("", "   ")).values == {"value": 1.0}
    assert metric.score(trace("x", "")).reason == "not_measurable"


def test_signs_inside_a_word_are_kept():
    """Only outer punctuation is folded away, and a text of punctuation stands for itself."""
    assert folded("«C++»!") == "c++"
    assert folded("...") == "..."
    assert numbers("50 %") == (50.0,)
    assert numbers("5 km") == ()
