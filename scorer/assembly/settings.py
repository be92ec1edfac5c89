"""The limits of one assembler."""

from collections.abc import Callable

from msgspec import Struct

from scorer.assembly.open_trace import Timers
from scorer.model.trace import Envelope


class AssemblerSettings(Struct, frozen=True, kw_only=True):
    """Limits of one assembler; `timers_of` gives a service's own timers where it has some."""

    timers: Timers
    max_spans_per_trace: int
    max_bytes_per_trace: int
    max_tombstones: int
    kept_bytes: int = 0
    timers_of: Callable[[Envelope], Timers | None] | None = None
