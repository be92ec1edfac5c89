import json

import pytest

from scorer.dialects.vercel_ai import DIALECT
from scorer.model.agent_trace import Message, RequestedCall, ToolDefinition, Usage

ID = "ai.operationId"


def read(span, attributes):
    return DIALECT.read(span("1", attributes), ())


def spans_of(span, *, failing=False):
    """Return the spans of a function with two model calls, and a tool that works or fails."""
    asked = [{"role": "user", "content": [{"type": "text", "text": "q"}]}]
    part = {"toolCallId": "c1", "toolName": "f"}
    output = {"type": "error-text", "value": "no"} if failing else {"type": "text", "value": "r"}
    history = [
        *asked,
        {"role": "assistant", "content": [{"type": "tool-call", **part, "input": {"a": 1}}]},
        {"role": "tool", "content": [{"type": "tool-result", **part, "output": output}]},
    ]
    tool = {ID: "ai.toolCall", "ai.toolCall.name": "f", "ai.toolCall.id": "c1"}
    tool["ai.toolCall.args"] = '{"a":1}'
    if not failing:
        tool["ai.toolCall.result"] = '"r"'
    call = {"ai.model.id": "m", "ai.usage.inputTokens": 5, "ai.usage.outputTokens": 2}
    return (
        span(
            "1",
            {
                ID: "ai.generateText",
                "ai.telemetry.functionId": "w",
                "ai.telemetry.metadata.sessionId": "s",
                "ai.telemetry.metadata.userId": "u",
                "ai.prompt": '{"system":"be brief","prompt":"q"}',
                "ai.response.text": "a",
                "ai.usage.inputTokens": 10,
                "ai.usage.outputTokens": 4,
            },
        ),
        span(
            "2",
            {
                ID: "ai.generateText.doGenerate",
                **call,
                "ai.prompt.messages": json.dumps(asked),
                "ai.response.toolCalls": json.dumps([{**part, "input": '{"a": 1}'}]),
            },
            parent="1",
        ),
        span("3", tool, parent="1", status=2 if failing else 0, message="no" if failing else ""),
        span(
            "4",
            {
                ID: "ai.generateText.doGenerate",
                **call,
                "ai.prompt.messages": json.dumps(history),
                "ai.response.text": "a",
            },
            parent="1",
        ),
    )


def test_a_run_is_read_as_a_whole(span, view):
    """The usage of the outer span is the sum of the calls, so it is not counted."""
    result = view(*spans_of(span))
    assert (result.question, result.answer) == ("q", "a")
    assert [agent.name for agent in result.agents] == ["w"]
    assert (result.models, result.usage) == (("m",), Usage(10, 4, 14))
    assert (result.session_id, result.user_id, result.has_error) == ("s", "u", False)
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")


def test_a_failed_tool_has_its_result_in_the_next_prompt(span, view):
    """Its own span holds none."""
    result = view(*spans_of(span, failing=True))
    (call,) = result.tool_calls
    assert (call.status, call.result, result.has_error) == ("error", "no", True)


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("ai.streamText", "workflow"),
        ("ai.streamText.doStream", "llm"),
        ("ai.generateObject", "workflow"),
        ("ai.embedMany.doEmbed", "embedding"),
        ("ai.rerank", "rerank"),
        ("ai.other", None),
        (3, None),
    ],
)
def test_the_operation_gives_the_role(span, operation, role):
    """A function without an id is no agent."""
    assert read(span, {ID: operation}).role == role


def test_older_keys_are_read(span):
    """Before version 5: results, prompt and completion tokens, args of calls."""
    attributes = {
        ID: "ai.generateText.doGenerate",
        "ai.result.text": "a",
        "ai.result.toolCalls": '[{"toolCallId": "c1", "toolName": "f", "args": "{}"}]',
        "ai.usage.promptTokens": 5,
        "ai.usage.completionTokens": 2,
    }
    facts = read(span, attributes)
    assert facts.output_messages == (Message("assistant", "a", (RequestedCall("f", {}, "c1"),)),)
    assert facts.usage == Usage(5, 2)


def test_tools_and_times_are_read(span):
    """Each tool is a JSON text of its own; times are milliseconds."""
    tool = '{"type":"function","name":"f","inputSchema":{"type":"object"}}'
    attributes = {
        ID: "ai.streamText.doStream",
        "ai.prompt.tools": [tool],
        "ai.response.msToFirstChunk": 250,
        "ai.response.finishReason": "tool-calls",
    }
    facts = read(span, attributes)
    assert facts.tool_definitions == (ToolDefinition("f", {"type": "object"}),)
    assert (facts.time_to_first_chunk, facts.finish_reasons) == (0.25, ("tool-calls",))


def test_a_buffer_is_the_same_picture_as_its_base64_text(span):
    """The outer span holds the bytes, the inner one the text."""
    buffer = {"type": "image", "image": {"type": "Buffer", "data": [1, 2, 3]}}
    encoded = {"type": "file", "mediaType": "image/png", "data": "AQID"}
    found = [
        read(
            span,
            {
                ID: "ai.generateText",
                "ai.prompt": json.dumps({"messages": [{"role": "user", "content": [part]}]}),
            },
        ).media
        for part in (buffer, encoded)
    ]
    digests = {media.ref.partition("sha256=")[2] for (media,) in found}
    assert len(digests) == 1
    assert [media.kind for (media,) in found] == ["image", "image"]
