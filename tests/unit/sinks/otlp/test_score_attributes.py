"""What stands on a root span."""

import pytest

from scorer.sinks.otlp.score_attributes import NOTHING, outdated_by, score_attributes
from scorer.testing import score, scored_trace


def attributes(*scores, **fields):
    return score_attributes(scored_trace(scores=scores, **fields))


def test_a_value_comes_with_its_label():
    """And once for all: which revision it is, and why the trace was closed."""
    assert attributes(score("latency", 0.5, label="pass"), revision=3, close_reason="idle") == {
        "spanscore.score.latency": 0.5,
        "spanscore.score.latency.label": "pass",
        "spanscore.revision": 3,
        "spanscore.close_reason": "idle",
    }


def test_a_score_without_value_says_why():
    """It is never a 0."""
    found = attributes(score("faithfulness", None, reason="no_answer"), score("cost", None))
    assert found["spanscore.score.faithfulness.reason"] == "no_answer"
    assert found["spanscore.score.cost.reason"] == "missing"
    assert "spanscore.score.cost" not in found


def test_other_outputs_carry_their_name():
    """Behind that of the metric."""
    found = attributes(score("tokens", 3.0), score("tokens", 2.0, output="input"))
    assert (found["spanscore.score.tokens"], found["spanscore.score.tokens.input"]) == (3.0, 2.0)


def test_no_key_is_there_twice():
    """An output may be named as a label is."""
    found = attributes(score("m", 1.0, label="pass"), score("m", 2.0, output="label"))
    assert found["spanscore.score.m.label"] == "pass"


def test_texts_are_cut():
    """Whoever wrote the metric."""
    found = attributes(score("m", 1.0, label="x" * 9999), score("n", None, reason="y" * 9999))
    assert len(found["spanscore.score.m.label"]) == 256
    assert len(found["spanscore.score.n.reason"]) == 256


@pytest.mark.parametrize("verdict", ["not_agent", "quarantined"])
def test_a_trace_that_is_not_scored_has_none(verdict):
    """It is passed on unchanged."""
    assert attributes(verdict=verdict) == {}


def test_a_trace_whose_hold_is_over_says_so():
    """Nothing else is known then."""
    assert score_attributes(None) == {"spanscore.hold": "expired"}


def test_what_was_said_before_of_the_same_metrics_is_outdated():
    """Their values, labels, reasons and further outputs, and that the hold was over."""
    span = score("pii", 1.0, scope="span")
    found = outdated_by(scored_trace(scores=[score("m", None), score("m", 2.0, output="n"), span]))
    assert found.keys == {"spanscore.hold", "spanscore.score.m"}
    assert found.prefixes == ("spanscore.score.m.",)


def test_nothing_is_outdated_by_a_trace_without_scores():
    """What was known before is still the best that is known."""
    assert outdated_by(None) == outdated_by(scored_trace(verdict="not_agent")) == NOTHING
