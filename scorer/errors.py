"""The failure kinds that cross layer boundaries.

A receiver answers a `PermanentError` with INVALID_ARGUMENT / 400 (the same input will
always fail) and a `RetryableError` with UNAVAILABLE / 503 (try again later).
"""


class SpanscoreError(Exception):
    """Base of all errors that Spanscore raises on purpose; its text is one clear line."""


class PermanentError(SpanscoreError):
    """The input is wrong; sending it again will fail again.

    `items` is how many spans or log records it is known to hold.
    """

    def __init__(self, message: str = "", *, items: int = 0) -> None:
        super().__init__(message)
        self.items = items


class TooLargeError(PermanentError):
    """The input is over a size limit (RESOURCE_EXHAUSTED without a retry hint, 413)."""


class RetryableError(SpanscoreError):
    """Nothing is wrong with the input, it cannot be taken now.

    `retry_after_s` is the hint given to the sender, in seconds.
    """

    def __init__(self, message: str, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class UnauthenticatedError(SpanscoreError):
    """The sender does not say who it is, or not rightly (UNAUTHENTICATED, 401)."""


class ForbiddenError(SpanscoreError):
    """The sender is known and may not do this (PERMISSION_DENIED, 403)."""


class ConfigError(SpanscoreError):
    """The configuration or a command line is wrong; the process exits with 2."""
