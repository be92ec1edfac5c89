"""What the answers of OTLP servers mean."""

import datetime as dt

import pytest
from google.rpc import status_pb2

from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.otlp.responses import export_response, retry_info, status_response
from scorer.sinks.otlp.answers import (
    grpc_error,
    http_error,
    read_response,
    shown,
    status_text,
    unreachable,
    without_secrets,
)
from scorer.sinks.otlp.target import OverloadedError, RefusedError, Sent

NOW = dt.datetime(2026, 7, 21, 12, 0, 0, tzinfo=dt.UTC)
RETRYABLE = {"CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE", "UNAVAILABLE"}
RETRYABLE |= {"DATA_LOSS"}
FINAL = {"UNKNOWN", "INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED"}
FINAL |= {"UNAUTHENTICATED", "FAILED_PRECONDITION", "UNIMPLEMENTED", "INTERNAL"}


@pytest.mark.parametrize("code", sorted(RETRYABLE))
def test_these_codes_of_grpc_pass(code):
    """The table of the OTLP specification."""
    assert type(grpc_error(code, "", ())) is RetryableError


@pytest.mark.parametrize("code", sorted(FINAL))
def test_these_codes_of_grpc_are_final(code):
    """The table of the OTLP specification; the label is the code."""
    error = grpc_error(code, "", ())
    assert isinstance(error, RefusedError)
    assert error.reason == code.lower()


@pytest.mark.parametrize("key", ["grpc-status-details-bin", "google.rpc.retryinfo-bin"])
@pytest.mark.parametrize("code", ["UNAVAILABLE", "RESOURCE_EXHAUSTED"])
def test_retry_info_is_read_at_both_places(key, code):
    """That of the specification, and the odd one of the Python exporter."""
    wire = status_response(8, "full", retry_after_s=1.5) if "status" in key else retry_info(1.5)
    error = grpc_error(code, "full", [("other", "x"), (key, wire)])
    assert (type(error), error.retry_after_s) == (RetryableError, 1.5)


@pytest.mark.parametrize("wire", [b"\xff\xff", b"", status_response(8, "full")])
def test_exhausted_without_retry_info_is_told_apart(wire):
    """Details that say nothing, or do not decode, are none."""
    error = grpc_error("RESOURCE_EXHAUSTED", "full", [("grpc-status-details-bin", wire)])
    assert isinstance(error, OverloadedError)


def test_a_request_that_is_too_large_is_told_apart():
    """As grpc-go and grpc core word it."""
    text = "Received message larger than max (5 vs. 4)"
    assert isinstance(grpc_error("RESOURCE_EXHAUSTED", text, ()), TooLargeError)
    assert isinstance(http_error(413, "", None, NOW), TooLargeError)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_these_statuses_of_http_pass(status):
    """The table of the OTLP specification."""
    assert type(http_error(status, "", None, NOW)) is RetryableError


@pytest.mark.parametrize(
    "status", [301, 400, 401, 403, 404, 405, 408, 415, 418, 422, 500, 501, 599]
)
def test_all_other_statuses_of_http_are_final(status):
    """Also those that nobody has heard of."""
    assert isinstance(http_error(status, "", None, NOW), RefusedError)


def test_a_target_cannot_mint_labels():
    """All statuses together make a few reasons."""
    errors = [http_error(status, "", None, NOW) for status in range(600, 10_000)]
    errors += [http_error(status, "", None, NOW) for status in range(300, 600)]
    reasons = {error.reason for error in errors if isinstance(error, RefusedError)}
    assert len([reason for reason in reasons if len(reason) == len("http_400")]) < 20


@pytest.mark.parametrize(
    ("header", "delay_s"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("Tue, 21 Jul 2026 12:00:30 GMT", 30),
        ("Tue, 21 Jul 2026 11:00:00 GMT", 0),
        ("Tue, 21 Jul 2027 12:00:00 GMT", 300),
        ("9" * 400, 300),
        ("-5", 0),
        ("soon", 0),
        ("\N{ARABIC-INDIC DIGIT SEVEN}", 0),
        ("Tue, 99 Jul 2026", 0),
        ("", 0),
        (None, 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, delay_s):
    """Never less than 0 or more than 5 minutes; nonsense is no hint."""
    assert http_error(503, "", header, NOW).retry_after_s == delay_s


def test_a_delay_below_zero_is_none():
    """A hostile RetryInfo does not send us in circles."""
    error = grpc_error("UNAVAILABLE", "", [("google.rpc.retryinfo-bin", retry_info(-5.0))])
    assert error.retry_after_s == 0


@pytest.mark.parametrize("signal", ["traces", "logs", "metrics"])
def test_partial_success_is_read_for_each_signal(signal):
    """Count and message."""
    assert read_response(signal, export_response(signal, rejected=3, message="m")) == Sent(3, "m")
    assert read_response(signal, b"") == Sent()


def test_what_others_say_is_cut_to_one_line():
    """It may hold anything, and stands in our log."""
    assert shown("a\nb\x1b[31m\t c") == "a b_[31m c"
    assert len(shown("x" * 10_000)) == 200


def test_the_message_of_a_status_is_found():
    """In the body of an HTTP answer; there may be another one."""
    assert status_text(status_pb2.Status(message="why").SerializeToString()) == "why"
    assert status_text(b"\xff\xff") == ""


def test_secrets_are_taken_out():
    """A token alone too, without its scheme."""
    error = without_secrets(PermanentError("Bearer abcdef, or abcdef; ok"), ["Bearer abcdef", "ok"])
    assert str(error) == "***, or ***; ok"


def test_an_error_without_a_text_is_named():
    """As some of asyncio's."""
    assert str(unreachable(TimeoutError())) == "no answer: TimeoutError"
