import json

import pytest

from scorer.dialects.messages import Content, read_messages
from scorer.model.agent_trace import Message, RequestedCall

CALL = RequestedCall("f", {"a": 1}, "c1")


def read(value, role="user"):
    return read_messages(value, Content(), role)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
        {"role": "user", "content": "hi"},
        {"role": "human", "content": [{"type": "text", "text": "hi"}]},
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "user", "parts": [{"text": "hi"}]},
        {"type": "human", "data": {"content": "hi"}},
        {"lc": 1, "id": ["m", "HumanMessage"], "kwargs": {"content": "hi"}},
        {"message.role": "user", "message.content": "hi"},
        ["user", "hi"],
        "Msg(_role=<Role.USER: 'user'>, _content=[TextContent(text='hi')])",
        "hi",
    ],
)
def test_a_user_message_is_read_from_every_shape(message):
    """Nine encodings, one message."""
    assert read([message]) == (Message("user", "hi"),)


@pytest.mark.parametrize(
    "message",
    [
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}}],
        },
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": '{"a": 1}'}}],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
        },
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": 1}}}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}}
            ],
        },
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'},
        {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "text", "content": "Call(type='function_call', name='f', call_id='c1', "
                "arguments='{\"a\": 1}')"}
            ],
        },
        {"type": "ai", "data": {"tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1"}]}},
    ],
)  # fmt: skip
def test_a_requested_call_is_read_from_every_shape(message):
    """The arguments are parsed, and a turn that only calls has no text."""
    assert read([message]) == (Message("assistant", None, (CALL,)),)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "ok"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": "ok"}]},
        {"content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]},
        {"content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "ok"}]}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ],
)  # fmt: skip
def test_a_tool_result_never_counts_as_a_user_message(message):
    """Anthropic and Bedrock send results under the role of the user."""
    assert read([message]) == (Message("tool", "ok", tool_call_id="c1"),)


def test_cut_json_is_read_as_far_as_it_goes_and_marked():
    """A length limit must not lose the messages before the cut."""
    content = Content()
    whole = json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x"}])
    assert read_messages(whole[:50], content)[0] == Message("user", "hi")
    assert content.truncated


def test_media_parts_are_gathered_beside_the_text():
    """A picture is a reference, not part of the text."""
    content = Content()
    parts = [{"type": "text", "content": "what?"}, {"type": "uri", "uri": "s3://b/k.png"}]
    assert read_messages([{"role": "user", "parts": parts}], content) == (Message("user", "what?"),)
    assert [media.ref for media in content.media] == ["s3://b/k.png"]


@pytest.mark.parametrize("value", [None, 3, True, "not json", "", "{"])
def test_what_is_no_message_list_gives_none(value):
    """An opaque string under a message key is not a conversation."""
    assert read(value) is None


def test_an_absurdly_nested_value_is_bounded():
    """Depth is limited; nothing recurses without end."""
    value: object = "x"
    for _ in range(200):
        value = [value]
    assert read(value) == ()
    assert read("[" * 100_000) is None
    assert read('{"message":' * 900 + '"x"' + "}" * 900) is not None


def test_what_holds_neither_role_nor_content_is_no_message():
    """An empty object in a history must not look like a word of the user."""
    assert read_messages(
        [{"role": "user", "content": "q"}, [{"id": "", "type": ""}]], Content()
    ) == (Message("user", "q"),)


def test_a_requested_function_among_the_content_is_a_call():
    """Langtrace puts the calls where the words stand."""
    part = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    (message,) = read_messages([{"role": "assistant", "content": [part]}], Content())
    assert message.tool_calls == (RequestedCall("f", {}, "c1"),)


def test_the_text_of_a_part_of_gemini_is_the_part():
    """Older instrumentations call `str()` on what is no text."""
    call = "function_call=FunctionCall(\n  args={'a': 1},\n  name='f'\n) text=None"
    given = "FunctionResponse(name='f', response={'result': 'r'})"
    result = f"function_call=None function_response={given} text=None"
    words = "function_call=None text='hi' thought=None"
    history = [
        {"role": role, "parts": [{"type": "text", "text": text}]}
        for role, text in (("model", call), ("user", result), ("user", words))
    ]
    asked, told, said = read_messages(history, Content())
    assert asked.tool_calls == (RequestedCall("f", {"a": 1}),)
    assert (told.role, told.name, told.text) == ("tool", "f", '{"result":"r"}')
    assert (said.role, said.text) == ("user", "hi")
