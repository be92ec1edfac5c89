"""What a client of an OTLP target promises, and the kinds of refusal that it tells apart.

`RetryableError`: the same request may be taken later; its `retry_after_s` is what the target
asked for, 0 = nothing. `PermanentError`: the same request will never be taken.
"""

from typing import Final, NamedTuple, Protocol

from scorer import __version__
from scorer.errors import PermanentError, RetryableError
from scorer.otlp.signal import Signal

USER_AGENT: Final = f"Spanscore/{__version__}"


class Sent(NamedTuple):
    """A request was taken, apart from `rejected` items, which must not be sent again."""

    rejected: int = 0
    message: str = ""


class Target(Protocol):
    """One place that takes OTLP."""

    async def send(self, signal: Signal, body: bytes) -> Sent:
        """Send one Export*ServiceRequest.

        Raises:
            RetryableError: Not now.
            PermanentError: Never.
        """
        ...

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        ...


class OverloadedError(RetryableError):
    """Exhausted, and silent on whether that will pass: it may be the request's own fault.

    OTLP says not to retry this. But collectors and others answer it when their queue is full,
    so giving up at once would lose what a moment later would be taken.
    """


class RefusedError(PermanentError):
    """Refused for good; `reason` is one of few words, for a label.

    `is_about_data` says whether a part of the request might be taken: not when the target does
    not know the signal, or us.
    """

    def __init__(self, message: str, *, reason: str, is_about_data: bool = True) -> None:
        super().__init__(message)
        self.reason = reason
        self.is_about_data = is_about_data
