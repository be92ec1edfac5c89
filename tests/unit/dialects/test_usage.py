import pytest

from scorer.dialects.usage import inclusive
from scorer.model.agent_trace import Usage

KIND = "openinference.span.kind"


def tokens(prompt, completion, **more):
    names = {"gen_ai.usage.input_tokens": prompt, "gen_ai.usage.output_tokens": completion}
    return {"gen_ai.operation.name": "chat", **names, **more}


AGENT = {**tokens(30, 3), "gen_ai.operation.name": "invoke_agent"}


@pytest.mark.parametrize(
    ("usage", "prompt"),
    [
        (Usage(10, 2, None, 4), 10),  # fewer cached than input: included
        (Usage(10, 2, None, 40), 50),  # more cached than input: input excludes them
        (Usage(10, 2, 18, 4, 2), 16),  # 18 - 2 - 10 = 4 + 2: the total counts them beside input
        (Usage(10, 2, 12, 4, 2), 10),  # 10 + 2 = 12: included
        (Usage(10, 2, 15, None, None, 3), 10),  # the rest are reasoning tokens
    ],
)
def test_input_includes_cached_tokens(usage, prompt):
    """Prices and limits are meant for all prompt tokens."""
    assert inclusive(usage).input == prompt


def test_only_model_calls_are_summed(span, view):
    """The agent's span repeats the sum of its calls."""
    result = view(
        span("1", AGENT), span("2", tokens(10, 1), parent="1"), span("3", tokens(20, 2), parent="1")
    )
    assert result.usage == Usage(30, 3, 33)


def test_a_parent_counts_when_no_call_has_usage(span, view):
    """A sum is better than nothing, and the inner sum is part of the outer one."""
    outer, inner = dict(AGENT), {**AGENT, "gen_ai.usage.input_tokens": 5}
    result = view(span("1", outer), span("2", inner, parent="1"), span("3", inner))
    assert result.usage == Usage(35, 6, 41)


def test_the_same_response_is_counted_once(span, view):
    """Two instrumentations report one call, as siblings or as parent and child."""
    same = tokens(10, 1, **{"gen_ai.response.id": "r1"})
    other = tokens(7, 1, **{"gen_ai.response.id": "r2"})
    result = view(span("1", same), span("2", same), span("3", same, parent="1"), span("4", other))
    assert result.usage == Usage(17, 2, 19)


def test_embedding_tokens_are_not_prompt_tokens(span, view):
    """They are another model's and another price."""
    embedding = {**tokens(99, 0), "gen_ai.operation.name": "embeddings"}
    assert view(span("1", embedding), span("2", tokens(1, 1))).usage == Usage(1, 1, 2)
    assert view(span("1", embedding)).usage is None


def test_a_measured_zero_differs_from_nothing(span, view):
    """None means that nobody counted."""
    assert view(span("1", tokens(0, 0))).usage == Usage(0, 0, 0)
    assert view(span("1", {"gen_ai.operation.name": "chat"})).usage is None


def test_costs_are_summed_over_calls(span, view):
    """The agent's own cost repeats them."""
    result = view(
        span("1", {KIND: "AGENT", "llm.cost.total": 9.0}),
        span("2", {KIND: "LLM", "llm.cost.total": 0.25}, parent="1"),
        span("3", {KIND: "LLM", "llm.cost.total": 0.5}, parent="1"),
    )
    assert result.cost_usd == 0.75
    assert view(span("1", {KIND: "AGENT", "llm.cost.total": 9.0})).cost_usd == 9.0
