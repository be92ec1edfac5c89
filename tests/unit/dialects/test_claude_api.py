SCOPE = "com.anthropic.sdk.python"


def test_the_spans_of_client_and_platform_are_one_call(span, view):
    """The scope and the name tell what they are."""
    usage = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    seen = view(
        span("1", usage, name="anthropic.messages.create", scope=SCOPE),
        span(
            "2",
            usage,
            parent="1",
            name="anthropic.messages.create",
            scope="com.anthropic.claude-platform",
        ),
        span("3", name="anthropic.tool_use search", scope=SCOPE),
    )
    assert (len(seen.llm_calls), seen.usage.input) == (1, 7)
    assert [call.name for call in seen.tool_calls] == ["search"]


def test_other_spans_of_the_scope_have_no_role(span, view):
    """Listing files is nothing that an agent did."""
    assert not view(span("1", name="anthropic.files.list", scope=SCOPE)).is_agent
    assert view(span("1", name="anthropic.messages.create", scope="app")).dialects == ()
