"""Evaluator telemetry is never scored; an agent that is annotated with scores is."""

import json

import pytest

AGENT = {"gen_ai.operation.name": "invoke_agent"}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
SCORE = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 0.1}
KIND = "openinference.span.kind"
MARKS = [
    {KIND: "EVALUATOR"},
    {"gen_ai.operation.name": "evaluate"},
    {"gen_ai.operation.name": "evaluation"},
    {"langfuse.observation.type": "evaluator"},
    {"langfuse.environment": "langfuse-llm-as-a-judge"},
    {"mlflow.spanType": '"EVALUATOR"'},
    {"mlflow.trace.sourceScorer": "relevance_judge"},
    {"ai.observability.span_type": "eval_root"},
    {"ai.observability.span_type": "eval"},
    {"ai.observability.span_type": "eval_decision"},
    {"genkit:metadata:subtype": "evaluator"},
    {"lmnr.span.type": "EVALUATOR"},
    SCORE,
]


@pytest.mark.parametrize("mark", MARKS, ids=json.dumps)
def test_a_trace_of_an_evaluator_is_no_agent(view, span, mark):
    """Neither it nor the judge that it calls is scored."""
    seen = view(span("1", mark), span("2", CHAT, parent="1"), span("3", mark, parent="ff"))
    assert not seen.is_agent
    assert seen.llm_calls == ()


@pytest.mark.parametrize("mark", MARKS, ids=json.dumps)
def test_an_evaluator_inside_an_agent_feeds_no_metric(view, span, mark):
    """The agent is scored as if the evaluator was not there."""
    agent = (
        span("1", AGENT, end=50),
        span("2", CHAT | {"gen_ai.usage.input_tokens": 5}, parent="1"),
    )
    judge = (
        span("5", mark, parent="1"),
        span("6", CHAT | {"gen_ai.usage.input_tokens": 900}, parent="5"),
    )
    assert view(*agent, *judge).usage == view(*agent).usage
    assert len(view(*agent, *judge).llm_calls) == 1


@pytest.mark.parametrize(
    "own", [{"scope": "spanscore"}, {"service": "spanscore"}], ids=["scope", "service"]
)
def test_our_own_spans_are_no_agents(view, span, own):
    """Whatever they hold."""
    assert not view(span("1", AGENT, **own), span("2", CHAT, parent="1", **own)).is_agent


@pytest.mark.parametrize(
    "mark",
    [
        {"langfuse.observation.type": "generation"},
        {"langfuse.environment": "production"},
        {"mlflow.spanType": '"AGENT"'},
        {"mlflow.trace.sourceScorer": ""},
        {"mlflow.trace.sourceScorer": None},
        {"ai.observability.span_type": "record_root"},
        {"langfuse.environment": 7},
        SCORE,
    ],
    ids=json.dumps,
)
def test_an_agent_with_such_an_attribute_is_one(view, span, mark):
    """The products mark agents too, and anybody may annotate a span with scores."""
    assert view(span("1", AGENT | mark), span("2", CHAT, parent="1")).is_agent


def test_scores_on_an_agents_spans_change_nothing_that_a_metric_reads(view, span):
    """Attributes and span events with scores are left out."""
    events = [("gen_ai.evaluation.result", SCORE | {"content": "said by no one"})]
    annotated = view(span("1", AGENT | SCORE, events=events), span("2", CHAT | SCORE, parent="1"))
    assert annotated == view(span("1", AGENT), span("2", CHAT, parent="1"))


def test_a_score_in_an_event_makes_no_agent(view, span):
    """Of a span without anything else."""
    seen = view(span("1", {}, events=[("gen_ai.evaluation.result", SCORE)]))
    assert (seen.is_agent, seen.dialects) == (False, ())


def test_a_plain_root_with_scores_stays_when_an_agent_is_below(view, span):
    """Who runs agents or tools is judged; a judge calls a model only."""
    below = (span("2", AGENT, parent="1"), span("3", CHAT, parent="2"))
    seen = view(span("1", SCORE), *below)
    assert seen.root_span_id == "1"
    assert len(seen.llm_calls) == 1


def test_scores_of_spans_in_a_parent_loop_end(view, span):
    """Broken parents do no harm here either."""
    looped = (span("1", SCORE, parent="2"), span("2", SCORE, parent="1"))
    assert view(*looped, span("3", AGENT, parent="1")).is_agent
