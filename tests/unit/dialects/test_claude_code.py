from msgspec.structs import replace

S = 1_000_000_000
ID = {"session.id": "s-1", "user.id": "u-1"}


def record(log, name, second, span_id="", **fields):
    made = log(span_id, "", f"claude_code.{name}", **{"event.name": name, **ID, **fields})
    return replace(made, time_ns=second * S)


def records(log):
    return [
        record(log, "user_prompt", 1, prompt="q"),
        record(
            log,
            "api_request",
            3,
            model="claude-x",
            input_tokens="10",
            output_tokens="5",
            cache_read_tokens="100",
            cache_creation_tokens="20",
            cost_usd="0.25",
            request_id="r1",
            duration_ms="1000",
        ),
        record(
            log,
            "tool_result",
            4,
            tool_name="Bash",
            tool_use_id="t1",
            success="true",
            tool_input='{"command": "ls"}',
        ),
        record(log, "assistant_response", 5, response="a", request_id="r1"),
    ]


def test_a_session_is_read_from_its_log_records(log, view):
    """Its input tokens leave out cached ones, which are input all the same."""
    seen = view(logs=records(log))
    assert (seen.question, seen.answer, seen.agent) == ("q", "a", "claude_code")
    assert (seen.session_id, seen.user_id, seen.cost_usd) == ("s-1", "u-1", 0.25)
    assert (seen.usage.input, seen.usage.output, seen.usage.cache_read) == (130, 5, 100)
    (call,) = seen.tool_calls
    assert (call.name, call.id, call.arguments) == ("Bash", "t1", {"command": "ls"})


def spans(span):
    base = {"span.type": "x", **ID}
    return [
        span("1", {**base, "span.type": "interaction"}, name="claude_code.interaction", end=10_000),
        span(
            "2",
            {
                **base,
                "model": "claude-x",
                "request_id": "r1",
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_read_tokens": 100,
                "stop_reason": "end_turn",
            },
            parent="1",
            name="claude_code.llm_request",
        ),
        span(
            "3",
            {**base, "tool_name": "Bash", "tool_use_id": "t1"},
            parent="1",
            name="claude_code.tool",
        ),
        span("4", {**base, "success": True}, parent="3", name="claude_code.tool.execution"),
    ]


def test_log_records_complete_the_spans(span, log, view):
    """They bring the cost and what was said, and nothing is counted twice."""
    seen = view(*spans(span), logs=records(log))
    assert (seen.question, seen.answer, seen.cost_usd) == ("q", "a", 0.25)
    assert (len(seen.llm_calls), seen.usage.input) == (1, 110)
    (call,) = seen.tool_calls
    assert (call.span_id, call.arguments) == ("3", {"command": "ls"})


def test_spans_alone_have_no_content(span, view):
    """It is in the log records only."""
    seen = view(*spans(span))
    assert (seen.question, seen.answer, seen.cost_usd) == (None, None, None)
    assert len(seen.tool_calls) == 1


def test_an_error_of_the_model_is_an_error(log, view):
    """The records say so; a redacted prompt is no question."""
    seen = view(
        logs=[
            record(log, "user_prompt", 1, prompt="<REDACTED>"),
            record(log, "api_error", 2, error="overloaded", model="claude-x"),
            record(log, "tool_result", 3, tool_name="Bash", success="false", error="no"),
        ]
    )
    assert seen.question is None
    assert {error.message for error in seen.errors} >= {"overloaded"}
    assert [call.status for call in seen.tool_calls] == ["error"]
