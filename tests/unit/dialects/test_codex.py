import random

from msgspec.structs import replace

S = 1_000_000_000
ID = {"conversation.id": "c-1", "model": "gpt-codex"}


def records(log):
    events = [
        ("codex.conversation_starts", {}),
        ("codex.user_prompt", {"prompt": "fix it", "prompt_length": 6}),
        (
            "codex.sse_event",
            {
                "event.kind": "response.completed",
                "input_token_count": "100",
                "output_token_count": "20",
                "cached_token_count": "40",
                "reasoning_token_count": "5",
            },
        ),
        ("codex.sse_event", {"event.kind": "response.output_item.done"}),
        ("codex.tool_decision", {"tool_name": "shell", "call_id": "t1", "decision": "approved"}),
        (
            "codex.tool_result",
            {
                "tool_name": "shell",
                "call_id": "t1",
                "arguments": '{"command": ["ls"]}',
                "duration_ms": "500",
                "success": "true",
                "output": "a.py",
            },
        ),
    ]
    return [
        replace(log("", name, None, **{**ID, **fields}), time_ns=(10 + number) * S)
        for number, (name, fields) in enumerate(events)
    ]


def test_a_session_is_read_from_its_log_records(log, view):
    """There is no span at all."""
    seen = view(logs=records(log))
    assert (seen.question, seen.answer, seen.agent) == ("fix it", None, "codex")
    assert (seen.session_id, seen.models) == ("c-1", ("gpt-codex",))
    usage = seen.usage
    assert (usage.input, usage.output, usage.cache_read, usage.reasoning) == (100, 20, 40, 5)
    (call,) = seen.tool_calls
    assert (call.name, call.id, call.arguments) == ("shell", "t1", {"command": ["ls"]})
    assert (call.result, call.status) == ("a.py", "success")
    assert call.end_ns - call.start_ns == S // 2
    assert seen.dialects == ("codex",)


def test_order_and_repetition_change_nothing(log, view):
    """Exporters retry, and batches overtake each other."""
    given = records(log)
    mixed = given + given[2:4]
    random.Random(3).shuffle(mixed)
    assert view(logs=mixed) == view(logs=given)


def test_what_is_broken_says_nothing(log, view):
    """A redacted prompt is no question; a failed tool is one."""
    failed = {"tool_name": ["x"], "success": "false", "duration_ms": "long", "output": "no"}
    seen = view(
        logs=[
            log("", "codex.user_prompt", None, **ID, prompt="[REDACTED]"),
            log("", "codex.tool_result", None, **{**ID, "conversation.id": 5}, **failed),
            log("", "codex.sse_event", None, **{"event.kind": "response.completed"}),
        ]
    )
    assert seen.question is None
    assert [call.status for call in seen.tool_calls] == ["error"]
    assert seen.usage is None
