import json

KIND, NAME = "traceloop.span.kind", "traceloop.entity.name"
IN, OUT = "traceloop.entity.input", "traceloop.entity.output"


def task(name, returned=None, **more):
    attributes = {KIND: "task", NAME: f"{name}.task", **more}
    return attributes if returned is None else {**attributes, OUT: json.dumps(returned)}


def output(result, *, failed=False):
    return {
        "blocks": [{"block_type": "text", "text": result}],
        "tool_name": "weather",
        "raw_input": {"args": [], "kwargs": {"city": "Oslo"}},
        "raw_output": result,
        "is_error": failed,
    }


def blocks(role, text):
    return {"role": role, "blocks": [{"block_type": "text", "text": text}]}


def test_a_step_that_gives_the_result_of_a_tool_ran_it(span, view):
    """And the step around it, which names the tool, is the same call."""
    given = {"tool_name": "weather", "tool_id": "c1", "tool_output": output("rain")}
    more = {"tool.name": "weather", "tool.arguments": '{"city": "Oslo"}'}
    outer = span("1", task("AgentWorkflow", given, **more))
    (call,) = view(outer, span("2", task("FunctionTool", output("rain")), parent="1")).tool_calls
    assert (call.name, call.id, call.arguments) == ("weather", "c1", {"city": "Oslo"})
    assert (call.result, call.status) == ("rain", "success")


def test_a_tool_step_tells_its_failure(span, view):
    """The mark in its result."""
    (call,) = view(span("1", task("FunctionTool", output("no city", failed=True)))).tool_calls
    assert (call.arguments, call.status) == ({"city": "Oslo"}, "error")


def test_the_steps_of_a_workflow_name_its_agents(span, view):
    """Question, answer, agents and the handoff are in what the steps gave."""
    asked = {"input": [blocks("user", "q")], "current_agent_name": "triage"}
    more = {"tool.name": "handoff", "tool.arguments": '{"to_agent": "billing"}'}
    done = {"result": {"response": blocks("assistant", "a")}}
    seen = view(
        span("1", {KIND: "workflow", NAME: "AgentWorkflow.workflow", OUT: json.dumps(done)}),
        span("2", task("AgentWorkflow", asked), parent="1"),
        span("3", task("AgentWorkflow", **more), parent="1"),
        span("4", task("AgentWorkflow", {**asked, "current_agent_name": "billing"}), parent="1"),
    )
    assert (seen.question, seen.answer) == ("q", "a")
    assert [agent.name for agent in seen.agents] == ["triage", "billing"]
    assert [(h.source, h.target) for h in seen.handoffs] == [("triage", "billing")]


def test_a_retriever_is_told_by_its_class(span, view):
    """Its nodes are JSON texts in a list."""
    nodes = [json.dumps({"node": {"id_": "n1", "text": "d1"}, "score": 0.5})]
    seen = view(span("1", task("VectorIndexRetriever", nodes, **{IN: '{"query_str": "q"}'})))
    assert [document.text for document in seen.contexts] == ["d1"]
    assert seen.question == "q"


def test_a_step_of_another_kind_is_a_step(span, view):
    """Broken or foreign outputs make no tool and no agent."""
    for returned in ("raw_output", {"raw_output": "x"}, {"current_agent_name": 1}, [1]):
        seen = view(span("1", task("Splitter", returned)))
        assert (seen.tool_calls, seen.agents, seen.contexts) == (None, (), None)


def test_pieces_of_a_text_are_no_answer(span, view):
    """A splitter gives a list of texts."""
    assert view(span("1", task("Splitter", ["one", "two"]))).answer is None
