from io import StringIO

from rich.console import Console

from scorer.api import AgentTrace, Document, MetricSpec
from scorer.cli.coverage import Coverage, cover, render

SPECS = (
    MetricSpec(name="length", kind="quality", description="", needs=("answer",)),
    MetricSpec(name="grounding", kind="quality", description="", needs=("answer", "context_text")),
)
FULL = AgentTrace(
    trace_id="a" * 32, dialects=("openinference",), answer="A", contexts=(Document("text"),)
)
BARE = AgentTrace(trace_id="b" * 32, dialects=("openllmetry",), service="shop")
HTTP = AgentTrace(trace_id="c" * 32, is_agent=False)


def coverage_of(*views):
    return Coverage(tuple(cover(view, SPECS) for view in views))


def test_a_trace_says_which_facts_it_has_and_what_cannot_run():
    """The reasons are those that the scores would carry."""
    full, bare = coverage_of(FULL, BARE).traces
    assert full.facts["answer"]
    assert full.facts["context_text"]
    assert full.metrics == {"length": None, "grounding": None}
    assert not bare.facts["answer"]
    assert bare.metrics == {"length": "no_answer", "grounding": "no_answer"}


def test_advice_is_for_what_is_missing_only():
    """Traces that have everything, or would not be scored, need no advice."""
    assert coverage_of(FULL, HTTP).advice() == []
    (advice,) = coverage_of(FULL, BARE).advice()
    assert advice.startswith("OpenLLMetry")


def test_the_rendering_counts_over_all_agent_traces():
    """Totals leave out what would not be scored."""
    out = StringIO()
    Console(file=out, width=160).print(render(coverage_of(FULL, BARE, HTTP)))
    text = out.getvalue()
    assert "2 agent traces, 1 other trace" in text
    assert "no_answer (1)" in text
    assert "1 of 2" in text
    assert "not an agent: would not be scored" in text


def test_nothing_to_cover_is_said():
    """Without any agent trace there are no shares to show."""
    out = StringIO()
    Console(file=out, width=160).print(render(coverage_of(HTTP)))
    assert "0 agent traces" in out.getvalue()
