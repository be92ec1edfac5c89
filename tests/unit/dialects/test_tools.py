import pytest


def tool(**fields):
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", **fields}


ID, ARGUMENTS, RESULT = (
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
)
CHAT = {"gen_ai.operation.name": "chat"}


def test_a_tool_span_is_a_call(span, view):
    """With parsed arguments, result, times and the span's id."""
    attributes = tool(**{ID: "c1", ARGUMENTS: '{"a": 1}', RESULT: '"r"'})
    (call,) = view(span("5", attributes)).tool_calls
    assert (call.name, call.id, call.arguments, call.result) == ("f", "c1", {"a": 1}, "r")
    assert (call.status, call.span_id) == ("success", "5")
    assert call.start_ns < call.end_ns


def test_arguments_that_do_not_parse_are_kept_with_the_reason(span, view):
    """A judge must see what the model wrote."""
    (call,) = view(span("1", tool(**{ARGUMENTS: '{"a": '}))).tool_calls
    assert call.arguments == '{"a": '
    assert call.arguments_parse_error


@pytest.mark.parametrize(
    ("fields", "attributes", "status"),
    [
        ({"status": 2}, {}, "error"),
        ({}, {"error.type": "ValueError"}, "error"),
        ({}, {"gen_ai.tool.status": "error", RESULT: "r"}, "error"),
        ({}, {"gen_ai.tool.status": "success", RESULT: "Error: r"}, "success"),
        ({}, {RESULT: '{"error": "no"}'}, "error"),
        ({}, {RESULT: "Error: no"}, "error"),
        ({}, {RESULT: "r"}, "success"),
        ({}, {}, "success"),
        (
            {"status": 2, "events": [("exception", {"exception.type": "ParentCommand"})]},
            {},
            "success",
        ),
    ],
)
def test_the_status_comes_from_what_says_most(span, view, fields, attributes, status):
    """Explicit status, span status, error type, error envelope, else it went well."""
    (call,) = view(span("1", tool(**attributes), **fields)).tool_calls
    assert call.status == status


def test_the_result_of_a_failed_tool_is_what_came_back(span, chat, view, words):
    """The message to the model, or the cause where the model was told less."""
    said, asked, told = words
    exception = ("exception", {"exception.type": "ValueError", "exception.message": "no city"})

    def result(message):
        history = [said("user", "q"), asked("f", {}, "c1"), told(message, "c1")]
        failed = span("1", tool(**{ID: "c1"}), status=2, events=[exception])
        return view(failed, chat("2", history)).tool_calls[0].result

    assert result("Error: no city") == "Error: no city"
    assert result("Error: Function failed.") == "no city"


def test_messages_alone_tell_of_a_call(chat, view, words):
    """Bare clients have no tool spans."""
    said, asked, told = words
    history = [said("user", "q"), asked("f", '{"a": 1}', "c1"), told("r", "c1")]
    (call,) = view(chat("1", history, [said("assistant", "a")])).tool_calls
    assert (call.name, call.arguments, call.result, call.status) == ("f", {"a": 1}, "r", "success")
    assert call.span_id is None


def test_a_call_is_counted_once_however_often_it_is_told(span, chat, view, words):
    """Requested, executed, and repeated in every later history."""
    said, asked, told = words
    history = [said("user", "q"), asked("f", {}, "c1"), told("r", "c1")]
    result = view(
        chat("1", history[:1], [asked("f", {}, "c1")]),
        span("2", tool()),
        chat("3", history),
        chat("4", history),
    )
    (call,) = result.tool_calls
    assert (call.span_id, call.id, call.result) == ("2", "c1", "r")


def test_a_request_without_a_result_counts_only_if_the_model_was_called_again(chat, view, words):
    """The run went on, so something executed it."""
    said, asked, _ = words
    request = chat("1", [said("user", "q")], [asked("f", {}, "c1")])
    assert view(request).tool_calls is None
    (call,) = view(request, chat("2", None, [said("assistant", "a")])).tool_calls
    assert (call.result, call.status) == (None, None)


def test_a_protocol_client_repeats_the_call(span, view):
    """MCP reports below the tool that executes it."""
    client = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "f"}
    assert len(view(span("1", tool()), span("2", client, parent="1")).tool_calls) == 1


def test_arguments_without_names_get_those_of_the_request(span, chat, view, words):
    """A decorator records a Python call by position."""
    _, asked, _ = words
    attributes = {"traceloop.span.kind": "tool", "traceloop.entity.name": "f"}
    attributes["traceloop.entity.input"] = '{"args": ["Oslo"], "kwargs": {}}'
    request = chat("1", None, [asked("f", {"city": "Oslo"})])
    (call,) = view(request, span("2", attributes)).tool_calls
    assert call.arguments == {"city": "Oslo"}
    other = chat("1", None, [asked("f", {"city": "Rome"})])
    (call,) = view(other, span("2", attributes)).tool_calls
    assert call.arguments == {"args": ["Oslo"]}


def test_a_failure_inside_is_that_of_the_call(span, view):
    """The span around it has handled the exception."""
    outer = tool(**{RESULT: "no city"})
    inner = span("2", tool(), parent="1", status=2, message="no city")
    (call,) = view(span("1", outer), inner).tool_calls
    assert (call.result, call.status) == ("no city", "error")
