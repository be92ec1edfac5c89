"""A call that takes too long is ended."""

import signal
import threading
import time

import pytest

from scorer.scoring.deadline import DeadlineExceeded, deadlines


def test_a_quick_call_returns_its_result():
    """The limit does not change what a call returns."""
    with deadlines() as call_within:
        assert call_within(1, lambda: 42) == 42


def test_a_sleeping_call_is_ended():
    """Sleep is interrupted."""
    with deadlines() as call_within, pytest.raises(DeadlineExceeded):
        call_within(0.02, lambda: time.sleep(10))


def test_a_busy_call_is_ended():
    """A loop in Python is interrupted."""

    def loop():
        while True:
            pass

    with deadlines() as call_within, pytest.raises(DeadlineExceeded):
        call_within(0.02, loop)


def test_a_call_that_swallows_exceptions_is_ended():
    """`except Exception` does not catch the interruption."""

    def stubborn():
        while True:
            try:
                time.sleep(10)
            except Exception:
                continue

    with deadlines() as call_within, pytest.raises(DeadlineExceeded):
        call_within(0.02, stubborn)


def test_no_alarm_is_left_behind():
    """No timer outlives a call, whether it returns or raises; no handler outlives the block."""
    before = signal.getsignal(signal.SIGALRM)
    with deadlines() as call_within:
        call_within(5, lambda: None)
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
        with pytest.raises(ZeroDivisionError):
            call_within(5, lambda: 1 / 0)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) == before


def test_outside_the_main_thread_there_is_no_limit():
    """A thread cannot be interrupted; the call just runs."""
    results = []

    def run():
        with deadlines() as call_within:
            results.append(call_within(0.001, lambda: 7))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert results == [7]
