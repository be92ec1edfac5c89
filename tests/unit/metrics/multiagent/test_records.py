from types import SimpleNamespace

from metrics.multiagent.records import Clash, Passed, Role, Sent, clashes, passed, roles, sent


def test_the_defaults_are_the_original_s():
    """For maps and objects alike."""
    expected = [Sent("a", ("b",), "request", "generic", success=True, response_time=0.0)]
    given = {"from_agent": "a", "to_agent": "b"}
    assert sent([given]) == sent([SimpleNamespace(**given)]) == expected
    assert passed([{}]) == [Passed(success=True, handoff_time=0.0)]
    assert clashes([{}]) == [Clash(resolved=False, resolution_time=0.0)]
    assert roles({"a": {}}) == {"a": Role(authority_level=5.0, can_delegate=False)}


def test_a_time_of_none_is_no_time():
    """An object may have the field and no value."""
    given = {"from_agent": "a", "to_agent": ["b", "c"], "response_time": None}
    assert sent([given])[0].response_time == 0.0
    assert sent([given])[0].targets == ("b", "c")
    assert passed([{"handoff_time": None}])[0].handoff_time == 0.0
