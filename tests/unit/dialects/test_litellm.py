from scorer.dialects.litellm import DIALECT
from scorer.model.agent_trace import Message, RequestedCall, Usage

USER = {"role": "user", "content": "q"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def raw(response_id, messages, message, tokens):
    """Return the attributes of a raw request: Python reprs under the name of the provider."""
    usage = {"prompt_tokens": tokens, "completion_tokens": 2, "total_tokens": tokens + 2}
    return {
        "llm.openai.messages": repr(messages),
        "llm.openai.choices": repr([{"index": 0, "message": message}]),
        "llm.openai.id": response_id,
        "llm.openai.model": "m",
        "llm.openai.usage": repr(usage),
    }


def test_a_raw_request_is_a_model_call(span):
    """Its values are Python reprs."""
    facts = DIALECT.read(span("1", raw("r1", [USER], ASKED, 5)), ())
    assert facts.input_messages == (Message("user", "q"),)
    assert facts.output_messages == (
        Message("assistant", None, (RequestedCall("f", {"a": 1}, "c1"),)),
    )
    assert (facts.response_id, facts.response_model, facts.usage) == ("r1", "m", Usage(5, 2, 7))


def test_calls_inside_a_span_of_the_application_are_all_counted(span, view):
    """On that span one call overwrites the other."""
    kept = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.id": "r1",
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
    }
    told = {"role": "tool", "tool_call_id": "c1", "content": "r"}
    reply = {"role": "assistant", "content": "a"}
    result = view(
        span("1", kept),
        span("2", raw("r1", [USER], ASKED, 5), parent="1"),
        span("3", raw("r2", [USER, ASKED, told], reply, 7), parent="1"),
    )
    assert (result.question, result.answer) == ("q", "a")
    assert result.usage == Usage(12, 4, 16)
    (call,) = result.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")


def test_a_failed_tool_is_told_in_the_next_request(span, view):
    """There is no span of it."""
    told = {"role": "tool", "tool_call_id": "c1", "content": "Error: no"}
    reply = {"role": "assistant", "content": "a"}
    (call,) = view(span("1", raw("r2", [USER, ASKED, told], reply, 7))).tool_calls
    assert (call.status, call.result) == ("error", "Error: no")


def test_a_broken_repr_is_no_message(span):
    """It may be cut; the call itself still counts."""
    attributes = {"llm.openai.messages": "[{'role': 'user', 'cont", "llm.openai.id": "r1"}
    facts = DIALECT.read(span("1", attributes), ())
    assert (facts.role, facts.response_id) == ("llm", "r1")
    assert facts.output_messages is None


def test_cached_tokens_of_anthropic_are_part_of_the_input(span):
    """The provider counts them beside it."""
    usage = {"input_tokens": 48, "output_tokens": 2, "cache_read_input_tokens": 16}
    attributes = {
        "llm.anthropic.messages": repr([USER]),
        "llm.anthropic.content": repr([{"type": "text", "text": "a"}]),
        "llm.anthropic.usage": repr(usage),
    }
    facts = DIALECT.read(span("1", attributes), ())
    assert facts.usage == Usage(64, 2, cache_read=16)
    assert facts.output_messages == (Message("assistant", "a"),)
