"""Faults are reported, rarely and without what spans hold."""

import logging

from scorer.errors import RetryableError
from scorer.telemetry import FaultLog
from scorer.testing import ManualClock


def fault():
    try:
        int("the customer's secret")
    except ValueError as error:
        return error


def test_a_fault_names_type_and_place_but_not_the_text(caplog):
    """An exception may quote a span."""
    FaultLog(logging.getLogger("t"), ManualClock()).report("it broke", fault())
    assert "it broke: ValueError at test_faults.py" in caplog.text
    assert "secret" not in caplog.text


def test_the_same_fault_is_reported_once_a_minute(caplog):
    """A flood of failing traces must not become a flood of lines."""
    clock = ManualClock()
    log = FaultLog(logging.getLogger("t"), clock)
    for _ in range(10):
        log.report("it broke", fault())
    log.report("something else", fault())
    clock.advance(61)
    log.report("it broke", fault())
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3
    assert lines[-1].endswith("(9 more since the last report)")


def test_our_own_errors_speak_for_themselves(caplog):
    """They are written for a reader and quote no span."""
    FaultLog(logging.getLogger("t")).report("it broke", RetryableError("free the disk"))
    assert "it broke: free the disk" in caplog.text
