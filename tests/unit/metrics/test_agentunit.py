from datetime import UTC, datetime

import pytest

from metrics.agentunit import case_of, documented_score, mean_or_zero, text_of
from scorer.api import (
    AgentTrace,
    Document,
    ErrorInfo,
    Media,
    Reference,
    Spending,
    ToolCall,
    ToolDefinition,
    Usage,
)

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND

VIEW = AgentTrace(
    trace_id="t",
    case_id="case-7",
    question="q",
    answer="a",
    reference=Reference(answer="r"),
    contexts=(Document("c1"), Document(None, id="d")),
    tool_definitions=(ToolDefinition("search"),),
    tool_calls=(
        ToolCall(name="late", status="error", start_ns=START + 2 * SECOND, cost_usd=0.5),
        ToolCall(name="early", status="success", start_ns=START + SECOND, arguments={"x": 1}),
    ),
    errors=(ErrorInfo("s", "ValueError", "bad"),),
    media=(Media("image", "img.png"), Media("image", "second.png")),
    usage=Usage(input=1, output=2),
    cost_usd=0.25,
    success=False,
    start_ns=START,
    end_ns=START + 3 * SECOND,
)


def test_the_case_holds_what_was_asked_and_known():
    """Texts of contexts only, the first reference of each kind of media."""
    case, _, _ = case_of(VIEW)
    assert (case.id, case.query, case.expected_output) == ("case-7", "q", "r")
    assert (case.tools, case.context) == (["search"], ["c1"])
    assert case.metadata == {"image_path": "img.png"}


def test_events_are_in_time_order_and_the_response_is_last():
    """Each has a type, a payload, a datetime and Unix seconds."""
    _, trace, _ = case_of(VIEW)
    assert [event.type for event in trace.events] == [
        "prompt",
        "tool_call",
        "tool_call",
        "error",
        "agent_response",
    ]
    assert [e.payload["name"] for e in trace.events if e.type == "tool_call"] == ["early", "late"]
    first, last = trace.events[0], trace.events[-1]
    assert first.created_at == datetime.fromtimestamp(1_700_000_000, tz=UTC)
    assert last.timestamp - first.timestamp == 3.0
    assert trace.last_response() == "a"
    assert trace.to_dict()["events"][0]["payload"] == {"content": "q"}


def test_what_is_spent_of_a_privacy_budget_is_an_event():
    """One for each span that tells an epsilon; what is no number is none."""
    spent = [Spending(span_id="a", epsilon=0.5, end_ns=START), Spending(span_id="b", delta=1e-6)]
    spent.append(Spending(span_id="c", epsilon=float("nan")))
    _, trace, _ = case_of(AgentTrace(trace_id="t", spending=tuple(spent)))
    assert [(event.type, event.payload) for event in trace.events] == [
        ("privacy_usage", {"privacy_epsilon": 0.5})
    ]


def test_metadata_and_outcome_hold_only_what_was_measured():
    """An unknown cost or count is absent, not 0."""
    _, trace, outcome = case_of(VIEW)
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    assert trace.metadata == {"cost": 0.25, "usage": usage}
    assert (outcome.cost, outcome.usage) == (0.25, usage)
    assert (outcome.success, outcome.error, len(outcome.tool_calls)) == (False, "bad", 2)
    bare_case, bare_trace, bare_outcome = case_of(AgentTrace(trace_id="t"))
    assert (bare_case.id, bare_case.context, bare_trace.metadata) == ("t", None, {})
    assert not hasattr(bare_outcome, "cost")
    assert bare_trace.last_response() is None


def test_an_outcome_reads_as_its_text():
    """Metrics that take the string form of the outcome get the answer."""
    assert str(case_of(VIEW)[2]) == "a"
    assert str(case_of(AgentTrace(trace_id="t"))[2]) == ""


@pytest.mark.parametrize(
    ("outcome", "text"),
    [(None, ""), ("x", "x"), (["a", 1], "a\n1"), ({"k": "v"}, "k"), (42, "42")],
)
def test_the_text_of_an_outcome_is_the_originals(outcome, text):
    """A list is its lines, a map only its keys."""
    assert text_of(outcome) == text


def test_means_leave_out_none():
    """(1 + 0) / 2; nothing at all is 0, as in the original."""
    assert mean_or_zero([1.0, None, False]) == 0.5
    assert mean_or_zero([None]) == 0.0


def test_a_value_that_is_not_finite_is_a_failure():
    """NaN never leaves as a score; what goes into the detail is bounded."""

    class Broken:
        def evaluate(self, case, trace, outcome):
            from metrics.agentunit import MetricResult

            return MetricResult("broken", float("nan"), {"text": "x" * 999, "items": [1] * 999})

    result = documented_score(Broken(), VIEW)
    assert (result.status, result.reason) == ("failed", "not_finite")
    assert (len(result.detail["text"]), len(result.detail["items"])) == (201, 50)


def test_the_detail_of_the_documented_mode_is_masked():
    """It quotes the answer and tool arguments, in which personal data and secrets may stand."""

    class Quoting:
        def evaluate(self, case, trace, outcome):
            from metrics.agentunit import MetricResult

            leaky = {"answer": "SSN 078-05-1120", "calls": [{"card": 4111111111111111}]}
            return MetricResult("quoting", 1.0, leaky | {"ann@example.com": 5})

    detail = documented_score(Quoting(), VIEW).detail
    assert detail == {"answer": "SSN [ssn]", "calls": [{"card": "[credit_card]"}], "[email]": 5}
