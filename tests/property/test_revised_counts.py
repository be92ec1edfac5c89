"""Counters of traces that are scored again, against an oracle that sees all revisions at once."""

import asyncio
from collections import Counter
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.config import parse_config
from scorer.model.score import ToolCount, TraceFacts
from scorer.sinks.counted import CountedTraces
from scorer.sinks.prometheus import PrometheusSink
from scorer.telemetry import Telemetry
from scorer.testing import score, scored_trace

NAMES = ("a", "b", "c")
METRICS = ("cost", "latency", "pii")
AMOUNTS = [*((kind, name) for kind in ("tokens", "tool", "pii") for name in NAMES), ("cost", "")]


class Scoring(NamedTuple):
    """One scoring of a trace, as it is drawn."""

    trace: int
    verdict: str
    service: str
    amounts: dict
    metrics: tuple
    breaches: tuple
    # The trace id is used again for a new trace.
    anew: bool


@st.composite
def scorings(draw):
    verdict = draw(st.sampled_from(["scored", "scored", "scored", "not_agent", "quarantined"]))
    some = st.lists(st.sampled_from(METRICS), unique=True).map(tuple)
    amounts = st.dictionaries(st.sampled_from(AMOUNTS), st.integers(0, 9))
    is_scored = verdict == "scored"
    return Scoring(
        trace=draw(st.integers(1, 4)),
        verdict=verdict,
        service=draw(st.sampled_from(NAMES)),
        amounts=draw(amounts) if is_scored else {},
        metrics=draw(some) if is_scored else (),
        breaches=draw(some) if is_scored else (),
        anew=draw(st.integers(0, 9)) == 0,
    )


def facts(amounts):
    """Put the amounts where the sink looks for them; a cost is a multiple of 1/4, so exact."""
    of = {kind: {} for kind, _ in AMOUNTS}
    for (kind, name), amount in amounts.items():
        of[kind][name] = amount
    return TraceFacts(
        tokens=of["tokens"],
        cost_usd=of["cost"][""] / 4 if of["cost"] else None,
        tool_calls=tuple(ToolCount(name, "success", n) for name, n in of["tool"].items()),
        pii_findings=of["pii"],
        duration_s=1.0,
    )


def lives(sequence, limit):
    """Return the revisions of each trace that came while it was remembered, and all the others.

    No more than `limit` traces are remembered, those that were scored last.
    """
    remembered, ended, unknown = {}, [], []
    seen = set()
    for scoring in sequence:
        life = remembered.pop(scoring.trace, None)
        if scoring.anew or scoring.trace not in seen:
            ended.append(life or [])
            life = []
        seen.add(scoring.trace)
        if life is None:
            unknown.append(scoring)
            continue
        remembered[scoring.trace] = [*life, scoring]
        if len(remembered) > limit:
            ended.append(remembered.pop(next(iter(remembered))))
    return [*ended, *remembered.values()], unknown


def expected(sequence, limit):
    """Sum the maximum of each trace, and what only its first scoring counts."""
    known, unknown = lives(sequence, limit)
    total = Counter()
    for life in known:
        scored = [scoring for scoring in life if scoring.verdict == "scored"]
        names = {name for scoring in scored for name in scoring.amounts}
        for name in names:
            total[name] += max(scoring.amounts.get(name, 0) for scoring in scored)
        for metric in {metric for scoring in scored for metric in scoring.breaches}:
            total["breach", metric] += 1
        for first in scored[:1]:
            total["traces", first.service] += 1
            total.update(("score", metric) for metric in first.metrics)
        for later in scored[1:]:
            total.update(("revised", metric) for metric in later.metrics)
    for scoring in unknown:
        total.update(("revised", metric) for metric in scoring.metrics)
    return +total


def counted(telemetry):
    total = Counter()
    for name in NAMES:
        total["tokens", name] = telemetry.value("spanscore_tokens_total", type=name)
        total["tool", name] = telemetry.value("spanscore_tool_calls_total", tool=name)
        total["pii", name] = telemetry.value("spanscore_pii_findings_total", type=name)
        total["traces", name] = telemetry.value("spanscore_traces_total", service=name)
    total["cost", ""] = 4 * telemetry.value("spanscore_cost_usd_total")
    for metric in METRICS:
        total["breach", metric] = telemetry.value(
            "spanscore_threshold_breaches_total", metric=metric
        )
        total["score", metric] = telemetry.value("spanscore_scores_total", metric=metric)
        total["revised", metric] = telemetry.value("spanscore_revised_scores_total", metric=metric)
    return +total


def observed(telemetry, name):
    return sum(
        sample.value
        for family in telemetry.snapshot().collect()
        for sample in family.samples
        if sample.name == f"{name}_count"
    )


@settings(deadline=None)
@given(st.lists(scorings(), max_size=25), st.integers(1, 4))
def test_counters_are_the_sum_of_the_largest_revisions(sequence, limit):
    """Of every remembered trace the maximum counts, a breach once, and a first scoring once.

    That holds for any order of revisions, whatever service they name and whichever traces are
    forgotten on the way; a forgotten trace adds nothing any more.
    """
    telemetry = Telemetry()
    sink = PrometheusSink(parse_config({}), telemetry)
    sink._counted = CountedTraces(max_traces=limit)
    revisions = Counter()
    traces = []
    for scoring in sequence:
        if scoring.anew:
            revisions[scoring.trace] = 0
        revisions[scoring.trace] += 1
        trace = scored_trace(
            scoring.trace,
            verdict=scoring.verdict,
            service=scoring.service,
            revision=revisions[scoring.trace],
            scores=tuple(map(score, scoring.metrics)),
            breaches=scoring.breaches,
            facts=facts(scoring.amounts),
        )
        traces.append(trace)
    asyncio.run(sink.write(traces))
    total = expected(sequence, limit)
    assert counted(telemetry) == total
    firsts = sum(n for (kind, _), n in total.items() if kind == "score")
    assert observed(telemetry, "spanscore_score") == firsts
    traces_scored = sum(n for (kind, _), n in total.items() if kind == "traces")
    assert observed(telemetry, "spanscore_trace_duration_seconds") == traces_scored
