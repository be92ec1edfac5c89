A = "ai.observability."


def kind(name, **fields):
    return {A + "span_type": name, **{A + key: value for key, value in fields.items()}}


def test_a_record_is_read(span, view):
    """Question and answer are on the root of the record."""
    seen = view(
        span(
            "1",
            kind(
                "record_root",
                conversation_id="c",
                **{"record_root.input": "q", "record_root.output": "a"},
            ),
        ),
        span(
            "2",
            kind(
                "retrieval",
                **{"retrieval.query_text": "q", "retrieval.retrieved_contexts": ["d1", "d2"]},
            ),
            parent="1",
        ),
        span(
            "3",
            kind(
                "tool",
                **{
                    "call.function": "app.Tools.weather",
                    "call.kwargs": '{"self": "<Tools object>", "city": "Rome"}',
                    "call.return": "sunny",
                },
            ),
            parent="1",
        ),
        span(
            "4",
            kind(
                "generation",
                **{
                    "cost.model": "m",
                    "cost.num_prompt_tokens": 7,
                    "cost.num_completion_tokens": 3,
                    "cost.cost": 0.5,
                    "cost.cost_currency": "USD",
                },
            ),
            parent="1",
        ),
    )
    assert (seen.question, seen.answer, seen.session_id) == ("q", "a", "c")
    assert [document.text for document in seen.contexts] == ["d1", "d2"]
    assert (seen.usage.input, seen.usage.output, seen.cost_usd) == (7, 3, 0.5)
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("weather", {"city": "Rome"}, "sunny")


def test_a_failed_record_is_an_error(span, view):
    """It is told by an attribute, not by the status."""
    seen = view(span("1", kind("record_root", **{"record_root.error": "boom"})))
    assert seen.has_error
    assert seen.errors[0].message == "boom"


def test_an_evaluation_is_not_scored(span, view):
    """Feedback functions run on records that are already there."""
    seen = view(
        span("1", kind("eval_root", **{"call.return": "0.9"})),
        span("2", kind("generation"), parent="1"),
    )
    assert not seen.is_agent


def test_another_currency_is_no_cost(span, view):
    """Snowflake counts credits."""
    fields = {"cost.cost": 0.5, "cost.cost_currency": "Snowflake credits"}
    assert view(span("1", kind("generation", **fields))).cost_usd is None
