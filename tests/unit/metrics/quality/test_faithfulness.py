import pytest

from metrics.quality.faithfulness import Faithfulness
from scorer.api import AgentTrace, Document, Measurement, Unscored

CONTEXTS = (Document("The Eiffel Tower is in Paris. It is 330 metres tall."),)


def trace(answer, contexts=CONTEXTS):
    return AgentTrace(trace_id="t", answer=answer, contexts=contexts)


def test_it_is_half_the_mean_and_half_the_least_support():
    """Of two claims one is a copy (1.0), the other has a number of its own."""
    result = Faithfulness().score(trace("The Eiffel Tower is in Paris. It is 500 metres tall."))
    assert isinstance(result, Measurement)
    weakest = result.detail["weakest"]
    assert weakest < 0.3
    assert result.values["value"] == pytest.approx(((1 + weakest) / 2 + weakest) / 2, abs=1e-4)
    assert result.method == "lexical"
    assert result.detail["unsupported"] == ["It is 500 metres tall."]
    assert result.detail["why"] == [["number"]]
    assert "500 metres" in result.explanation
    assert "a number, date or address that no context has" in result.explanation


def test_no_claim_is_not_applicable():
    """An answer that claims nothing has no value, neither 0 nor 1."""
    assert Faithfulness().score(trace("How can I help?")) == Unscored("no_claims")


def test_documented_is_the_share_of_contexts_in_the_answer():
    """One of two contexts is a substring of the lower-cased answer: 1 / 2."""
    contexts = (Document("alpha"), Document("gamma"))
    result = Faithfulness(mode="documented").score(trace("ALPHA beta", contexts))
    assert result.values == {"value": 0.5}
    assert result.method == "exact"


def test_documented_declares_no_needs_and_decides_itself():
    """Without contexts the original says None, which is not_applicable."""
    metric = Faithfulness(mode="documented")
    assert metric.spec.needs == ()
    assert Faithfulness().spec.needs == ("answer", "context_text")
    result = metric.score(trace("x", None))
    assert result.reason == "not_measurable"
    assert result.status == "not_applicable"


def test_unknown_modes_and_options_are_refused():
    """A wrong mode is a ValueError, a wrong option a TypeError."""
    with pytest.raises(ValueError, match="mode"):
        Faithfulness(mode="better")
    with pytest.raises(TypeError):
        Faithfulness(threshold=1)
