import json

import pytest

from scorer.dialects.evidence import MAX_KEYS, evidence, told_by
from scorer.dialects.reader import reader


@pytest.fixture
def sources(view, trace_of, dialects):
    def found(*spans, logs=()):
        return evidence(trace_of(spans, logs), view(*spans, logs=logs), dialects)

    return found


def test_each_fact_names_its_span_and_keys(span, chat, sources, words):
    """So that a user can see why a fact is as it is."""
    said, _, _ = words
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "f",
        "gen_ai.tool.call.arguments": "{}",
        "gen_ai.tool.call.result": "r",
    }
    more = {"gen_ai.usage.input_tokens": 5, "gen_ai.conversation.id": "c"}
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
    found = sources(
        span("1", agent),
        span("2", tool, parent="1"),
        chat("3", [said("user", "q")], [said("assistant", "a")], more=more, parent="1"),
    )
    assert found["question"] == [{"span_id": "3", "keys": ["gen_ai.input.messages"]}]
    assert found["answer"] == [{"span_id": "3", "keys": ["gen_ai.output.messages"]}]
    assert found["session_id"] == [{"span_id": "3", "keys": ["gen_ai.conversation.id"]}]
    assert found["usage"] == [{"span_id": "3", "keys": ["gen_ai.usage.input_tokens"]}]
    assert found["models"] == [{"span_id": "3", "keys": ["gen_ai.request.model"]}]
    assert found["agents"] == [{"span_id": "1", "keys": ["gen_ai.agent.name"]}]
    (call,) = found["tool_calls"]
    assert call["span_id"] == "2"
    assert set(call["keys"]) >= {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
    assert (found["user_id"], found["cost_usd"], found["gaps"]) == ([], [], [])


def test_events_and_log_records_are_evidence(span, log, sources):
    """Content often stands there."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    event = ("gen_ai.user.message", {"content": "q"})
    record = log("1", "gen_ai.choice", {"message": {"content": "a"}})
    found = sources(span("1", attributes, events=[event]), logs=[record])
    assert found["question"] == [{"span_id": "1", "keys": ["event:gen_ai.user.message"]}]
    assert found["answer"] == [{"span_id": "1", "keys": ["log:gen_ai.choice"]}]


def test_a_span_of_very_many_attributes_names_none(span, dialects):
    """The search takes time with their square."""
    attributes = {f"gen_ai.prompt.{n}.content": "x" for n in range(MAX_KEYS + 1)}
    assert told_by(span("1", attributes), (), reader(dialects)) == {}


def test_a_view_without_facts_has_no_evidence(span, sources):
    """Only gaps."""
    found = sources(span("1", {"http.request.method": "GET"}))
    assert not any(found.values())
    assert json.dumps(found)
