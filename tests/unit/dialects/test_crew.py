from scorer.dialects.crew import crew_request


def test_a_crew_is_asked_for_its_last_task_with_the_inputs_filled_in():
    """The template stays unfilled in the attribute."""
    attributes = {
        "crew_tasks": '[{"description": "Collect {topic}."}, {"description": "Write on {topic}."}]',
        "crew_inputs": '{"topic": "pumps"}',
    }
    assert crew_request(attributes) == "Write on pumps."


def test_a_field_without_an_input_stays():
    """Braces may be meant."""
    assert crew_request({"crew_tasks": '[{"description": "Use {x}."}]'}) == "Use {x}."


def test_what_is_no_crew_was_asked_nothing():
    """Broken attributes give none."""
    for attributes in ({}, {"crew_tasks": "[]"}, {"crew_tasks": "["}, {"crew_tasks": "[1]"}):
        assert crew_request(attributes) is None


def test_the_tasks_of_openllmetry_are_read_where_they_are_filled_in():
    """There are no inputs beside them, but each task has a span."""
    key = "crewai.crew.tasks"
    assert crew_request({key: '[{"description": "Ask."}]'}) == "Ask."
    assert crew_request({key: '[{"description": "Ask {topic}."}]'}) is None
    assert crew_request({"crewai.task.description": "Ask pumps."}) == "Ask pumps."


def test_a_crew_of_openllmetry_is_a_workflow(span, view):
    """Its agents are those of its tasks."""
    crew = {
        "gen_ai.operation.name": "invoke_agent",
        "crewai.crew.tasks": '[{"description": "q"}]',
        "crewai.crew.result": "a",
    }
    agent = {"traceloop.span.kind": "agent", "gen_ai.agent.name": "writer"}
    seen = view(span("1", crew, name="crewai.workflow"), span("2", agent, parent="1"))
    assert (seen.question, seen.answer) == ("q", "a")
    assert [agent.name for agent in seen.agents] == ["writer"]
