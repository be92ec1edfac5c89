from typing import get_args

import pytest

from scorer.api import AgentTrace, Need
from scorer.cli.advice import advise
from scorer.scoring.applicability import missing_need

EMPTY = AgentTrace(trace_id="t")


@pytest.mark.parametrize("need", get_args(Need))
def test_every_missing_fact_has_an_advice(need):
    """Whatever a metric lacks, the reader learns what to switch on."""
    reason = missing_need(EMPTY, (need,))
    assert reason is not None
    assert list(advise(reason, ("otel_genai", "openinference", "openllmetry")))


def test_content_advice_names_the_switch_of_the_dialect():
    """Each instrumentation has its own environment variable."""
    (openinference,) = advise("no_answer", ("openinference",))
    (openllmetry,) = advise("no_answer", ("openllmetry",))
    assert "OPENINFERENCE_HIDE_OUTPUTS" in openinference
    assert "TRACELOOP_TRACE_CONTENT" in openllmetry


def test_where_content_is_there_no_switch_is_named():
    """It is on already."""
    (text,) = advise("no_answer", ("openinference",), has_content=True)
    assert "OPENINFERENCE_HIDE" not in text
    assert list(advise("no_contexts", ("openinference",), has_content=True))


@pytest.mark.parametrize(
    "reason",
    ["incomplete_usage", "unknown_model_price", "no_interactions", "too_few_interactions"],
)
def test_reasons_of_cost_and_teams_have_an_advice(reason):
    """Though no declared need says so."""
    assert len(list(advise(reason, ("otel_genai",)))) == 1


def test_what_is_not_known_gets_no_advice():
    """No advice is better than a guess."""
    assert list(advise("no_answer", ("some_plugin",))) == []
    assert list(advise("some_reason", ("otel_genai",))) == []
