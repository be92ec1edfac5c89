import pytest

from metrics.operational.control_calls import is_control
from scorer.api import Handoff, ToolCall


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("final_answer", None, True),
        ("final_result", {}, True),
        ("transfer_to_sales_agent", None, True),
        ("transfer_to_human_agents", None, True),
        ("transfer_to_sales", None, True),
        ("transfer_to_agent", {"agent_name": "anything"}, True),
        ("handoff", {"to": "Sales"}, True),
        ("transfer_to_account", {"amount": 5}, False),
        ("transfer_money", {"to": "Anna"}, False),
        ("search", {"query": "sales"}, False),
    ],
)
def test_a_control_call_has_the_name_and_names_an_agent(name, arguments, expected):
    """The trace hands over to Sales; both the name and a target are needed."""
    call = ToolCall(name=name, arguments=arguments)
    assert is_control(call, (Handoff("triage", "Sales"),)) is expected
