import pytest

from scorer.model.agent_trace import Media, ToolDefinition

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


def test_the_dialects_that_read_a_span_are_named(span, view):
    """Sorted, each once."""
    both = {**CHAT, "openinference.span.kind": "LLM"}
    assert view(span("1", both), span("2", CHAT)).dialects == ("openinference", "otel_genai")


@pytest.mark.parametrize(
    ("attributes", "is_agent"),
    [
        (CHAT, True),
        ({"gen_ai.operation.name": "execute_tool"}, True),
        ({"gen_ai.operation.name": "retrieval"}, True),
        ({"gen_ai.operation.name": "embeddings"}, False),
        ({"gen_ai.operation.name": "create_agent", "gen_ai.agent.name": "a"}, False),
        ({"openinference.span.kind": "CHAIN"}, False),
        ({"http.method": "GET"}, False),
    ],
)
def test_a_trace_without_agent_model_tool_or_retrieval_is_no_agent(
    span, view, attributes, is_agent
):
    """Such a trace is passed on, not scored."""
    assert view(span("1", attributes)).is_agent is is_agent


def test_times_and_success_are_those_of_the_root(span, view):
    """Children may outlive it; without a root all spans count."""
    child = span("2", CHAT, parent="1", end=99)
    result = view(span("1", start=1, end=5, status=1), child)
    assert (result.duration_s, result.success, result.root_span_id) == (0.004, True, "1")
    assert view(span("1", status=2), child).success is False
    orphan = view(
        span("2", CHAT, parent="8", start=1, end=4), span("3", parent="9", start=2, end=7)
    )
    assert (orphan.duration_s, orphan.success, orphan.root_span_id) == (0.006, None, "2")


def test_the_model_is_the_one_that_answered(span, view):
    """Each once; the requested one where there was no response."""
    answered = {**CHAT, "gen_ai.response.model": "m-2"}
    assert view(span("1", answered), span("2", answered), span("3", CHAT)).models == ("m-2", "m")


def test_without_model_spans_the_agent_names_the_model(span, view):
    """Better than nothing."""
    agent = {**CHAT, "gen_ai.operation.name": "invoke_agent"}
    assert view(span("1", agent)).models == ("m",)


def test_tool_definitions_are_gathered_over_all_calls(span, view):
    """Each name once."""
    offered = {**CHAT, "gen_ai.tool.definitions": '[{"name": "f"}]'}
    assert view(span("1", offered), span("2", offered)).tool_definitions == (ToolDefinition("f"),)


def test_media_are_listed_once_with_the_first_span_that_has_them(chat, view):
    """The picture is repeated in every later history."""
    messages = [
        {"role": "user", "parts": [{"type": "uri", "uri": "s3://b/k", "modality": "image"}]}
    ]
    result = view(chat("1", messages), chat("2", messages))
    assert result.media == (Media("image", "s3://b/k", None, "1"),)


def test_dropped_attributes_of_a_model_span_mean_cut_content(span, view):
    """An attribute count limit truncates long chats silently."""
    assert view(span("1", CHAT, dropped_attributes=3)).completeness.truncated_content
    assert not view(span("1", CHAT)).completeness.truncated_content
