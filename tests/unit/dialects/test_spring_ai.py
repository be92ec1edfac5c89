def test_a_chat_client_is_read(span, view):
    """Around the model call; tools and vector stores have keys of their own."""
    client = {
        "spring.ai.kind": "chat_client",
        "gen_ai.system": "spring_ai",
        "gen_ai.operation.name": "framework",
        "spring.ai.chat.client.conversation.id": "c",
    }
    store = {
        "spring.ai.kind": "vector_store",
        "db.vector.query.content": "q",
        "db.vector.query.response.documents": '["d1", "d2"]',
    }
    tool = {
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "f",
        "spring.ai.tool.call.arguments": '{"a": 1}',
        "spring.ai.tool.call.result": '"r"',
    }
    model = {
        "gen_ai.operation.name": "chat",
        "gen_ai.system": "openai",
        "gen_ai.response.model": "m",
        "gen_ai.prompt": '["q"]',
        "gen_ai.completion": '["a"]',
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
    }
    seen = view(
        span("1", client),
        span("2", store, parent="1"),
        span("3", tool, parent="1"),
        span("4", model, parent="1"),
    )
    assert (seen.question, seen.answer, seen.session_id) == ("q", "a", "c")
    assert [document.text for document in seen.contexts] == ["d1", "d2"]
    assert (seen.models, seen.usage.input) == (("m",), 7)
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("f", {"a": 1}, "r")


def test_a_failed_tool_call_has_the_error_of_its_span(span, view):
    """Nothing else tells it."""
    tool = {"spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": "f"}
    (call,) = view(span("1", tool, status=2, message="no")).tool_calls
    assert (call.status, call.result) == ("error", "no")


def test_what_is_broken_says_nothing(span, view):
    """Content is off by default, and a kind may be new."""
    attributes = {"spring.ai.kind": "new", "db.vector.query.response.documents": 5}
    seen = view(span("1", attributes))
    assert (seen.question, seen.contexts, seen.is_agent) == (None, None, False)
