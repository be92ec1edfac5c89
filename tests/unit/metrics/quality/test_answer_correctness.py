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
        ("C++", "C", 0.0, "tokens"),
        ("It is Paris", "Paris", 1.0, "contained"),
        ("No.", "Yes", 0.0, "polarity"),
        # "lyon" instead of "paris": F1 of 2 of 3 words is 2/3, cut to 0.2
        ("It is Lyon", "It is Paris", 0.2, "contradiction"),
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


def test_the_reason_is_told_without_quoting():
    """The explanation names the rule in words, not the texts."""
    for answer, expected in (("5", "5.0"), ("paris", "Paris"), ("Rome", "It is Paris")):
        result = AnswerCorrectness().score(trace(answer, expected))
        assert result.explanation
        assert "aris" not in result.explanation


def test_what_the_question_says_need_not_be_repeated():
    """A terse answer is as good as the reference's whole sentence."""
    reference = Reference(answer="The capital of France is Paris.")
    view = AgentTrace(
        trace_id="t", answer="Paris", question="The capital of France?", reference=reference
    )
    assert AnswerCorrectness().score(view).values["value"] == 1.0


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
    assert numbers("1.2.3") == ()
