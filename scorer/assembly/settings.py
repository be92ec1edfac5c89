"""The limits of one assembler."""

from collections.abc import Callable

from msgspec import Struct

from scorer.assembly.open_trace import OpenTrace, Timers
from scorer.model.trace import CloseReason, Envelope


class AssemblerSettings(Struct, frozen=True, kw_only=True):
    """Limits of one assembler; `timers_of` gives a service's own timers where it has some."""

    timers: Timers
    max_spans_per_trace: int
    max_bytes_per_trace: int
    max_tombstones: int
    kept_bytes: int = 0
    timers_of: Callable[[Envelope], Timers | None] | None = None

    def cap_reason(self, trace: OpenTrace) -> CloseReason | None:
        """Say why a trace must take no more; None = it may."""
        if trace.ended:
            return "end_marker"
        if len(trace.spans) >= self.max_spans_per_trace:
            return "span_cap"
        if trace.size >= self.max_bytes_per_trace:
            return "byte_cap"
        return None
