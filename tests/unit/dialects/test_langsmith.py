import json

META = "langsmith.metadata."


def test_a_run_is_read_from_its_documents(span, view):
    """Inputs and outputs are one JSON document each; the conversation is in the metadata."""
    question = {"lc": 1, "id": ["x", "HumanMessage"], "kwargs": {"content": "q", "type": "human"}}
    answer = {"lc": 1, "id": ["x", "AIMessage"], "kwargs": {"content": "a", "type": "ai"}}
    root = {
        "langsmith.span.kind": "chain",
        "gen_ai.prompt": json.dumps({"messages": [{"role": "user", "content": "q"}]}),
        "langsmith.trace.session_id": "project",
        META + "thread_id": "t",
        META + "user_id": "u",
    }
    model = {
        "langsmith.span.kind": "llm",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.prompt": json.dumps({"messages": [[question]]}),
        "gen_ai.completion": json.dumps({"generations": [[{"text": "a", "message": answer}]]}),
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.input_token_details": '{"cache_read": 4}',
    }
    tool = {
        "langsmith.span.kind": "tool",
        "gen_ai.prompt": "{\"input\": \"{'city': 'Rome'}\"}",
        "gen_ai.completion": '{"output": "sunny"}',
    }
    seen = view(
        span("1", root),
        span("2", tool, parent="1", name="weather"),
        span("3", model, parent="1"),
    )
    assert (seen.question, seen.answer) == ("q", "a")
    assert (seen.session_id, seen.user_id) == ("t", "u")
    assert (seen.usage.input, seen.usage.output, seen.usage.cache_read) == (9, 2, 4)
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("weather", {"city": "Rome"}, "sunny")


def test_documents_in_events_are_read(span, view):
    """Older exporters put them there."""
    model = {"langsmith.span.kind": "llm"}
    events = [
        ("gen_ai.content.prompt", {"gen_ai.prompt": '{"messages": [["user", "q"]]}'}),
        ("gen_ai.content.completion", {"gen_ai.completion": '{"content": "a"}'}),
    ]
    seen = view(span("1", model, events=events))
    assert (seen.question, seen.answer) == ("q", "a")


def test_what_is_broken_says_nothing(span, view):
    """A project is no conversation, and half a document no text."""
    attributes = {
        "langsmith.span.kind": ["llm"],
        "gen_ai.prompt": '{"messages": [[{"ro',
        "langsmith.trace.session_id": "project",
        "langsmith.trace.name": "x",
    }
    seen = view(span("1", attributes))
    assert (seen.question, seen.session_id) == (None, None)


def test_a_chain_is_an_agent_by_its_name(span, view):
    """LangChain tells the name of the agent on every span of it."""
    attributes = {"langsmith.span.kind": "chain", META + "lc_agent_name": "helper"}
    assert [a.name for a in view(span("1", attributes, name="helper")).agents] == ["helper"]
    assert view(span("1", attributes, name="model")).agents == ()


def test_the_details_of_the_counts_are_in_the_metadata(span, view):
    """Newer versions tell cached tokens there alone."""
    usage = {"input_tokens": 9, "output_tokens": 2, "input_token_details": {"cache_read": 4}}
    attributes = {
        "langsmith.span.kind": "llm",
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 2,
        META + "usage_metadata": json.dumps(usage),
    }
    seen = view(span("1", attributes)).usage
    assert (seen.input, seen.output, seen.cache_read) == (9, 2, 4)
