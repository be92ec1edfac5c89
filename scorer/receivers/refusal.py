"""What a sender is told when its request is not taken, the same for gRPC and HTTP."""

import logging
import random
import time
from collections.abc import Callable
from typing import Final

from scorer.errors import (
    ForbiddenError,
    PermanentError,
    RetryableError,
    SpanscoreError,
    TooLargeError,
    UnauthenticatedError,
)
from scorer.telemetry import FaultLog, Telemetry

_LOG = logging.getLogger("spanscore.receivers")

INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
UNIMPLEMENTED = 12
UNAVAILABLE = 14
UNAUTHENTICATED = 16

# A subclass stands before its base.
_PERMANENT: Final = (
    (TooLargeError, 413, RESOURCE_EXHAUSTED),
    (UnauthenticatedError, 401, UNAUTHENTICATED),
    (ForbiddenError, 403, PERMISSION_DENIED),
    (PermanentError, 400, INVALID_ARGUMENT),
)

MAX_RETRY_DELAY_S = 2.0
"""Longest delay that is asked for: the Python exporter drops a batch over a longer one."""


class RefusedError(SpanscoreError):
    """A request that is not taken; `grpc_code` is the number of a gRPC status.

    `retry_after_s` (seconds) is None where sending it again would not help.
    """

    def __init__(
        self,
        message: str,
        *,
        http_status: int,
        grpc_code: int,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.http_status = http_status
        self.grpc_code = grpc_code
        self.retry_after_s = retry_after_s


class Refusals:
    """Turns the errors of one receiver into refusals.

    An unexpected fault is ours, not the sender's, so it is answered as retryable: a client drops
    its data on any other answer. It is counted, and logged at most once a minute.
    """

    def __init__(
        self,
        receiver: str,
        telemetry: Telemetry,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._receiver = receiver
        self._telemetry = telemetry
        self._log = FaultLog(_LOG, clock)
        telemetry.add("spanscore_receiver_faults_total", 0, receiver=receiver)

    def explain(self, error: Exception) -> RefusedError:
        """Return the refusal that says what `error` means to the sender."""
        if isinstance(error, RefusedError):
            return error
        text = str(error)
        for kind, http_status, grpc_code in _PERMANENT:
            if isinstance(error, kind):
                return RefusedError(text, http_status=http_status, grpc_code=grpc_code)
        if isinstance(error, RetryableError):
            return _unavailable(text, error.retry_after_s)
        self._note_fault(error)
        return _unavailable("internal error, see the log of spanscore; send it again", 1.0)

    def _note_fault(self, error: Exception) -> None:
        self._telemetry.add("spanscore_receiver_faults_total", receiver=self._receiver)
        self._log.report(f"{self._receiver}: unexpected fault, the sender is asked to retry", error)


def _unavailable(text: str, delay_s: float) -> RefusedError:
    delay_s = min(max(delay_s, 0.0), MAX_RETRY_DELAY_S)
    # Jitter keeps refused senders from coming back all at once.
    jittered = delay_s * random.uniform(0.5, 1.0)  # noqa: S311  no secret depends on it
    return RefusedError(text, http_status=503, grpc_code=UNAVAILABLE, retry_after_s=jittered)
