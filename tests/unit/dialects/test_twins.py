OI, OTEL = "openinference.instrumentation.langchain", "opentelemetry.instrumentation.langchain"
KIND = "openinference.span.kind"
COUNTS = {"llm.token_count.prompt": 9, "llm.token_count.completion": 2}
USAGE = {"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 2}


def one(span, span_id, answer="a", **more):
    attributes = {KIND: "LLM", **COUNTS, "llm.output_messages.0.message.role": "assistant"}
    attributes["llm.output_messages.0.message.content"] = answer
    return span(span_id, attributes, **{"scope": OI, "start": 100, "end": 200, **more})


def other(chat, words, span_id, answer="a", **more):
    said, _, _ = words
    fields = {"scope": OTEL, "start": 101, "end": 201, "more": USAGE, **more}
    return chat(span_id, None, [said("assistant", answer)], **fields)


def test_what_two_instrumentations_report_side_by_side_is_one_call(span, chat, view, words):
    """Neither span lies below the other; their tokens count once."""
    seen = view(one(span, "1"), other(chat, words, "2"))
    assert len(seen.llm_calls) == 1
    assert (seen.usage.input, seen.usage.output) == (9, 2)
    assert set(seen.dialects) == {"openinference", "otel_genai"}


def test_calls_of_one_instrumentation_stay_apart(span, view):
    """Parallel calls may well give the same answer."""
    assert len(view(one(span, "1"), one(span, "2", start=101)).llm_calls) == 2


def test_calls_that_differ_stay_apart(span, chat, view, words):
    """In what they say, in their counts, or in time."""
    fewer = {"gen_ai.usage.input_tokens": 8, "gen_ai.usage.output_tokens": 2}
    for twin in (
        other(chat, words, "2", answer="b"),
        other(chat, words, "2", more=fewer),
        other(chat, words, "2", start=160, end=260),
    ):
        assert len(view(one(span, "1"), twin).llm_calls) == 2


def test_the_next_call_finds_its_own_twin(span, chat, view, words):
    """Two calls, each reported twice, are two calls."""
    later = {"start": 300, "end": 400}
    seen = view(
        one(span, "1"),
        other(chat, words, "2"),
        one(span, "3", **later),
        other(chat, words, "4", **later),
    )
    assert [call.span_id for call in seen.llm_calls] == ["1", "3"]


def run(span, span_id, scope, arguments, **more):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    attributes["gen_ai.tool.call.arguments"] = arguments
    return span(span_id, attributes, **{"scope": scope, "start": 10, "end": 12, **more})


def test_a_tool_run_that_is_reported_twice_counts_once(span, view):
    """One of them may show a single argument without its name."""
    for arguments in ('{"city": "Oslo"}', "Oslo"):
        (call,) = view(
            run(span, "1", OI, arguments), run(span, "2", OTEL, '{"city": "Oslo"}')
        ).tool_calls
        assert call.span_id == "1"


def test_parallel_runs_with_other_arguments_stay_apart(span, view):
    """Two cities are two calls, however many report them."""
    spans = [
        run(span, "1", OI, '{"city": "Oslo"}'),
        run(span, "2", OI, '{"city": "Rome"}'),
        run(span, "3", OTEL, '{"city": "Oslo"}'),
        run(span, "4", OTEL, '{"city": "Rome"}'),
    ]
    seen = view(*spans)
    assert [call.arguments["city"] for call in seen.tool_calls] == ["Oslo", "Rome"]
    assert view(*reversed(spans)) == seen


def test_a_twin_that_began_first_may_stand_later_in_the_tree(span, view):
    """The first span of the tree order gives the call, wherever its twin is."""
    outer = {"traceloop.span.kind": "workflow"}
    (call,) = view(
        span("1", outer, start=1, end=50),
        run(span, "2", OI, "{}", parent="1", start=11, end=13),
        span("3", outer, start=2, end=40),
        run(span, "4", OTEL, "{}", parent="3"),
    ).tool_calls
    assert call.span_id == "2"


def test_counts_without_cached_tokens_are_the_same_counts(span, chat, view, words):
    """One instrumentation counts cached tokens as input, the other beside it."""
    usage = '{"input": 5, "input_cached_tokens": 4, "output": 2, "total": 11}'
    attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.output": '{"role": "assistant", "content": "a"}',
        "langfuse.observation.usage_details": usage,
    }
    own = span("1", attributes, scope="langfuse-sdk", start=100, end=200)
    seen = view(own, other(chat, words, "2"))
    assert (len(seen.llm_calls), seen.usage.input) == (1, 9)
