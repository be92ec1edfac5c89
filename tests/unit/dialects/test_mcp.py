from scorer.dialects.mcp import DIALECT


def test_a_tool_call_is_read_from_the_keys_of_the_conventions(span, view):
    """Client and server spans carry the name, and by choice what went in and came out."""
    attributes = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.arguments": '{"q": "x"}',
        "gen_ai.tool.call.result": '{"content": [{"type": "text", "text": "found"}]}',
    }
    (call,) = view(span("1", attributes, name="tools/call search")).tool_calls
    assert (call.name, call.arguments, call.result) == ("search", {"q": "x"}, "found")
    assert call.status == "success"


def test_a_result_that_says_it_is_an_error_is_one(span, view):
    """The protocol answers well while the tool failed."""
    attributes = {
        "mcp.method.name": "tools/call",
        "mcp.request.argument": '{"params": {"name": "search", "arguments": {"q": "x"}}}',
        "mcp.response.value": '{"isError": true, "content": [{"type": "text", "text": "no"}]}',
    }
    (call,) = view(span("1", attributes, name="search.mcp")).tool_calls
    assert (call.name, call.arguments, call.status) == ("search", {"q": "x"}, "error")


def test_other_methods_are_no_tool_calls(span, view):
    """A handshake or a list of tools is nothing that an agent did."""
    for method in ("initialize", "tools/list", "ping", None, 5):
        assert DIALECT.read(span("1", {"mcp.method.name": method}), ()).role is None
    assert view(span("1", {"mcp.method.name": "tools/list"})).tool_calls is None


def test_client_server_and_execution_are_one_call(span, view):
    """The framework, the client and the server report it, with transport spans in between."""
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    result = {"gen_ai.tool.call.result": "found", "gen_ai.tool.call.arguments": '{"q": 1}'}
    execution = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    (call,) = view(
        span("1", execution),
        span("2", mcp, parent="1"),
        span("3", {"http.request.method": "POST"}, parent="2"),
        span("4", {**mcp, **result}, parent="3"),
    ).tool_calls
    assert (call.span_id, call.arguments, call.result) == ("1", {"q": 1}, "found")


def test_two_calls_of_one_tool_are_two(span, view):
    """Siblings do not repeat each other."""
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    assert len(view(span("1", mcp), span("2", mcp)).tool_calls) == 2
