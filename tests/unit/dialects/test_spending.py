import math

from scorer.model.agent_trace import Spending

AGENT = {"gen_ai.operation.name": "invoke_agent"}
EPSILON, DELTA = "spanscore.privacy.epsilon", "spanscore.privacy.delta"
PRINCIPAL, DATASET = "spanscore.privacy.principal", "spanscore.privacy.dataset"


def test_each_span_spends_for_itself(span, view):
    """What a span tells is not a total of what is below it."""
    result = view(
        span("1", AGENT | {EPSILON: 0.5, "user.id": "ann"}, end=9),
        span("2", {EPSILON: "0.25", DELTA: 1e-6}, parent="1", end=7),
    )
    assert result.spending == (
        Spending(span_id="1", epsilon=0.5, principal="ann", end_ns=9_000_000),
        Spending(span_id="2", epsilon=0.25, delta=1e-6, principal="ann", end_ns=7_000_000),
    )


def test_whose_budget_it_is_stands_on_the_nearest_span(span, view):
    """On the span itself, else on one around it, else it is the user of the trace."""
    result = view(
        span("1", AGENT | {"user.id": "ann", DATASET: "visits"}),
        span("2", {PRINCIPAL: "bob"}, parent="1"),
        span("3", {EPSILON: 1}, parent="2"),
        span("4", {EPSILON: 1, PRINCIPAL: 7, DATASET: "sales"}, parent="2"),
        span("5", {EPSILON: 1}, parent="1"),
    )
    found = {s.span_id: (s.principal, s.dataset) for s in result.spending}
    assert found == {"3": ("bob", "visits"), "4": ("7", "sales"), "5": ("ann", "visits")}


def test_what_is_no_number_is_told_as_such(span, view):
    """The metric must be able to count it; a span that tells none spends nothing."""
    result = view(span("1", AGENT), span("2", {EPSILON: "much"}, parent="1"))
    (spending,) = result.spending
    assert math.isnan(spending.epsilon)
    assert (spending.principal, spending.dataset, spending.delta) == (None, None, None)


def test_a_long_chain_of_spans_is_read_in_one_pass(span, view):
    """A sender chooses how deep spans nest."""
    chain = [span("1", AGENT | {PRINCIPAL: "ann"})]
    chain += [span(f"{n:x}", {EPSILON: 0.001}, parent=f"{n - 1:x}") for n in range(2, 20_000)]
    spending = view(*chain).spending
    assert len(spending) == 19_998
    assert {s.principal for s in spending} == {"ann"}
