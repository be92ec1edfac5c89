"""What is pushed as a whole, and what became of a batch."""

from collections.abc import Sequence
from typing import NamedTuple

from scorer.model.position import Position
from scorer.model.trace import ClosedTrace, LogEntry, SpanEntry


class Arrival(NamedTuple):
    """When what arrives, from whom, and where it stands in the log."""

    tenant: str
    position: Position
    now: float


class Whole(NamedTuple):
    """All that one trace had; its spans or its log records may be missing, not both.

    `duplicates` and `conflicts` are how many spans had come twice.
    """

    tenant: str
    revision: int
    spans: Sequence[SpanEntry]
    logs: Sequence[LogEntry] = ()
    duplicates: int = 0
    conflicts: int = 0

    @property
    def first(self) -> SpanEntry | LogEntry:
        """One of them."""
        return self.spans[0] if self.spans else self.logs[0]


class Pushed(NamedTuple):
    """What became of a batch, by spans; they sum up to the batch.

    `unjoined` came after the close of a trace that is no longer kept, `rereads` were in it when
    it closed. `late` of the others came after a close, `conflicts` of the duplicates differ from
    the span that was kept. `strays` are the unjoined ones, and log records that are.
    """

    accepted: int
    duplicates: int
    unjoined: int
    closed: list[ClosedTrace]
    conflicts: int = 0
    rereads: int = 0
    late: int = 0
    strays: Sequence[SpanEntry | LogEntry] = ()


class Tally:
    """Counts what becomes of the spans of a batch, and collects the traces that it closes."""

    def __init__(self) -> None:
        self.accepted = self.duplicates = self.unjoined = 0
        self.conflicts = self.rereads = self.late = 0
        self.closed: list[ClosedTrace] = []
        self.strays: list[SpanEntry | LogEntry] = []

    def pushed(self) -> Pushed:
        """Return the counts."""
        return Pushed(
            self.accepted,
            self.duplicates,
            self.unjoined,
            self.closed,
            self.conflicts,
            self.rereads,
            self.late,
            self.strays,
        )
