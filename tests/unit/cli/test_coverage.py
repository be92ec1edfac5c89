from io import StringIO

from rich.console import Console

from scorer.api import AgentTrace, Completeness, Document, Message, Score
from scorer.cli.coverage import Coverage, cover, render


def score(metric, status="scored", reason=None, output="value"):
    return Score(
        id="", metric=metric, output=output, status=status, reason=reason, subject="t",
        value=1.0 if status == "scored" else None,
    )  # fmt: skip


FULL = AgentTrace(
    trace_id="a" * 32, dialects=("openinference",), answer="A", contexts=(Document("text"),)
)
BARE = AgentTrace(trace_id="b" * 32, dialects=("openllmetry",), service="shop")
HTTP = AgentTrace(trace_id="c" * 32, is_agent=False)


NO_ANSWER = ("not_applicable", "no_answer")
ALL = (score("length"), score("grounding"))
NONE = (score("length", *NO_ANSWER), score("grounding", *NO_ANSWER))


def coverage_of(*views):
    """Coverage where a trace without an answer has no score."""
    return Coverage(
        tuple(cover(view, (ALL if view.answer else NONE) * view.is_agent) for view in views)
    )


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


def test_the_status_is_that_of_the_score():
    """Only what the engine says counts; further outputs of a metric are no metrics."""
    scores = (
        score("cost", "not_applicable", "unknown_model_price"),
        score("slow", "failed", "timeout"),
        score("pii"),
        score("pii", "missing", "x", output="findings"),
    )
    expected = {"cost": "unknown_model_price", "slow": "failed/timeout", "pii": None}
    assert cover(BARE, scores).metrics == expected


def test_content_that_is_there_needs_no_switch():
    """A conversation without a final answer is not one without capture."""
    view = AgentTrace(
        trace_id="d" * 32, dialects=("openllmetry",), messages=(Message("user", "Q?"),)
    )
    (advice,) = coverage_of(view).advice()
    assert "TRACELOOP_TRACE_CONTENT" not in advice
    assert "content is captured" in advice


def test_cut_content_gets_a_hint_at_the_limits():
    """The limits of the SDK cut silently."""
    cut = Completeness(span_count=1, root_present=True, truncated_content=True)
    view = AgentTrace(trace_id="e" * 32, answer="A", completeness=cut)
    (advice,) = coverage_of(view).advice()
    assert "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT" in advice


def test_notes_come_first_and_need_no_agent_trace():
    """Where nothing is recognised, what was seen is all that can be told."""
    coverage = Coverage((cover(HTTP, ()),), ("what was seen",))
    assert coverage.advice() == ["what was seen"]
    out = StringIO()
    Console(file=out, width=160).print(render(coverage))
    assert "none known" in out.getvalue()
    assert "what was seen" in out.getvalue()
