"""How far scoring will be behind."""

import pytest

from scorer.scoring.backlog import Backlog, work


@pytest.fixture
def backlog():
    """A second of backlog is the limit; a span costs a millisecond, with the margin 1.1."""
    backlog = Backlog(1.0)
    backlog.scored(1000, 1.0)
    return backlog


def test_nothing_is_known_before_the_first_score():
    """Without a figure nobody is refused."""
    backlog = Backlog(1.0)
    backlog.accepted(10**9, 0)
    assert not backlog.is_behind(10**9, 10**9, 0)


def test_accepted_work_is_booked_at_the_cost_of_late(backlog):
    """900 spans are 0.99 seconds of work, 1000 are too many."""
    backlog.accepted(900, 0)
    assert not backlog.is_behind(0, 10**6, 0)
    backlog.accepted(100, 0)
    assert backlog.is_behind(0, 10**6, 0)


def test_work_is_done_as_time_passes(backlog):
    """A second of work is worked off in a second, and idle time is not saved up."""
    backlog.accepted(2000, 0)
    assert backlog.booked_s(1.5) == pytest.approx(0.7)
    assert backlog.booked_s(100) == 0
    backlog.accepted(100, 100)
    assert backlog.booked_s(100) == pytest.approx(0.11)


def test_several_scorers_share_the_work(backlog):
    """Four of them have a quarter of it each."""
    backlog.scorers = 4
    assert backlog.cost_s(1000) == pytest.approx(1.1 / 4)


def test_traces_that_wait_count_whatever_was_booked(backlog):
    """The forecast may be wrong; what is closed and not scored is there."""
    assert not backlog.is_behind(900, 900, 0)
    assert backlog.is_behind(1000, 1000, 0)


def test_what_waited_is_worked_off_and_not_forgotten(backlog):
    """One batch that is scored lets in as much work as was done meanwhile, not a second of it."""
    assert backlog.is_behind(1000, 1500, 0)
    assert backlog.is_behind(500, 1500, 0.05)
    assert not backlog.is_behind(500, 1500, 0.11)
    backlog.accepted(20, 0.11)
    assert backlog.is_behind(500, 1500, 0.11)


def test_old_figures_fade(backlog):
    """When spans get twice as expensive, that is known after a few seconds of work."""
    for _ in range(20):
        backlog.scored(500, 1.0)
    assert backlog.cost_s(1) == pytest.approx(0.0022, rel=0.05)


def test_a_monstrous_span_does_not_speak_for_the_others(backlog):
    """A sender of spans that take seconds must not have everybody else refused."""
    backlog.scored(1, 10.0)
    assert backlog.cost_s(20) < 0.05


def test_no_more_is_booked_than_there_is(backlog):
    """Work that turned out to be done sooner, or was dropped, is not waited for."""
    backlog.accepted(100_000, 0)
    assert not backlog.is_behind(0, 800, 0)
    assert backlog.booked_s(0) == pytest.approx(0.88)


def test_bytes_are_work_too():
    """Large spans do not make tiny ones look as expensive, nor the other way round."""
    backlog = Backlog(1.0)
    backlog.scored(work(1, 4 * 2**20), 0.02)
    assert backlog.cost_s(work(100_000, 4_000_000)) < 3
    assert work(1, 4096) == 2
