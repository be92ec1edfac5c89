import pytest
from msgspec.structs import replace

from scorer.dialects.gaps import find_gaps
from scorer.dialects.tree import build_tree


@pytest.fixture
def gaps(view, trace_of, dialects):
    def found(*spans, logs=()):
        trace = trace_of(spans, logs)
        return find_gaps(trace, view(*spans, logs=logs), build_tree(trace, dialects).nodes)

    return found


CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
COUNTED = {**CHAT, "gen_ai.usage.input_tokens": 5}


def test_content_that_may_be_in_log_records_is_missed_there(span, log, gaps):
    """They are sent apart, and may never come."""
    assert gaps(span("1", COUNTED)) == ("content_in_logs_missing",)
    assert gaps(span("1", COUNTED), logs=[log("1", "x", {})]) == ("content_not_captured",)


def test_redacted_and_cut_content_is_told(span, gaps):
    """It is not the same as content that was never captured."""
    hidden = {"openinference.span.kind": "LLM", "input.value": "__REDACTED__"}
    assert "content_redacted" in gaps(span("1", hidden))
    cut = {**COUNTED, "gen_ai.input.messages": '[{"role": "user", "content": "q"}, {"role": "as'}
    assert "content_truncated" in gaps(span("1", cut))


def test_usage_is_missing_or_of_a_parent(span, gaps):
    """A sum around calls that have none is less sure."""
    assert "usage_missing" in gaps(span("1", CHAT))
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 5}
    assert "usage_from_parent" in gaps(span("1", agent), span("2", CHAT, parent="1"))


def test_documents_may_be_ids_only(span, gaps):
    """The convention asks for no more."""
    found = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": '[{"id": "d"}]',
    }
    assert gaps(span("1", found)) == ("document_text_missing",)


def test_a_tool_without_content_is_told(span, gaps):
    """A judge of its arguments has nothing to read."""
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    assert gaps(span("1", tool)) == ("tool_arguments_missing", "tool_result_missing")


def test_a_result_from_a_message_is_tied_by_id_or_by_order(span, chat, gaps, words):
    """The latter is a guess, though mostly a right one."""
    said, asked, told = words
    for call_id in ("c1", None):
        history = [said("user", "q"), asked("f", {"a": 1}, call_id), told("r", call_id)]
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
        if call_id:
            tool["gen_ai.tool.call.id"] = call_id
        found = gaps(span("1", tool), chat("2", history, [said("assistant", "a")]))
        assert "tool_result_by_message" in found
        assert ("tool_result_by_order" in found) == (call_id is None)


def test_a_missing_root_is_told(span, view, trace_of, dialects):
    """Its question may be on it."""
    trace = trace_of((span("1", COUNTED),))
    absent = replace(trace.completeness, root_present=False)
    seen = replace(view(*trace.spans), completeness=absent)
    assert "root_missing" in find_gaps(trace, seen, build_tree(trace, dialects).nodes)
