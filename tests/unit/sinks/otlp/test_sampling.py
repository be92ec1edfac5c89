"""Which traces are kept."""

import random

import pytest

from scorer.config.forwarding import SamplingConfig
from scorer.sinks.otlp.sampling import Choice, TailSampler, is_in_share
from scorer.testing import TraceBuilder, scored_trace

from .test_forward import closed

GOOD = scored_trace()
FAILING = Choice(True, 1.0, "failing")


def choose(scored, service="shop", *, error=None, **config):
    builder = TraceBuilder(1)
    builder.span("agent", error=error)
    return TailSampler(SamplingConfig(**config)).choose(closed(builder), scored, service)


def test_what_fails_is_kept():
    """By a threshold, by the status of a span, or because nobody could say."""
    breach = scored_trace(breaches=("latency",))
    assert choose(breach, share=0.0) == FAILING
    assert choose(GOOD, error="no", share=0.0) == FAILING
    assert choose(scored_trace(verdict="quarantined"), share=0.0) == FAILING
    assert choose(None, share=0.0) == FAILING
    assert choose(GOOD, share=0.0) == Choice(False, 0.0, "share")


def test_failing_ones_are_as_others_when_that_is_asked():
    """Then nothing but the share decides."""
    breach = scored_trace(breaches=("latency",))
    for scored in (breach, None):
        assert not choose(scored, share=0.0, keep_failing=False).is_kept


def test_a_service_may_have_a_share_of_its_own():
    """The first pattern that matches decides."""
    services = {"shop-*": 0.0, "sh*": 1.0}
    assert choose(GOOD, "shop-eu", services=services) == Choice(False, 0.0, "service")
    assert choose(GOOD, "shop", share=0.0, services=services) == Choice(True, 1.0, "service")
    assert choose(GOOD, "other", share=0.0, services=services) == Choice(False, 0.0, "share")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_share_is_what_it_says(share):
    """Also of ids that a sender has already sampled by their value."""
    rng = random.Random(1)
    ids = [bytes(8) + rng.randrange(2**56).to_bytes(8, "big") for _ in range(20_000)]
    kept = sum(is_in_share(trace_id, share) for trace_id in ids)
    assert kept == pytest.approx(share * len(ids), abs=300)
    assert share not in (0.0, 1.0) or kept == share * len(ids)


def test_the_choice_is_the_same_everywhere():
    """In each instance and release. A larger share keeps what a smaller one keeps."""
    ids = [number.to_bytes(16, "big") for number in range(1, 41)]
    few = [trace_id[-1] for trace_id in ids if is_in_share(trace_id, 0.1)]
    more = [trace_id[-1] for trace_id in ids if is_in_share(trace_id, 0.2)]
    assert set(few) <= set(more)
    assert few == [1, 7, 8, 25, 26]


def test_what_was_dropped_is_remembered_until_it_is_kept():
    """By tenant, and of the last ones only."""
    sampler = TailSampler(SamplingConfig(share=0.0), remembered=2)
    traces = []
    for number in range(1, 4):
        builder = TraceBuilder(number)
        builder.span("agent")
        traces.append(closed(builder))
        sampler.choose(traces[-1], GOOD, "shop")
    known = [sampler.dropped("", trace.trace_id) for trace in traces]
    assert known == [None, "share", "share"]
    assert sampler.dropped("other", traces[2].trace_id) is None
    sampler.choose(traces[2], scored_trace(breaches=("latency",)), "shop")
    assert sampler.dropped("", traces[2].trace_id) is None
