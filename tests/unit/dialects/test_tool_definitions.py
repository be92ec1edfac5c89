import json

from scorer.dialects.tool_definitions import read_definitions
from scorer.model.agent_trace import ToolDefinition

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
EXPECTED = (ToolDefinition("f", SCHEMA),)


def test_definitions_are_read_from_every_form():
    """List, JSON list, one JSON object, and JSON inside a list; nested or flat."""
    flat = {"type": "function", "name": "f", "parameters": SCHEMA}
    nested = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
    anthropic = {"name": "f", "input_schema": SCHEMA}
    assert read_definitions([flat]) == EXPECTED
    assert read_definitions(json.dumps([nested])) == EXPECTED
    assert read_definitions(json.dumps(anthropic)) == EXPECTED
    assert read_definitions([json.dumps(flat)]) == EXPECTED


def test_what_names_no_tool_defines_none():
    """Broken definitions are dropped."""
    for value in ("[", "[]", 3, None, [{"description": "x"}], "x" * 20_000):
        assert read_definitions(value) is None
