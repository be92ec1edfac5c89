import pytest

from metrics.operational.latency import Latency
from scorer.api import AgentTrace, LlmCall, ToolCall, Unscored

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND


def at(seconds):
    return START + int(seconds * SECOND)


def llm(start, end, **more):
    return LlmCall(span_id="s", start_ns=at(start), end_ns=at(end), **more)


def tool(start, end):
    return ToolCall(name="a", start_ns=at(start), end_ns=at(end))


def test_it_is_the_duration_and_where_it_went():
    """10 s; models 1-4 and 3-5 cover 4 s, a tool 4-7 adds 2 s, 4 s are idle."""
    view = AgentTrace(
        trace_id="t",
        start_ns=at(0),
        end_ns=at(10),
        llm_calls=(llm(3, 5), llm(1, 4)),
        tool_calls=(tool(4, 7), ToolCall(name="untimed")),
    )
    result = Latency().score(view)
    assert result.values == {"value": 10.0}
    assert result.detail == pytest.approx({"llm_s": 4.0, "tool_s": 2.0, "idle_s": 4.0})


def test_the_first_chunk_is_that_of_the_first_call_that_reports_one():
    """A call that does not stream says nothing about it."""
    calls = (llm(0, 1), llm(1, 2, time_to_first_chunk=0.3), llm(2, 3, time_to_first_chunk=0.1))
    view = AgentTrace(trace_id="t", start_ns=at(0), end_ns=at(3), llm_calls=calls)
    assert Latency().score(view).values["time_to_first_chunk"] == 0.3


def test_time_outside_the_root_does_not_count():
    """A model call that outlives the root is clipped to it."""
    view = AgentTrace(trace_id="t", start_ns=at(0), end_ns=at(2), llm_calls=(llm(-1, 5),))
    assert Latency().score(view).detail == {"llm_s": 2.0, "tool_s": 0.0, "idle_s": 0.0}


def test_without_times_there_is_no_value():
    """Unknown is not 0 seconds."""
    assert Latency().score(AgentTrace(trace_id="t")) == Unscored("no_duration")
    assert Latency(mode="documented").spec.needs == ()


def test_a_negative_first_chunk_is_none():
    """Clocks that disagree measure no wait."""
    calls = (llm(0, 1, time_to_first_chunk=-0.3), llm(1, 2, time_to_first_chunk=0.1))
    view = AgentTrace(trace_id="t", start_ns=1, end_ns=2, llm_calls=calls)
    assert Latency().score(view).values["time_to_first_chunk"] == 0.1
