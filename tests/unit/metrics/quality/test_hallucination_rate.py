import pytest

from metrics.quality.faithfulness import Faithfulness
from metrics.quality.hallucination_rate import HallucinationRate
from scorer.api import AgentTrace, Document, Unscored

TRACE = AgentTrace(
    trace_id="t",
    answer="Bananas are yellow. Bananas are blue steel rockets. Bananas grow in 1999 towers.",
    contexts=(Document("Most bananas are yellow when ripe."),),
)


def test_it_is_one_minus_faithfulness():
    """Most of the answer has no source: the rate is beyond its limit."""
    value = HallucinationRate().score(TRACE).values["value"]
    assert value > 0.5
    assert value == pytest.approx(1 - Faithfulness().score(TRACE).values["value"])


def test_the_unsupported_claims_are_in_the_detail():
    """Whoever looks into a score sees which sentences have no source, the weakest first."""
    detail = HallucinationRate().score(TRACE).detail
    assert detail["unsupported"] == [
        "Bananas grow in 1999 towers.",
        "Bananas are blue steel rockets.",
    ]
    assert detail["why"] == [["number"], ["words"]]


def test_it_is_scored_only_when_faithfulness_is():
    """No contexts, no value."""
    assert HallucinationRate().score(AgentTrace(trace_id="t", answer="x")) == Unscored(
        "no_contexts"
    )


def test_lower_is_better_and_one_half_is_the_limit():
    """The declaration says which end is good."""
    spec = HallucinationRate.spec
    assert spec.outputs[0].direction == "lower"
    assert spec.default_threshold.label(0.51) == "fail"
    assert spec.default_threshold.label(0.5) == "pass"


def test_documented_is_all_or_nothing():
    """0 when the answer holds every context verbatim, else 1."""
    metric = HallucinationRate(mode="documented")
    documents = (Document("yes"), Document("no"))
    both = AgentTrace(trace_id="t", answer="YES and NO", contexts=documents)
    one = AgentTrace(trace_id="t", answer="yes only", contexts=documents)
    assert metric.score(both).values == {"value": 0.0}
    assert metric.score(one).values == {"value": 1.0}
