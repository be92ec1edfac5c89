import json

import pytest

from scorer.dialects.messages import Content
from scorer.dialects.observation import (
    call_arguments,
    handed_over,
    observed,
    recorded_messages,
    words,
)
from scorer.model.agent_trace import Document, Handoff, Message, RequestedCall

CALL = RequestedCall("f", {"a": 1}, "c1")
OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


def read(value, role="user"):
    return recorded_messages(value, role, Content())


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]},
        [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
        {"instructions": "s", "input": [{"role": "user", "content": "q"}]},
        {"instructions": "s", "input": "q"},
        {"system": "s", "messages": [{"role": "user", "content": [{"type": "text", "text": "q"}]}]},
        {
            "config": {"system_instruction": "s"},
            "contents": [{"role": "user", "parts": [{"text": "q"}]}],
        },
        {"system": "s", "prompt": "q"},
    ],
)
def test_requests_of_every_provider_are_messages(request_):
    """OpenAI (both APIs), Anthropic, Gemini, Vercel; a map or its text."""
    expected = (Message("system", "s"), Message("user", "q"))
    assert read(request_) == read(json.dumps(request_)) == expected


@pytest.mark.parametrize(
    "response",
    [
        {
            "choices": [
                {"message": {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}}
            ]
        },
        {
            "output": [
                {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}
            ]
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
        },
        {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [{"function_call": {"id": "c1", "name": "f", "args": {"a": 1}}}],
                    }
                }
            ]
        },
        {
            "generations": [
                [
                    {
                        "text": "",
                        "message": {
                            "id": ["x", "AIMessage"],
                            "kwargs": {
                                "content": "",
                                "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1"}],
                            },
                        },
                    }
                ]
            ]
        },
    ],
)
def test_responses_of_every_provider_are_messages(response):
    """OpenAI (both APIs), Anthropic, Gemini, LangChain."""
    (message,) = read(response, "assistant")
    assert (message.role, message.tool_calls, message.text) == ("assistant", (CALL,), None)


@pytest.mark.parametrize("value", [None, "", "null", 3, {}, [], {"a": 1}])
def test_what_holds_no_message_gives_none(value):
    """Nothing is guessed."""
    assert read(value) is None


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ('{"args": [], "kwargs": {"a": 1}}', {"a": 1}),
        ('{"args": [2], "kwargs": {"a": 1}}', {"args": [2], "a": 1}),
        ('{"args": [], "kwargs": {"a": 1, "ctx": "<C object at 0x1>"}}', {"a": 1}),
        ('{"a": 1}', '{"a": 1}'),
        ("", None),
    ],
)
def test_the_record_of_a_python_call_is_opened(given, arguments):
    """Arguments that are objects of a framework are no arguments of the tool."""
    assert call_arguments(given) == arguments


def test_a_tool_has_arguments_and_a_result():
    """As recorded; `null` stands for nothing."""
    facts = observed("tool", '{"a": 1}', "null", Content(), "s")
    assert facts == {"tool_arguments": '{"a": 1}', "tool_result": None}


def test_a_retriever_has_a_query_and_documents():
    """A query in, documents out."""
    facts = observed("retrieval", '{"query": "q"}', '[{"content": "a", "id": "d"}]', Content(), "s")
    assert facts["input_text"] == '{"query": "q"}'
    assert facts["documents"] == (Document("a", "d", None, 0, "s"),)


def test_a_handing_over_names_its_agents():
    """Under the names of the OpenAI Agents SDK."""
    assert handed_over('{"from_agent": "a"}', '{"to_agent": "b"}') == Handoff("a", "b")
    assert handed_over('{"from_agent": "a"}', None) is None


@pytest.mark.parametrize("value", [None, "", "null", "{}", "[]", '""', "__REDACTED__"])
def test_placeholders_say_nothing(value):
    """They stand where nothing was captured."""
    assert words(value) is None


def test_a_call_may_be_recorded_as_a_repr():
    """Its arguments are opened all the same."""
    assert call_arguments("{'args': [], 'kwargs': {'a': 1}}") == {"a": 1}
    assert call_arguments("{broken") == "{broken"
