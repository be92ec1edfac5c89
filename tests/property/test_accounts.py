"""What privacy_budget promises, over generated spans: arrival, repetition and crashes."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from metrics.privacy.privacy_budget import PrivacyBudget
from scorer.api import AgentTrace, Spending
from scorer.config import AccountsConfig
from scorer.registry import LoadedMetric
from scorer.scoring.account_store import MemoryStore
from scorer.scoring.accounts import Accounts
from scorer.scoring.engine import Engine
from scorer.telemetry import Telemetry

# Decimals, as people write budgets.
EPSILON = st.integers(0, 3000).map(lambda n: n / 1000)
DELTA = st.sampled_from([None, 0.0, 1e-9, 1e-6])
PRINCIPALS = ("ann", "bob", "cat")


@st.composite
def traces(draw):
    """Traces by number, each a map from span id to what the span spends."""
    spent = st.tuples(st.sampled_from(PRINCIPALS), EPSILON, DELTA)
    spans = st.dictionaries(st.sampled_from("abcd"), spent, min_size=1)
    return dict(enumerate(draw(st.lists(spans, min_size=1, max_size=6)), start=1))


@st.composite
def arrivals(draw):
    """The traces, and (trace, revision, spans) in any order and often, each span at least once."""
    found = draw(traces())
    parts = []
    for number, spans in found.items():
        cut = draw(st.integers(1, len(spans)))
        ids = draw(st.permutations(sorted(spans)))
        parts.append((number, 1, tuple(ids[:cut])))
        if cut < len(ids):
            parts.append((number, 2, tuple(ids)))
    again = draw(st.lists(st.sampled_from(parts), max_size=6))
    return found, draw(st.permutations([*parts, *again]))


class Service:
    """The engine and the accounts; what `restart` leaves is the store."""

    def __init__(self, **options):
        metric = PrivacyBudget(total_budget=20.0, **options)
        self.loaded = LoadedMetric(
            metric=metric,
            spec=metric.spec,
            combines=False,
            books=True,
            mode="beyond",
            threshold=None,
            timeout_s=5,
            config_hash="h",
        )
        self.engine = Engine([self.loaded], [])
        self.store = MemoryStore()
        self.restart()

    def restart(self):
        self.accounts = Accounts([self.loaded], self.store, AccountsConfig(), Telemetry())

    def score(self, number, revision, spending):
        """The scores of a trace by output."""
        view = AgentTrace(trace_id=f"{number:032x}", service="shop", spending=spending)
        scored = self.engine.score_view(view, view.trace_id)
        (settled,) = finished(self.accounts.settle([replace(scored, revision=revision)]))
        return {score.output: score for score in settled.scores}

    def spent(self, principal, number=10**6):
        """The total of a principal, read by a trace that spends nothing."""
        nothing = (Spending(span_id="z", epsilon=0.0, principal=principal),)
        return self.score(number, 1, nothing)["value"].detail["total_spent"]


def finished(coroutine):
    """What a coroutine returns that waits for nothing: a loop for each would take most time."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


def spending_of(spans, ids):
    return tuple(
        Spending(
            span_id=name, principal=spans[name][0], epsilon=spans[name][1], delta=spans[name][2]
        )
        for name in ids
    )


@settings(deadline=None)
@given(arrivals(), st.data())
def test_totals_are_the_sum_of_the_spans_whatever_the_order(given_, data):
    """Repeated, revised, out of order, over restarts: each span counts once, to the last digit."""
    found, order = given_
    service = Service()
    for number, revision, ids in order:
        service.score(number, revision, spending_of(found[number], ids))
        if data.draw(st.booleans()):
            service.restart()
    for place, principal in enumerate(PRINCIPALS):
        expected = sum(
            Fraction(repr(epsilon))
            for spans in found.values()
            for who, epsilon, _ in spans.values()
            if who == principal
        )
        assert service.spent(principal, 10**6 + place) == float(expected)


@pytest.mark.parametrize("options", [{}, {"composition": "advanced"}, {"total_delta": 1e-5}])
@settings(deadline=None, max_examples=50)
@given(arrivals=arrivals())
def test_a_budget_is_never_given_back(options, arrivals):
    """What is spent of an account never falls, and its share never rises."""
    found, order = arrivals
    service = Service(**options)
    shares = {}
    for place, (number, revision, ids) in enumerate(order):
        service.score(number, revision, spending_of(found[number], ids))
        for offset, principal in enumerate(PRINCIPALS):
            nothing = (Spending(span_id="z", epsilon=0.0, principal=principal),)
            read = service.score(10**6 + 10 * place + offset, 1, nothing)
            now = read["epsilon_spent"].value, -read["value"].value
            before = shares.get(principal, (0.0, -1.0))
            assert now >= before
            assert now[1] >= before[1]
            shares[principal] = now


@settings(deadline=None)
@given(arrivals())
def test_what_is_scored_again_gets_the_same_score(given_):
    """The newest revision of a trace, whoever has spent meanwhile: a score id has one value."""
    found, order = given_
    service = Service()
    newest = {}
    for number, revision, ids in order:
        if newest.get(number, (0,))[0] > revision:
            continue  # an older cut is never scored after a newer one
        made = service.score(number, revision, spending_of(found[number], ids))
        if newest.get(number, (0,))[0] == revision:
            assert made == newest[number][1]
        newest[number] = revision, made
