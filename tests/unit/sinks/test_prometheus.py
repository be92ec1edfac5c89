"""What the Prometheus sink counts."""

import math

import pytest

from scorer.api import Sink
from scorer.config import parse_config
from scorer.model.score import ToolCount, TraceFacts
from scorer.model.trace import Completeness
from scorer.sinks.prometheus import PrometheusSink
from scorer.telemetry import Telemetry
from scorer.testing import score, scored_trace


class Scraped:
    """A sink with its series."""

    def __init__(self, **settings):
        self.telemetry = Telemetry()
        config = parse_config({"sinks": {"prometheus": settings}})
        self.sink = PrometheusSink(config, self.telemetry)

    async def write(self, *traces):
        await self.sink.write(traces)

    def value(self, name, **labels):
        return self.telemetry.value(name, **labels)

    def count(self, name, **labels):
        return sum(
            sample.value
            for sample in self.samples(f"{name}_count")
            if labels.items() <= sample.labels.items()
        )

    def samples(self, *names):
        return [
            sample
            for family in self.telemetry.snapshot().collect()
            for sample in family.samples
            if sample.name in names
        ]


def spans(count):
    return Completeness(span_count=count, root_present=True)


async def test_it_is_a_sink():
    """The Prometheus sink has the interface of all sinks."""
    scraped = Scraped()
    assert isinstance(scraped.sink, Sink)
    await scraped.sink.close()
    await scraped.sink.close()


async def test_every_score_is_counted_by_status_and_reason():
    """A score without a value is counted with its reason and is in no histogram."""
    scraped = Scraped()
    skipped = score("faithfulness", None, status="not_applicable", reason="no_answer")
    await scraped.write(scored_trace(scores=(score("composite", 0.0), skipped)))
    total = "spanscore_scores_total"
    assert scraped.value(total, metric="composite", status="scored", reason="") == 1
    labels = {"metric": "faithfulness", "status": "not_applicable", "reason": "no_answer"}
    assert scraped.value(total, **labels) == 1
    assert scraped.count("spanscore_score", metric="composite") == 1
    assert scraped.count("spanscore_score", metric="faithfulness") == 0


@pytest.mark.parametrize("declared", [None, (0.0, None), (None, 1.0), (0.0, 5.0), (-1.0, 1.0)])
async def test_only_scores_of_the_range_0_to_1_are_in_the_histogram(declared):
    """A duration that happens to be 0.5 is no score between 0 and 1."""
    scraped = Scraped()
    await scraped.write(scored_trace(scores=(score("latency", 0.5, range=declared),)))
    assert scraped.value("spanscore_scores_total", metric="latency") == 1
    assert scraped.count("spanscore_score") == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
async def test_a_value_outside_its_range_cannot_spoil_the_histogram(value):
    """The sum of a histogram stays finite and between 0 and its count."""
    scraped = Scraped()
    await scraped.write(scored_trace(scores=(score("bad", value),)))
    assert scraped.count("spanscore_score") == 0


async def test_methods_are_never_mixed_in_one_series():
    """The method and the output are labels of the histogram."""
    scraped = Scraped()
    scores = (score(method="lexical"), score(method="nli"), score(output="p95"))
    await scraped.write(scored_trace(scores=scores))
    assert scraped.count("spanscore_score", method="lexical", output="value") == 1
    assert scraped.count("spanscore_score", method="nli") == 1
    assert scraped.count("spanscore_score", output="p95") == 1


async def test_the_exemplar_of_a_score_is_its_trace():
    """From a bucket and from a breach one gets to a trace."""
    scraped = Scraped()
    await scraped.write(scored_trace(7, scores=(score("composite", 0.1),), breaches=("composite",)))
    names = ("spanscore_score_bucket", "spanscore_threshold_breaches_total")
    exemplars = [s.exemplar.labels for s in scraped.samples(*names) if s.exemplar]
    assert exemplars == [{"trace_id": f"{7:032x}"}] * 2


async def test_a_span_score_belongs_to_its_own_agent():
    """The labels of a score are the score's, not the trace's."""
    scraped = Scraped()
    await scraped.write(scored_trace(scores=(score(agent="helper"), score(agent="planner"))))
    assert scraped.count("spanscore_score", agent="helper") == 1
    assert scraped.count("spanscore_score", agent="planner") == 1


async def test_breaches_are_counted_once_a_trace():
    """A metric below its threshold adds one breach of its service and agent."""
    scraped = Scraped()
    await scraped.write(scored_trace(breaches=("composite", "pii_leakage")))
    name = "spanscore_threshold_breaches_total"
    assert scraped.value(name, metric="composite", service="shop", agent="planner") == 1
    assert scraped.value(name) == 2


async def test_facts_of_scored_traces_add_up():
    """Tokens, cost, tool calls, findings and durations are added by service."""
    scraped = Scraped()
    facts = TraceFacts(
        tokens={"input": 100, "output": 20},
        cost_usd=0.25,
        tool_calls=(ToolCount("search", "success", 2), ToolCount("search", "error", 1)),
        pii_findings={"email": 3},
        duration_s=2.5,
    )
    await scraped.write(scored_trace(1, facts=facts), scored_trace(2, facts=facts))
    assert scraped.value("spanscore_traces_total", service="shop") == 2
    assert scraped.value("spanscore_tokens_total", type="input", service="shop") == 200
    assert scraped.value("spanscore_cost_usd_total", service="shop") == 0.5
    called = {"tool": "search", "service": "shop"}
    assert scraped.value("spanscore_tool_calls_total", status="success", **called) == 4
    assert scraped.value("spanscore_tool_calls_total", status="error", **called) == 2
    assert scraped.value("spanscore_pii_findings_total", type="email", agent="planner") == 6
    assert scraped.count("spanscore_trace_duration_seconds", service="shop") == 2


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, 10**400])
async def test_an_implausible_fact_cannot_ruin_a_counter(bad):
    """What a sender claims beyond all reason is not added."""
    scraped = Scraped()
    facts = TraceFacts(tokens={"input": bad}, cost_usd=bad, duration_s=bad)
    await scraped.write(scored_trace(facts=facts))
    assert scraped.value("spanscore_tokens_total") == 0
    assert scraped.value("spanscore_cost_usd_total") == 0
    assert scraped.count("spanscore_trace_duration_seconds") == 0


async def test_only_scored_traces_count_as_traces():
    """Facts of traces that are not agents', or could not be scored, are not published."""
    scraped = Scraped()
    await scraped.write(
        scored_trace(1),
        scored_trace(2, verdict="not_agent"),
        scored_trace(3, verdict="quarantined", reason="worker_died"),
        scored_trace(1, revision=2),
    )
    assert scraped.value("spanscore_traces_total") == 1


async def test_a_revision_is_not_observed_again():
    """Histograms, traces and statuses are those of the first scoring."""
    scraped = Scraped()
    rest = {"facts": TraceFacts(duration_s=2.0), "metric_seconds": {"latency": 0.1}}
    await scraped.write(
        scored_trace(scores=(score(),), **rest),
        scored_trace(revision=2, scores=(score(), score("cost")), **rest),
    )
    for name in ("score", "trace_duration_seconds", "metric_duration_seconds"):
        assert scraped.count(f"spanscore_{name}") == 1
    assert scraped.value("spanscore_scores_total") == 1
    assert scraped.value("spanscore_traces_total") == 1


async def test_what_a_revision_adds_is_counted():
    """Tokens, cost, tool calls and findings add what is above the largest so far."""
    scraped = Scraped()
    for revision, grown in enumerate((1, 3, 2, 4), start=1):
        facts = TraceFacts(
            tokens={"input": 100 * grown},
            cost_usd=0.25 * grown,
            tool_calls=(ToolCount("search", "success", grown),),
            pii_findings={"email": grown},
        )
        await scraped.write(scored_trace(revision=revision, facts=facts))
    assert scraped.value("spanscore_tokens_total", type="input") == 400
    assert scraped.value("spanscore_cost_usd_total") == 1
    assert scraped.value("spanscore_tool_calls_total", tool="search", status="success") == 4
    assert scraped.value("spanscore_pii_findings_total", type="email") == 4


async def test_a_trace_that_changes_its_service_is_not_counted_twice():
    """The late root names another service: only what is new is added to that."""
    scraped = Scraped()
    for revision, service in enumerate(("worker", "shop"), start=1):
        facts = TraceFacts(tokens={"input": 100 * revision})
        await scraped.write(scored_trace(revision=revision, service=service, facts=facts))
    assert scraped.value("spanscore_tokens_total", service="worker") == 100
    assert scraped.value("spanscore_tokens_total", service="shop") == 100


async def test_a_breach_counts_when_the_trace_first_has_it():
    """A metric that fails, recovers and fails again in later revisions is one breach."""
    scraped = Scraped()
    for revision, breaches in enumerate(((), ("cost",), (), ("cost", "latency")), start=1):
        await scraped.write(scored_trace(revision=revision, breaches=breaches))
    assert scraped.value("spanscore_threshold_breaches_total", metric="cost") == 1
    assert scraped.value("spanscore_threshold_breaches_total", metric="latency") == 1


async def test_a_revised_score_counts_once_a_metric():
    """Its outputs are one score; the first scoring is none."""
    scraped = Scraped()
    scores = (score("cost"), score("cost", output="p95"), score("pii", None, status="failed"))
    for revision in (1, 2, 3):
        await scraped.write(scored_trace(revision=revision, scores=scores))
    assert scraped.value("spanscore_revised_scores_total", metric="cost") == 2
    assert scraped.value("spanscore_revised_scores_total", metric="pii") == 2


@pytest.mark.parametrize("first", ["not_agent", "quarantined"])
async def test_the_first_scoring_may_be_a_later_revision(first):
    """A trace whose agent comes late is observed, and counted as a trace, when it is scored."""
    scraped = Scraped()
    facts = TraceFacts(tokens={"input": 7}, duration_s=2.0)
    scored = {"scores": (score(),), "breaches": ("latency",), "facts": facts}
    await scraped.write(scored_trace(verdict=first), scored_trace(revision=2, **scored))
    assert scraped.value("spanscore_traces_total") == 1
    assert scraped.count("spanscore_score") == scraped.value("spanscore_scores_total") == 1
    assert scraped.count("spanscore_trace_duration_seconds") == 1
    assert scraped.value("spanscore_tokens_total") == 7
    assert scraped.value("spanscore_threshold_breaches_total") == 1
    assert scraped.value("spanscore_revised_scores_total") == 0


async def test_the_revision_of_a_trace_that_is_not_known_adds_nothing():
    """What it was before is forgotten, or of before a restart, so it might count twice."""
    scraped = Scraped()
    facts = TraceFacts(tokens={"input": 1}, duration_s=2.0)
    rest = {"scores": (score(),), "breaches": ("latency",), "facts": facts}
    await scraped.write(scored_trace(revision=2, **rest), scored_trace(revision=3, **rest))
    for name in ("score", "trace_duration_seconds"):
        assert scraped.count(f"spanscore_{name}") == 0
    for name in ("tokens", "threshold_breaches", "traces", "scores"):
        assert scraped.value(f"spanscore_{name}_total") == 0
    assert scraped.value("spanscore_revised_scores_total", metric="latency") == 2


async def test_tenants_may_have_the_same_trace_id():
    """The revision of one tenant's trace is not compared with the trace of another."""
    scraped = Scraped()
    for tenant, count in (("a", 100), ("b", 5)):
        facts = TraceFacts(tokens={"input": count})
        await scraped.write(scored_trace(tenant=tenant, facts=facts))
    grown = TraceFacts(tokens={"input": 8})
    await scraped.write(scored_trace(tenant="b", revision=2, facts=grown))
    assert scraped.value("spanscore_tokens_total") == 108


async def test_the_time_a_metric_takes_is_observed():
    """Each metric has a histogram of its seconds."""
    scraped = Scraped()
    await scraped.write(scored_trace(metric_seconds={"latency": 0.002}))
    assert scraped.count("spanscore_metric_duration_seconds", metric="latency") == 1


async def test_services_beyond_the_limit_are_other_and_counted():
    """2,000 services are 200 and `other`; nothing is lost from the totals."""
    scraped = Scraped()
    await scraped.write(
        *(scored_trace(n, service=f"s{n}", scores=(score(service=f"s{n}"),)) for n in range(2_000))
    )
    services = {sample.labels["service"] for sample in scraped.samples("spanscore_traces_total")}
    assert len(services) == 201
    assert scraped.value("spanscore_traces_total") == 2_000
    assert scraped.count("spanscore_score") == 2_000
    assert scraped.value("spanscore_label_overflow_total", label="service") == 1_800


async def test_all_series_from_spans_stay_within_max_series():
    """Combinations of labels stop making series at `max_series` and are counted."""
    scraped = Scraped(max_series=100)
    traces = [
        scored_trace(
            n,
            service=f"s{n % 50}",
            agent=f"a{n}",
            scores=(score(service=f"s{n % 50}", agent=f"a{n}"),),
        )
        for n in range(150)
    ]
    await scraped.write(*traces)
    named = [
        sample
        for family in scraped.telemetry.snapshot().collect()
        for sample in family.samples
        if sample.labels.get("service", "other") != "other"
    ]
    assert 0 < len(named) <= 100
    assert scraped.count("spanscore_score") == 150
    assert scraped.value("spanscore_label_overflow_total", label="series") > 0


async def test_labels_that_the_configuration_drops_are_empty():
    """Without `agent` in `labels` the agents of a service are one series."""
    scraped = Scraped(labels=["service"])
    await scraped.write(
        scored_trace(1, agent="a", scores=(score(agent="a"),)),
        scored_trace(2, agent="b", scores=(score(agent="b"),)),
    )
    assert scraped.count("spanscore_score", service="shop", agent="") == 2


async def test_reasons_and_types_are_bounded_too():
    """A plug-in that writes prose into its reasons cannot flood the series."""
    scraped = Scraped(max_label_values=3)
    scores = tuple(score("m", None, status="failed", reason=f"why {n}") for n in range(10))
    facts = TraceFacts(pii_findings={f"t{n}": 1 for n in range(10)})
    await scraped.write(scored_trace(scores=scores, facts=facts))
    assert len(scraped.samples("spanscore_scores_total")) == 4
    assert len(scraped.samples("spanscore_pii_findings_total")) == 4
