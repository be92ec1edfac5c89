from scorer.dialects.session_logs import event_name, with_sessions


def test_the_full_name_may_stand_in_three_places(log):
    """Field, body or attribute; a short one is not enough."""
    assert event_name(log("", "codex.user_prompt", None)) == "codex.user_prompt"
    assert event_name(log("", "", "claude_code.api_request")) == "claude_code.api_request"
    assert event_name(log("", "", None, **{"event.name": "codex.x"})) == "codex.x"
    for record in (log("", "user_prompt", 5), log("", "", {"a": 1}, **{"event.name": 3})):
        assert not event_name(record)


def test_records_of_others_make_no_spans(span, log):
    """They stay with their span."""
    spans, by_span = with_sessions([span("1")], [log("1", "gen_ai.choice", {})])
    assert len(spans) == 1
    assert len(by_span["1"]) == 1


def test_a_session_inside_a_trace_hangs_below_the_span_that_ran_it(span, log):
    """A program may start the agent with its own context."""
    record = log("1", "codex.user_prompt", None, **{"conversation.id": "c", "prompt": "q"})
    spans, _ = with_sessions([span("1")], [record])
    assert [item.parent_span_id for item in spans] == ["", "1"]
