import logging

import pytest

from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.receivers.refusal import MAX_RETRY_DELAY_S, Refusals, RefusedError
from scorer.telemetry import Telemetry


class ManualClock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def telemetry():
    return Telemetry()


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def refusals(telemetry, clock):
    return Refusals("otlp_test", telemetry, clock)


@pytest.mark.parametrize(
    ("error", "http_status", "grpc_code"),
    [
        (PermanentError("bad"), 400, 3),
        (TooLargeError("big"), 413, 8),
        (RetryableError("full"), 503, 14),
        (ZeroDivisionError("oops"), 503, 14),
        (RefusedError("slow", http_status=408, grpc_code=4), 408, 4),
    ],
)
def test_each_kind_of_error_has_its_answer(refusals, error, http_status, grpc_code):
    """Permanent is 400, too large 413, retryable 503, a fault of ours 503 and never 500."""
    refusal = refusals.explain(error)
    assert (refusal.http_status, refusal.grpc_code) == (http_status, grpc_code)


@pytest.mark.parametrize("error", [PermanentError("bad"), TooLargeError("big")])
def test_permanent_errors_have_no_retry_hint(refusals, error):
    """A retry hint on these would make clients send the same request again for nothing."""
    assert refusals.explain(error).retry_after_s is None


@pytest.mark.parametrize("hint_s", [-1.0, 0.0, 0.5, 2.0, 3600.0])
def test_retry_delay_is_jittered_and_short(refusals, hint_s):
    """The delay lies between half the hint and the hint, and never above 2 s."""
    top = min(max(hint_s, 0.0), MAX_RETRY_DELAY_S)
    for _ in range(50):
        delay = refusals.explain(RetryableError("full", retry_after_s=hint_s)).retry_after_s
        assert top / 2 <= delay <= top


def test_a_fault_does_not_show_its_text_to_the_sender(refusals):
    """What went wrong inside is for the log, not for the network."""
    assert "secret" not in str(refusals.explain(ValueError("secret")))


def test_faults_are_counted_and_logged_at_most_once_a_minute(refusals, telemetry, clock, caplog):
    """A fault that repeats must not fill the log; the next line says how many were left out."""
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            refusals.explain(ValueError("oops"))
        assert len(caplog.records) == 1
        clock.now += 61
        refusals.explain(ValueError("oops"))
    assert len(caplog.records) == 2
    assert "2 more" in caplog.records[1].getMessage()
    assert telemetry.value("spanscore_receiver_faults_total", receiver="otlp_test") == 4


def test_expected_errors_are_not_faults(refusals, telemetry, caplog):
    """An error of the sender, or a full buffer, is neither logged nor counted as a fault."""
    for error in (PermanentError("bad"), RetryableError("full")):
        refusals.explain(error)
    assert not caplog.records
    assert telemetry.value("spanscore_receiver_faults_total") == 0
