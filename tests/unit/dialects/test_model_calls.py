from scorer.model.agent_trace import Message, Usage

KIND = "openinference.span.kind"
TOKENS = {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": "m-2",
    "gen_ai.usage.input_tokens": 5,
}


def test_the_hook_and_the_client_give_one_call(span, view):
    """The outer span has the messages, the inner one the counts."""
    outer = {KIND: "LLM", "input.value": "q", "llm.model_name": "m"}
    (call,) = view(span("1", outer, end=9), span("2", TOKENS, parent="1")).llm_calls
    assert (call.span_id, call.model, call.usage) == ("1", "m-2", Usage(5))
    assert call.input_messages == (Message("user", "q"),)


def test_a_span_around_several_calls_is_no_call(span, view):
    """A generate function that loops over tools sums up its steps."""
    result = view(span("1", TOKENS), span("2", TOKENS, parent="1"), span("3", TOKENS, parent="1"))
    assert [call.span_id for call in result.llm_calls] == ["2", "3"]


def test_a_call_inside_a_tool_of_a_call_is_another_call(span, view):
    """A client that calls tools itself may run an agent in one."""
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    result = view(span("1", TOKENS), span("2", tool, parent="1"), span("3", TOKENS, parent="2"))
    assert [call.span_id for call in result.llm_calls] == ["1", "3"]


def test_a_call_knows_its_agent_and_its_error(span, view):
    """The nearest agent around it owns a call."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
    failed = {**TOKENS, "error.type": "TimeoutError"}
    (call,) = view(span("1", agent), span("2", failed, parent="1", status=2)).llm_calls
    assert (call.agent, call.error_type) == ("a", "TimeoutError")


def test_a_sum_over_children_is_not_the_usage_of_a_call(span, view):
    """It counts only where nothing else does."""
    summed = {"gen_ai.operation.name": "chat", "gen_ai.aggregated_usage.input_tokens": 9}
    assert view(span("1", summed), span("2", TOKENS)).usage == Usage(5)
    assert view(span("1", summed)).usage == Usage(9)
