import json


def component(kind, name, given, returned):
    return {
        "haystack.component.type": kind,
        "haystack.component.name": name,
        "haystack.component.input": json.dumps(given),
        "haystack.component.output": json.dumps(returned),
    }


REPLY = {
    "role": "assistant",
    "content": [{"text": "a"}],
    "meta": {"model": "m", "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
}


def test_a_pipeline_is_read(span, view):
    """The class of a component says what it does."""
    pipeline = {"haystack.pipeline.input_data": json.dumps({"retriever": {"query": "q"}})}
    documents = {"documents": [{"id": "1", "content": "d1", "score": 0.5, "meta": {}}]}
    asked = {"messages": [{"role": "user", "content": [{"text": "q"}]}]}
    seen = view(
        span("1", pipeline, name="haystack.pipeline.run"),
        span(
            "2",
            component("InMemoryBM25Retriever", "retriever", {"query": "q"}, documents),
            parent="1",
            name="haystack.component.run",
        ),
        span(
            "3",
            component("OpenAIChatGenerator", "llm", asked, {"replies": [REPLY]}),
            parent="1",
            name="haystack.component.run",
        ),
    )
    assert (seen.question, seen.answer) == ("q", "a")
    assert [document.text for document in seen.contexts] == ["d1"]
    assert (seen.models, seen.usage.input, seen.usage.output) == (("m",), 7, 3)


def test_the_steps_of_an_agent_are_read(span, view):
    """They are spans without component keys."""
    asked = {"messages": [{"role": "user", "content": [{"text": "q"}]}]}
    model = {
        "haystack.agent.step.llm.input": json.dumps(asked),
        "haystack.agent.step.llm.output": json.dumps({"replies": [REPLY]}),
    }
    tool = {
        "haystack.tool.name": "f",
        "haystack.agent.step.tool.input": '{"a": 1}',
        "haystack.agent.step.tool.output": "r",
    }
    seen = view(
        span("1", {"haystack.agent.max_steps": 5}, name="haystack.agent.run"),
        span("2", tool, parent="1", name="haystack.agent.step.tool"),
        span("3", model, parent="1", name="haystack.agent.step.llm"),
    )
    assert (seen.question, seen.answer, seen.usage.input) == ("q", "a", 7)
    (call,) = seen.tool_calls
    assert (call.name, call.arguments, call.result) == ("f", {"a": 1}, "r")


def test_without_content_there_is_structure_only(span, view):
    """Content tracing is off by default."""
    attributes = {"haystack.component.type": "OpenAIChatGenerator", "haystack.component.name": "x"}
    seen = view(span("1", attributes, name="haystack.component.run"))
    assert len(seen.llm_calls) == 1
    assert (seen.question, seen.usage) == (None, None)


def test_a_step_marks_a_failed_tool(span, view):
    """Haystack tells the model and goes on."""
    attributes = {"haystack.tool.name": "f", "haystack.tool.error": True}
    (call,) = view(span("1", attributes, name="haystack.agent.step.tool")).tool_calls
    assert (call.name, call.status) == ("f", "error")


def test_an_agent_without_a_component_has_no_name(span, view):
    """The name of the span is Haystack's."""
    given = {"haystack.agent.input": '{"messages": [{"role": "user", "content": [{"text": "q"}]}]}'}
    seen = view(span("1", given, name="haystack.agent.run", scope="haystack"))
    assert (seen.agents, seen.question, seen.is_agent) == ((), "q", True)
