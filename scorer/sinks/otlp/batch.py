"""What is sent in one request."""

from asyncio import Future
from typing import NamedTuple

from scorer.otlp.signal import Signal
from scorer.sinks.otlp.parcel import Parcel


class Entry(NamedTuple):
    """A parcel in the queue, the `number`th; `done` is set when it needs no more care.

    `since` is when it came, in seconds.
    """

    number: int
    parcel: Parcel
    done: "Future[None]"
    since: float


class Batch:
    """Entries of one signal that go out together.

    `tries` counts failures that may pass, `strikes` those of them before which the target took
    other requests, so that the fault may be this batch's own. `taken_before` is how many
    requests the target had taken at the last failure, `round` is that of the pace at the last
    sending. `due` (seconds) is before which it is not sent, whatever the target's pace.
    """

    __slots__ = ("due", "entries", "number", "round", "signal", "strikes", "taken_before", "tries")

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.signal: Signal = entries[0].parcel.signal
        self.number = entries[0].number
        self.due = 0.0
        self.tries = 0
        self.strikes = 0
        self.taken_before = 0
        self.round = 0

    def __lt__(self, other: "Batch") -> bool:
        return (self.due, self.number) < (other.due, other.number)

    @property
    def body(self) -> bytes:
        """The request, joined when it is sent, so that what waits is held once."""
        return b"".join([entry.parcel.body for entry in self.entries])

    @property
    def items(self) -> int:
        """Spans, records or points in it."""
        return sum(entry.parcel.items for entry in self.entries)
