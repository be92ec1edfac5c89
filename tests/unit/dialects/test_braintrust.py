import json

ABOUT, IN, OUT = "braintrust.span_attributes", "braintrust.input_json", "braintrust.output_json"


def llm(**more):
    return {
        ABOUT: '{"type": "llm"}',
        IN: '[{"role": "user", "content": "q"}]',
        OUT: '[{"index": 0, "message": {"role": "assistant", "content": "a"}}]',
        "braintrust.metadata": json.dumps({"model": "m", "provider": "openai", "user_id": "u"}),
        "braintrust.metrics": '{"prompt_tokens": 9, "completion_tokens": 2, "tokens": 11}',
        **more,
    }


def test_a_model_call_is_read(span, view):
    """Messages, model and counts are JSON documents."""
    seen = view(span("1", llm()))
    assert (seen.question, seen.answer, seen.models, seen.user_id) == ("q", "a", ("m",), "u")
    assert (seen.usage.input, seen.usage.output, seen.usage.total) == (9, 2, 11)


def test_scores_are_left_out(span, view):
    """An evaluation is no run of an agent."""
    seen = view(span("1", {ABOUT: '{"type": "score"}', OUT: "0.5"}), span("2", llm(), parent="1"))
    assert (seen.question, seen.llm_calls) == (None, ())


def test_what_is_broken_says_nothing(span, view):
    """Half a document, or another type, is not read."""
    seen = view(
        span(
            "1", {ABOUT: '{"ty', IN: '[{"ro', "braintrust.metrics": "[]", "braintrust.metadata": 3}
        )
    )
    assert (seen.question, seen.answer, seen.usage) == (None, None, None)


def test_a_tool_is_named_by_its_span(span, view):
    """With its input and output."""
    (call,) = view(
        span("1", {ABOUT: '{"type": "tool"}', IN: '{"a": 1}', OUT: '"r"'}, name="f")
    ).tool_calls
    assert (call.name, call.arguments, call.result) == ("f", {"a": 1}, "r")
