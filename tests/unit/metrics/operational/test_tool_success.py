import pytest

from metrics.operational.tool_success import ToolSuccess
from scorer.api import AgentTrace, Handoff, ToolCall, Unscored


def trace(*calls):
    return AgentTrace(trace_id="t", tool_calls=calls)


def call(name="search", status="success", **more):
    return ToolCall(name=name, status=status, **more)


@pytest.mark.parametrize(
    ("bad", "fails"),
    [
        (call(status="error"), True),
        (call(status=None, error_type="TimeoutError"), True),
        (call(result={"isError": True, "content": []}), True),
        (call(result={"error": "not found"}), True),
        (call(result='{"error": {"code": 404}}'), True),
        (call(result=' {"isError": true}'), True),
        (call(result={"error": None, "rows": 1}), False),
        (call(result={"error": ""}), False),
        (call(result={"isError": False}), False),
        (call(result='{"error": '), False),
        (call(result="an error is described here"), False),
        (call(result=[{"error": "nested"}]), False),
        (call(status=None, result=""), False),
        (call(status=None, result={"rows": 0}), False),
    ],
)
def test_a_call_fails_by_status_error_type_or_envelope(bad, fails):
    """Of two calls one may fail: 1/2 or 2/2."""
    value = ToolSuccess().score(trace(call(), bad)).values["value"]
    assert value == (0.5 if fails else 1.0)


def test_a_call_of_unknown_outcome_is_left_out():
    """One of two known calls failed: 1/2, however many others say nothing."""
    unknown = call("b", status=None)
    result = ToolSuccess().score(trace(call(), call(status="error"), unknown, unknown))
    assert result.values["value"] == 0.5
    assert result.detail["unknown"] == 2
    assert "b" not in result.detail["by_tool"]
    nothing = ToolSuccess().score(trace(unknown, unknown))
    assert nothing == Unscored("no_tool_outcome", detail={"unknown": 2})


def test_an_outcome_may_be_known_by_an_error_type_alone():
    """No status and no result, but an error type: failed."""
    view = trace(call(status=None, error_type="Timeout"))
    assert ToolSuccess().score(view).values["value"] == 0.0


@pytest.mark.parametrize(
    "steering",
    [
        call("final_answer"),
        call("transfer_to_billing_agent", "error"),
        call("transfer_to_agent", arguments={"agent_name": "billing"}),
        call("Delegate work to coworker", arguments={"coworker": "Billing", "task": "t"}),
        call("handoff_to_billing"),
    ],
)
def test_a_call_that_steers_the_run_is_no_tool(steering):
    """Handing over and answering neither raise nor lower the share."""
    handoffs = (Handoff("triage", "billing"),)
    view = AgentTrace(
        trace_id="t", tool_calls=(steering, call(), call(status="error")), handoffs=handoffs
    )
    result = ToolSuccess().score(view)
    assert result.values["value"] == 0.5
    assert result.detail["control"] == 1
    alone = AgentTrace(trace_id="t", tool_calls=(steering,), handoffs=handoffs)
    assert ToolSuccess().score(alone) == Unscored("no_tool_calls")


def test_a_transfer_of_something_else_is_a_tool():
    """Money is not handed over to an agent."""
    money = call("transfer_to_account", "error", arguments={"to": "savings", "amount": 5})
    view = AgentTrace(trace_id="t", tool_calls=(money,), handoffs=(Handoff("a", "b"),))
    assert ToolSuccess().score(view).values["value"] == 0.0


def test_counts_are_kept_by_tool():
    """3 of 4 calls succeeded: 0.75."""
    result = ToolSuccess().score(trace(call("a"), call("b"), call("b", "error"), call("a")))
    assert result.values["value"] == 0.75
    assert result.detail["by_tool"] == {
        "a": {"calls": 2, "failed": 0},
        "b": {"calls": 2, "failed": 1},
    }
    assert result.explanation == "b failed 1 of 2"


def test_a_retry_that_works_is_counted():
    """Two failures of `a` before its success count, the failure of `b` does not."""
    calls = (
        call("a", start_ns=4),
        call("a", "error", start_ns=1),
        call("a", "error", start_ns=2),
        call("b", "error", start_ns=3),
    )
    assert ToolSuccess().score(trace(*calls)).values["retried_then_succeeded"] == 2.0
    assert "retried_then_succeeded" not in ToolSuccess().score(trace(call())).values


@pytest.mark.parametrize("calls", [None, ()])
def test_no_calls_have_no_success_rate(calls):
    """An agent without tools neither lowers nor raises the mean."""
    view = AgentTrace(trace_id="t", tool_calls=calls, success=True)
    assert ToolSuccess().score(view) == Unscored("no_tool_calls")


def test_documented_falls_back_to_the_outcome():
    """Without calls the original says 1 for a successful run and 0 for another."""
    metric = ToolSuccess(mode="documented")
    assert metric.score(AgentTrace(trace_id="t", success=True)).values == {"value": 1.0}
    assert metric.score(AgentTrace(trace_id="t", success=False)).values == {"value": 0.0}
    assert metric.score(trace(call(), call(status="error"))).values == {"value": 0.5}
