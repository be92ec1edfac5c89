"""What a metric needs, and the reason that is given when it is not there."""

from typing import get_args

import pytest

from scorer.api import (
    AgentTrace,
    Document,
    ErrorInfo,
    LlmCall,
    Media,
    Message,
    Need,
    Reference,
    Spending,
    ToolCall,
    Usage,
)
from scorer.scoring.applicability import missing_need

EMPTY = AgentTrace(trace_id="t")


def trace(**fields):
    return AgentTrace(trace_id="t", **fields)


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        ("question", "no_question"),
        ("consent", "no_consent"),
        ("sensitive_values", "no_sensitive_values"),
        ("spending", "no_epsilon"),
        ("answer", "no_answer"),
        ("contexts", "no_contexts"),
        ("context_text", "no_contexts"),
        ("tool_calls", "no_tool_calls"),
        ("llm_calls", "no_llm_calls"),
        ("usage", "no_usage"),
        ("duration", "no_duration"),
        ("outputs", "no_outputs"),
        ("reference_answer", "no_reference"),
        ("reference_caption", "no_reference"),
        ("reference_transcript", "no_reference"),
        ("media", "no_media"),
        ("image", "no_image"),
        ("video", "no_video"),
    ],
)
def test_an_empty_trace_lacks_everything(need, reason):
    """Each need has its own reason."""
    assert missing_need(EMPTY, [need]) == reason


def test_every_need_is_known():
    """The API's list and this file agree."""
    for need in get_args(Need):
        assert missing_need(EMPTY, [need]) is not None


@pytest.mark.parametrize(
    ("need", "fields"),
    [
        ("question", {"question": ""}),
        ("answer", {"answer": ""}),
        ("consent", {"consent": {"email": False}}),
        ("spending", {"spending": (Spending(span_id="a", epsilon=0.0),)}),
        ("sensitive_values", {"sensitive": {"email": "a@b.com"}}),
        ("contexts", {"contexts": (Document(None, "d1"),)}),
        ("context_text", {"contexts": (Document(None, "d1"), Document("text"))}),
        ("tool_calls", {"tool_calls": (ToolCall(name="t"),)}),
        ("llm_calls", {"llm_calls": (LlmCall(span_id="s"),)}),
        ("usage", {"usage": Usage(0, 0, 0)}),
        ("duration", {"start_ns": 5, "end_ns": 5}),
        ("outputs", {"answer": ""}),
        ("outputs", {"messages": (Message("assistant", "x"),)}),
        ("outputs", {"errors": (ErrorInfo("s"),)}),
        ("outputs", {"tool_calls": (ToolCall(name="t", arguments={}),)}),
        (
            "outputs",
            {"llm_calls": (LlmCall(span_id="s", output_messages=(Message("assistant", "x"),)),)},
        ),
        ("reference_answer", {"reference": Reference(answer="x")}),
        ("reference_caption", {"reference": Reference(caption="x")}),
        ("reference_transcript", {"reference": Reference(transcript="x")}),
        ("media", {"media": (Media("document", "x"),)}),
        ("image", {"media": (Media("image", "x"),)}),
        ("video", {"media": (Media("image", "x"), Media("video", "y"))}),
    ],
)
def test_what_was_captured_meets_the_need(need, fields):
    """Captured and empty is captured: "" and 0 count."""
    assert missing_need(trace(**fields), [need]) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": (Message("user", "x"), Message("assistant"))},
        {"tool_calls": (ToolCall(name="t", status="success"),)},
        {"llm_calls": (LlmCall(span_id="s", output_messages=(Message("assistant"),)),)},
    ],
)
def test_a_trace_whose_content_is_not_captured_has_no_outputs(fields):
    """That there was a message or a call is not what it said: no perfect score for nothing."""
    assert missing_need(trace(**fields), ["outputs"]) == "no_outputs"


def test_documents_known_by_id_only_have_their_own_reason():
    """Content capture is off, not retrieval."""
    known_by_id = trace(contexts=(Document(None, "d1"),))
    assert missing_need(known_by_id, ["context_text"]) == "context_text_not_captured"


def test_the_first_need_that_is_not_met_is_named():
    """In the order in which the metric declares them."""
    assert missing_need(trace(answer="x"), ["answer", "usage", "question"]) == "no_usage"
