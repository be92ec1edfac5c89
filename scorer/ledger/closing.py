"""What the ledger knows of a closed trace."""

from msgspec import Struct

from scorer.model.trace import CloseReason


# No field can be part of a cycle, and at the start there are many of these.
class Closing(Struct, frozen=True, kw_only=True, gc=False):
    """The newest closing of a trace.

    `trace_id` and `digest` are 16 bytes each; the digest is that of the set of (span id, kind).
    `closed_at` is the offset of the last record that was taken when it closed, `first_offset`
    the lowest that holds a span of it, both of the log (`source`, `partition`). `revision`
    counts from 1; `closed_unix_ns` is for people. `readings` are those that it was scored with, as
    bytes that say nothing here; None = there were none.
    """

    tenant: str
    trace_id: bytes
    source: str
    partition: int
    closed_at: int
    first_offset: int
    revision: int
    reason: CloseReason
    digest: bytes
    span_count: int
    closed_unix_ns: int
    is_scored: bool
    readings: bytes | None = None
