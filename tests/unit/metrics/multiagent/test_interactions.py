import pytest

from metrics.multiagent.interactions import (
    InteractionAnalyzer,
    allows,
    balance,
    evenness,
    mean,
)


def says(source, to, **more):
    return {"from_agent": source, "to_agent": to, **more}


def test_handoffs_by_hand():
    """1 of 2, and 2 s on average; without any all is well."""
    analyzer = InteractionAnalyzer(
        [], [{"handoff_time": 1.0}, {"success": False, "handoff_time": 3}]
    )
    assert analyzer.calculate_handoff_metrics() == (0.5, 2.0)
    assert InteractionAnalyzer([]).calculate_handoff_metrics() == (1.0, 0.0)


def test_conflicts_by_hand():
    """2 in 1 interaction; 1 settled, in 4 s."""
    conflicts = [{"resolved": True, "resolution_time": 4.0}, {"resolved": False}]
    analyzer = InteractionAnalyzer([says("a", "b")], conflicts=conflicts)
    assert analyzer.calculate_conflict_metrics() == (200.0, 0.5, 4.0)
    assert InteractionAnalyzer([]).calculate_conflict_metrics() == (0.0, 1.0, 0.0)


def test_communication_by_hand():
    """.5 * 1/2 + .3 * 5/10 + .2 * 1: one of two failed, 10 s on average, pairs of one each."""
    told = [says("a", "b", response_time=10.0), says("b", "a", success=False)]
    assert InteractionAnalyzer(told).calculate_communication_efficiency() == pytest.approx(0.6)
    assert InteractionAnalyzer([]).calculate_communication_efficiency() == 1.0


def test_a_broadcast_is_as_many_messages_as_it_has_recipients():
    """a 2, b 1, c 1: mean 4/3, deviation sqrt(2)/3."""
    analyzer = InteractionAnalyzer([says("a", ["b", "c"])])
    assert analyzer.calculate_load_balance() == pytest.approx(1 - 2**0.5 / 4)
    assert InteractionAnalyzer([says("a", [])]).calculate_load_balance() == 1.0


def test_roles_allow_or_not():
    """Delegation by permission, a response from authority 5, the rest always."""
    assert not allows("delegation", 9.0, can_delegate=False)
    assert allows("delegation", 0.0, can_delegate=True)
    assert not allows("response", 4.9, can_delegate=True)
    assert allows("response", 5.0, can_delegate=False)
    assert allows("request", 0.0, can_delegate=False)
    analyzer = InteractionAnalyzer([says("a", "b", interaction_type="delegation"), says("x", "a")])
    assert analyzer.calculate_role_adherence({"a": {}}) == 0.0
    assert analyzer.calculate_role_adherence({"q": {}}) == 1.0


def test_nothing_counted_is_even_and_balanced():
    """As the original has it."""
    assert (evenness([]), balance([]), balance([0, 0]), balance([0, 4, 0, 0])) == (1.0, 1.0, 1.0, 0)


def test_the_mean_of_times_is_exact_where_their_sum_is_no_number():
    """(1.5 + 1.3) / 2."""
    assert mean([1.5e308, 1.3e308]) == pytest.approx(1.4e308)
    assert mean([1.0, 2.0]) == 1.5
