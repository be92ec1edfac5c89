import json

from scorer.dialects.inspection import inspection

KEYS = [
    "trace_id",
    "dialects",
    "service",
    "question",
    "answer",
    "contexts",
    "tool_calls",
    "agents",
    "handoffs",
    "models",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "session_id",
    "user_id",
    "has_error",
    "span_count",
    "completeness",
    "media",
    "messages",
]


def test_an_empty_trace_has_all_keys_and_no_values(span, view):
    """Absent facts are null or empty lists."""
    shown = inspection(view(span("1")))
    assert list(shown) == KEYS
    assert shown["question"] is None
    assert shown["prompt_tokens"] is None
    assert shown["contexts"] is None
    assert shown["tool_calls"] is None
    assert shown["messages"] is None


def test_the_dict_is_json_as_it_stands(span, chat, view, words):
    """Agents are names, contexts texts, messages plain."""
    said, asked, told = words
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
    history = [said("user", "q"), asked("search_docs", {"x": 1}, "c1"), told("found", "c1")]
    model = chat("2", history, [said("assistant", "so")], parent="1")
    shown = json.loads(json.dumps(inspection(view(span("1", agent), model))))
    assert shown["agents"] == ["a"]
    assert shown["contexts"] == ["found"]
    assert shown["tool_calls"] == [
        {"name": "search_docs", "arguments": {"x": 1}, "result": "found", "status": "success"}
    ]
    assert shown["messages"][1] == {
        "role": "assistant",
        "text": None,
        "tool_calls": [{"id": "c1", "name": "search_docs", "arguments": {"x": 1}}],
    }
    assert (shown["question"], shown["answer"], shown["span_count"]) == ("q", "so", 2)
