import pytest

from metrics.multiagent.emergence import EmergentBehaviorDetector, entropy


def says(source, kind="request", **more):
    return {"from_agent": source, "to_agent": "z", "interaction_type": kind, **more}


def test_entropy_is_in_bits():
    """Two equal halves are one bit."""
    assert entropy([4, 4]) == 1.0
    assert entropy([5]) == 0.0
    assert entropy([]) == 0.0


def test_self_organisation_needs_ten_interactions():
    """From two senders in turn to one alone, entropy falls from about 0.97 bit to 0."""
    orderly = [says("ab"[i % 2]) for i in range(5)] + [says("a")] * 5
    assert EmergentBehaviorDetector(orderly).detect_self_organization() == 1.0
    assert EmergentBehaviorDetector(orderly[1:]).detect_self_organization() == 0.0
    steady = [says("ab"[i % 2]) for i in range(12)]
    assert EmergentBehaviorDetector(steady).detect_self_organization() == pytest.approx(0.5)
    assert EmergentBehaviorDetector([says("a")] * 10).detect_self_organization() == 0.5


def test_specialisation_is_the_mean_concentration_of_each_sender():
    """a sends x and y: 1/2; b only x: 1."""
    told = [says("a", message_type="x"), says("a", message_type="y"), says("b", message_type="x")]
    assert EmergentBehaviorDetector(told).detect_specialization() == 0.75
    assert EmergentBehaviorDetector([]).detect_specialization() == 0.0


def test_decisions_are_collaborations_and_negotiations():
    """2 of 4."""
    kinds = ("collaboration", "negotiation", "request", "conflict")
    told = [says("a", kind) for kind in kinds]
    assert EmergentBehaviorDetector(told).detect_collective_decision_making() == 0.5
    assert EmergentBehaviorDetector([]).detect_collective_decision_making() == 0.0


def test_adaptation_needs_five_times():
    """From 4, 4 to 3, 3, 3: 0.5 + 1/4."""
    told = [says("a", response_time=t) for t in (4.0, 4.0, 3.0, 3.0, 3.0, 0.0)]
    assert EmergentBehaviorDetector(told).detect_adaptation_rate() == 0.75
    assert EmergentBehaviorDetector(told[1:]).detect_adaptation_rate() == 0.5
