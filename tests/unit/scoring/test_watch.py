"""What a scoring process is busy with, seen from outside."""

import multiprocessing

import pytest

from scorer.scoring import watch as watch_module
from scorer.scoring.watch import Patience, Place, Watch
from scorer.testing import ManualClock


@pytest.fixture
def watch():
    return Watch(multiprocessing.get_context("spawn"))


@pytest.fixture
def clock(monkeypatch):
    clock = ManualClock()
    monkeypatch.setattr(watch_module.time, "monotonic", clock)
    return clock


def test_the_place_is_what_was_noted_last(watch):
    """Trace, then metric; a new trace is at no metric."""
    watch.at_trace(3)
    assert watch.place() == Place(3, None)
    watch.at_metric(1)
    assert watch.place() == Place(3, 1)
    watch.at_metric(None)
    assert watch.place() == Place(3, None)
    watch.at_metric(0)
    watch.at_trace(4)
    assert watch.place() == Place(4, None)


def test_patience_is_that_of_the_metric_at_hand(watch, clock):
    """Metric 0 may take one second, metric 1 five, anything else thirty."""
    patience = Patience(watch, [1.0, 5.0], 30.0)
    watch.at_metric(1)
    assert not patience.is_over()
    clock.advance(4.9)
    assert not patience.is_over()
    clock.advance(0.2)
    assert patience.is_over()


def test_progress_renews_it(watch, clock):
    """A batch may take long as long as it goes on."""
    patience = Patience(watch, [1.0], 30.0)
    for trace in range(10):
        watch.at_trace(trace)
        watch.at_metric(0)
        assert not patience.is_over()
        clock.advance(0.9)
        assert not patience.is_over()
    clock.advance(0.2)
    assert patience.is_over()


def test_outside_of_metrics_the_other_limit_counts(watch, clock):
    """Decoding and normalising."""
    patience = Patience(watch, [1.0], 30.0)
    clock.advance(29)
    assert not patience.is_over()
    clock.advance(2)
    assert patience.is_over()
