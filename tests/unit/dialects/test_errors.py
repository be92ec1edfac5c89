import pytest

from scorer.dialects.errors import plain_message
from scorer.model.agent_trace import ErrorInfo

CHAT = {"gen_ai.operation.name": "chat"}


def exception(kind, message="m"):
    return ("exception", {"exception.type": kind, "exception.message": message})


def test_a_span_status_is_a_failure(span, view):
    """The type comes from the attribute or the exception."""
    result = view(span("1", {**CHAT, "error.type": "TimeoutError"}, status=2, message="late"))
    assert result.errors == (ErrorInfo("1", "TimeoutError", "late"),)
    assert result.has_error


@pytest.mark.parametrize(
    "kind", ["langgraph.errors.ParentCommand", "GraphInterrupt", "asyncio.CancelledError"]
)
def test_control_flow_is_no_failure(span, view, kind):
    """LangGraph hands over by raising, streams end by cancellation."""
    assert not view(span("1", CHAT, status=2, events=[exception(kind)])).has_error
    assert not view(span("1", CHAT, status=1, events=[exception(kind)])).has_error
    assert not view(span("1", {**CHAT, "error.type": kind}, status=2)).has_error


def test_an_exception_on_a_span_without_status_is_a_failure(span, view):
    """Not every instrumentation sets the status."""
    assert view(span("1", CHAT, events=[exception("ValueError")])).has_error


def test_an_exception_on_a_span_that_is_ok_was_handled(span, view):
    """The instrumentation has the last word."""
    assert not view(span("1", CHAT, status=1, events=[exception("ValueError")])).has_error


def test_a_retried_request_below_a_model_call_is_no_failure(span, view):
    """Only spans that some dialect knows count, and those around them."""
    http = span("2", {"http.response.status_code": 500}, parent="1", status=2)
    assert not view(span("1", CHAT), http).has_error
    assert view(span("1", status=2), span("2", CHAT, parent="1")).has_error


def test_an_error_only_in_the_text_of_a_result_is_no_failure_of_the_run(span, view):
    """The tool failed, the run did not show it."""
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "f",
        "gen_ai.tool.call.result": "Error: no",
    }
    result = view(span("1", tool))
    assert result.tool_calls[0].status == "error"
    assert not result.has_error


@pytest.mark.parametrize(
    "message",
    [
        "no city",
        "ValueError('no city')Traceback (most recent call last):\n  File x",
        "no city\nTraceback (most recent call last):\n  File x",
        "no city\n\nError: no city\n    at f (file:///x.mjs:1:1)",
        "tools.NoCity('no city')",
    ],
)
def test_a_message_is_told_without_its_stack(message):
    """Python and JavaScript put it behind the message, LangChain a repr before it."""
    assert plain_message(message) == "no city"


def test_a_message_that_is_a_stack_alone_stays():
    """Something must be told."""
    message = "Traceback (most recent call last):\n  File x"
    assert plain_message(message) == message


def test_control_flow_shows_in_a_message_too(span, view):
    """LangSmith gives every exception the same type, and the repr as its message."""
    events = [exception("Exception", "ParentCommand(Command(graph='p'))Traceback ...")]
    assert not view(span("1", CHAT, status=2, events=events)).has_error
    assert view(span("1", CHAT, status=2, events=[exception("Exception", "Error(1)")])).has_error
