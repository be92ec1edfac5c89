"""Stages, rules, barred metrics and verdicts."""

import pytest

from scorer.api import (
    AgentTrace,
    Entries,
    Entry,
    Measurement,
    MetricSpec,
    OutputSpec,
    Threshold,
    Unscored,
)
from scorer.config import RuleConfig
from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, Completeness, Envelope
from scorer.registry import LoadedMetric
from scorer.scoring.engine import Engine
from scorer.scoring.rules import Rules
from scorer.testing import TraceBuilder

VIEW = AgentTrace(trace_id="0" * 32, service="shop", answer="yes")


class Constant:
    def __init__(self, value):
        self.value = value
        self.calls = 0

    def score(self, trace):
        self.calls += 1
        return Measurement({"value": self.value})


class Total:
    def combine(self, trace, scores):
        return Measurement({"value": sum(score.value or 0 for score in scores)})


def loaded(name, metric, *, needs=(), threshold=None):
    spec = MetricSpec(
        name=name,
        kind="quality",
        description="A test.",
        outputs=(OutputSpec(range=None),),
        needs=needs,
    )
    return LoadedMetric(
        metric=metric,
        spec=spec,
        combines=hasattr(metric, "combine"),
        books=hasattr(metric, "entries"),
        mode="beyond",
        threshold=threshold,
        timeout_s=1,
        config_hash="h",
    )


def scores(engine, view=VIEW):
    return {score.metric: score for score in engine.score_view(view, "s").scores}


def test_metrics_of_scores_see_the_scores_before_them():
    """Stage 3 combines what stage 1 gave."""
    engine = Engine(
        [loaded("a", Constant(1)), loaded("b", Constant(2)), loaded("sum", Total())], []
    )
    assert scores(engine)["sum"].value == 3


def test_a_metric_is_not_called_when_a_need_is_not_met():
    """The engine decides from `needs`."""
    metric = Constant(1)
    found = scores(Engine([loaded("a", metric, needs=("usage",))], []))["a"]
    assert (found.status, found.reason, metric.calls) == ("not_applicable", "no_usage", 0)


def test_a_breach_is_a_primary_output_outside_its_threshold():
    """Only metrics with a threshold breach."""
    engine = Engine(
        [loaded("a", Constant(1), threshold=Threshold(max=0.5)), loaded("b", Constant(1))], []
    )
    assert engine.score_view(VIEW, "s").breaches == ("a",)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (RuleConfig(match={"service": "shop"}, sample=0), "sampled_out"),
        (RuleConfig(match={"service": "sh*"}, metrics=("b",)), "not_in_rule"),
    ],
)
def test_a_rule_can_skip_a_metric(rule, reason):
    """`skipped`, with the reason; nothing is called."""
    metric = Constant(1)
    found = scores(Engine([loaded("a", metric)], [], rules=Rules([rule])))["a"]
    assert (found.status, found.reason, metric.calls) == ("skipped", reason, 0)


def test_a_rule_of_another_service_does_not_matter():
    """Without a match everything runs."""
    rules = Rules([RuleConfig(match={"service": "other"}, sample=0)])
    assert scores(Engine([loaded("a", Constant(1))], [], rules=rules))["a"].value == 1


def closed(*spans):
    return ClosedTrace(
        tenant="",
        trace_id=bytes(15) + b"\x01",
        spans=spans,
        span_envelopes=(Envelope(b"", b""),) * len(spans),
        reason="root",
        opened=1,
        closed=2,
        completeness=Completeness(span_count=len(spans), root_present=True),
        first_position=Position("t", 0, 1),
        last_position=Position("t", 0, 1),
        size=1,
    )


def test_a_trace_without_agent_operations_is_not_scored():
    """`not_agent` is a verdict, with no scores."""
    scored = Engine([loaded("a", Constant(1))], []).score(closed())
    assert (scored.verdict, scored.scores, scored.closed) == ("not_agent", (), 2)


class BrokenDialect:
    name = "broken"

    def matches(self, span, logs):
        raise RuntimeError

    def read(self, span, logs):
        raise RuntimeError


def test_a_trace_that_cannot_be_normalised_is_quarantined():
    """A dialect that breaks harms that trace only."""
    span = TraceBuilder(1).span("x", **{"gen_ai.operation.name": "chat"})
    engine = Engine([loaded("a", Constant(1))], [BrokenDialect()])
    scored = engine.score(closed(span.SerializeToString()))
    assert (scored.verdict, scored.reason) == ("quarantined", "normalise_failed")


def test_an_unscored_result_is_passed_on():
    """A metric may say itself why it cannot."""

    class Shy:
        def score(self, trace):
            return Unscored("too_short")

    found = scores(Engine([loaded("a", Shy())], []))["a"]
    assert (found.status, found.reason) == ("not_applicable", "too_short")


def test_a_trace_that_may_have_been_an_agent_s_is_quarantined():
    """When nothing of it decodes, `not_agent` would be a guess."""
    scored = Engine([loaded("a", Constant(1))], []).score(closed(b"\xff\xff"))
    assert (scored.verdict, scored.reason) == ("quarantined", "undecodable")


class Spent:
    """Adds what it is told to an account."""

    def __init__(self, *entries):
        self.found = Entries(tuple(entries))

    def entries(self, trace):
        return self.found

    def measure(self, balances, detail):
        raise AssertionError("not in the engine")


ENTRY = Entry(("ann",), "a", {"n": 1})


class TestAccounts:
    """Metrics of accounts are read here, and scored where the accounts are."""

    def test_what_a_trace_adds_goes_along_with_a_score_that_waits(self):
        """Should nobody book it, the score is failed and says why."""
        scored = Engine([loaded("spent", Spent(ENTRY))], []).score_view(VIEW, "s")
        (posting,) = scored.postings
        assert (posting.metric, posting.entries.entries) == ("spent", (ENTRY,))
        (score,) = scored.scores
        assert (score.status, score.reason, score.value) == ("failed", "not_booked", None)

    @pytest.mark.parametrize("found", [Entries((ENTRY,)), Unscored("nothing", "failed")])
    def test_metrics_of_scores_do_not_see_the_scores_of_accounts(self, found):
        """They are made later: one that failed at once is no part of the others either."""
        seen = []

        class Seen(Total):
            def combine(self, trace, scores):
                seen.extend(score.metric for score in scores)
                return super().combine(trace, scores)

        spent = Spent()
        spent.found = found
        metrics = [loaded("a", Constant(1)), loaded("spent", spent), loaded("sum", Seen())]
        Engine(metrics, []).score_view(VIEW, "s")
        assert seen == ["a"]

    def test_sampling_leaves_no_trace_out_of_the_accounts(self):
        """A budget of which a tenth of the spending is known would be wrong."""
        rules = Rules([RuleConfig(sample=0.0)])
        engine = Engine([loaded("a", Constant(1)), loaded("spent", Spent(ENTRY))], [], rules=rules)
        scored = engine.score_view(VIEW, "s")
        assert [score.reason for score in scored.scores] == ["sampled_out", "not_booked"]
        assert len(scored.postings) == 1

    def test_a_rule_may_leave_the_metric_out(self):
        """Then the service has no such accounts."""
        rules = Rules([RuleConfig(metrics=("a",))])
        engine = Engine([loaded("spent", Spent(ENTRY))], [], rules=rules)
        scored = engine.score_view(VIEW, "s")
        assert [score.reason for score in scored.scores] == ["not_in_rule"]
        assert scored.postings == ()

    @pytest.mark.parametrize(
        "entry",
        [
            None,
            Entry("ann", "a", {"n": 1}),
            Entry(("ann",), 7, {"n": 1}),
            Entry((None,), "a", {"n": 1}),
            Entry(("ann",), "a", {"n": 0.5}),
            Entry(("ann",), "a", {"n": 2**63}),
            Entry(("ann",), "a", None),
            Entry(("ann",), "a", {"n": 1}, -1),
            Entry(("ann",), "a", {"n": 1}, None),
        ],
    )
    def test_entries_that_are_none_fail_the_score(self, entry):
        """They would not reach the accounts, or break them."""
        scored = Engine([loaded("spent", Spent(entry))], []).score_view(VIEW, "s")
        assert scored.postings == ()
        assert scored.scores[0].reason == "bad_result"

    def test_only_a_metric_of_accounts_may_return_entries(self):
        """Another has nobody to measure them."""
        metric = Constant(1)
        metric.score = lambda trace: Entries((ENTRY,))
        scored = Engine([loaded("a", metric)], []).score_view(VIEW, "s")
        assert scored.scores[0].reason == "bad_result"
