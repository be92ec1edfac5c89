"""What a receiver may ask of the ingest, and what it is answered."""

from typing import NamedTuple, Protocol

from scorer.otlp.signal import Signal


class Accepted(NamedTuple):
    """The answer to a request that was taken: what of it was not, and why ("" = all well).

    It stands in the log from `first` to `offset` (0 = it is in none), maybe with others in between:
    it may be answered when `durable` says so.
    """

    rejected: int = 0
    message: str = ""
    offset: int = 0
    first: int = 0


class Take(Protocol):
    """One of the methods of `Ingest`."""

    def __call__(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take a body."""
        ...


class Ingest(Protocol):
    """Takes the bodies of OTLP requests (protobuf wire bytes).

    Calls are quick and never block. They raise `PermanentError` (undecodable),
    `TooLargeError`, or `RetryableError` (no room now, or shutting down).
    """

    def traces(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportTraceServiceRequest."""
        ...

    def logs(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportLogsServiceRequest."""
        ...

    def metrics(self, body: bytes, *, tenant: str = "") -> Accepted:
        """Take an ExportMetricsServiceRequest: it is counted, and passed on where that is asked."""
        ...

    async def durable(self, offset: int, first: int | None = None) -> None:
        """Return when what is in the log from `first` to `offset` may be acknowledged.

        Raises:
            RetryableError: It could not be made durable.
        """
        ...


def takers(ingest: Ingest) -> dict[Signal, Take]:
    """Return what takes the bodies of each signal."""
    return {"traces": ingest.traces, "logs": ingest.logs, "metrics": ingest.metrics}
