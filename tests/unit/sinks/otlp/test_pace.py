"""When a target may be asked again."""

import pytest

from scorer.sinks.otlp.pace import Backoff, Pace


def highest(low, high):
    return high


@pytest.fixture
def pace():
    return Pace(Backoff(1.0, 30.0, highest), concurrency=4)


def test_waits_double_up_to_the_longest():
    """Also after more failures than a number can double."""
    backoff = Backoff(1.0, 30.0, highest)
    assert [backoff.delay_s(n) for n in (1, 2, 3, 6, 10_000)] == [1, 2, 4, 30, 30]


def test_jitter_takes_off_up_to_a_half():
    """So that many senders do not come back at once."""
    assert Backoff(4.0, 30.0, lambda low, high: low).delay_s(1) == 2
    waits = {Backoff(4.0, 30.0).delay_s(1) for _ in range(50)}
    assert len(waits) > 1
    assert all(2 <= wait <= 4 for wait in waits)


def test_it_starts_with_all_slots_at_once(pace):
    """Nothing is known against the target."""
    assert (pace.slots, pace.resume_at) == (4, 0)


def test_an_answer_ends_the_waiting(pace):
    """All slots are free again."""
    pace.failed(100.0, 0, 0)
    assert (pace.slots, pace.resume_at) == (1, 101)
    pace.answered()
    assert (pace.slots, pace.resume_at) == (4, 100)


def test_an_answer_does_not_shorten_what_the_target_asked_for(pace):
    """It may have been sent before that."""
    pace.failed(100.0, 0, asked_s=60)
    pace.answered()
    assert pace.resume_at == 160


def test_a_failure_of_an_older_round_is_no_further_one(pace):
    """It was under way together with the first."""
    pace.failed(100.0, 0, 0)
    pace.failed(100.5, 0, 0)
    assert pace.resume_at == 101
    pace.failed(101.0, pace.round, 0)
    assert pace.resume_at == 103
