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
