def calls(view):
    return [(call.name, call.result) for call in view.tool_calls or ()]


def test_what_stands_before_the_last_user_message_belongs_to_an_earlier_run(chat, view, words):
    """A second turn repeats the history of the first."""
    said, asked, told = words
    first = [said("user", "q1"), asked("f", {}, "c1"), told("r1", "c1"), said("assistant", "a1")]
    second = [said("user", "q2"), asked("g", {}, "c2"), told("r2", "c2")]
    assert calls(view(chat("1", [*first, *second]))) == [("g", "r2")]


def test_two_ids_of_one_call_are_joined(chat, view, words):
    """The Responses API gives the item an id and the call another one."""
    said, asked, told = words
    result = view(
        chat("1", [said("user", "q")], [asked("f", {"a": 1}, "fc_1")]),
        chat("2", [said("user", "q"), asked("f", {"a": 1}, "call_1"), told("r", "call_1")]),
    )
    assert calls(result) == [("f", "r")]


def test_equal_calls_with_different_ids_are_different_calls(chat, view, words):
    """A model may try the same thing twice."""
    said, asked, told = words
    history = [
        said("user", "q"),
        asked("f", {}, "c1"),
        told("r1", "c1"),
        asked("f", {}, "c2"),
        told("r2", "c2"),
    ]
    result = view(
        chat("1", history[:1], [asked("f", {}, "c1")]),
        chat("2", history[:3], [asked("f", {}, "c2")]),
        chat("3", history),
    )
    assert calls(result) == [("f", "r1"), ("f", "r2")]


def test_a_result_without_an_id_belongs_to_the_first_open_call(chat, view, words):
    """Some instrumentations drop the id of the tool message."""
    said, asked, told = words
    both = asked("f", {}, "c1")
    both["parts"].extend(asked("g", {}, "c2")["parts"])
    history = [said("user", "q"), both, told("rf"), told("rg")]
    assert calls(view(chat("1", history))) == [("f", "rf"), ("g", "rg")]


def test_without_model_calls_the_messages_of_wrapper_spans_tell(span, view):
    """Some frameworks record the whole conversation in one output."""
    output = (
        '{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": '
        '[{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}, '
        '{"role": "tool", "tool_call_id": "c1", "content": "r"}, '
        '{"role": "assistant", "content": "a"}]}'
    )
    result = view(span("1", {"openinference.span.kind": "CHAIN", "output.value": output}))
    assert calls(result) == [("f", "r")]
    assert result.answer == "a"
    assert result.is_agent


def test_a_history_without_the_requests_tells_results_by_order(chat, view, words):
    """Some instrumentations drop the messages that call tools, with the ids of the calls."""
    said, asked, _ = words
    result = [{"role": "tool", "content": text} for text in ("rain", "sun")]
    seen = view(
        chat("1", [said("user", "q")], [asked("weather", {"city": "Oslo"}, "c1")]),
        chat("2", [said("user", "q"), result[0]], [asked("weather", {"city": "Rome"}, "c2")]),
        chat("3", [said("user", "q"), *result], [said("assistant", "a")]),
    )
    assert [(call.arguments["city"], call.result) for call in seen.tool_calls] == [
        ("Oslo", "rain"),
        ("Rome", "sun"),
    ]
