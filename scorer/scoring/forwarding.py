"""The seam for those who pass traces on: nothing is released before they are rid of it."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from scorer.api import ScoredTrace
from scorer.model.trace import ClosedTrace, Item
from scorer.otlp.signal import Signal

Done = asyncio.Future[None]
"""Done when all targets have accepted something, or have refused it for good. It never fails."""


class Stray(NamedTuple):
    """What belongs to no open trace: a request of late spans, log records or metrics.

    `trace_id` is set when all of it belongs to one closed trace, else `b""`. It is a `body` as it
    came, or `parts` of one, which become bodies when they are sent: before, the spans of many
    traces share one envelope, which may be large.
    """

    signal: Signal
    tenant: str
    trace_id: bytes
    body: bytes
    items: int
    parts: Sequence[Item] = ()

    @property
    def size(self) -> int:
        """About the bytes of its bodies."""
        envelopes = {id(envelope): envelope.size for _, envelope in self.parts}
        wires = sum(len(wire) for wire, _ in self.parts)
        return len(self.body) + wires + sum(envelopes.values())


class Forwarder(Protocol):
    """Passes traces on. Calls are quick; what is not sent yet waits in it."""

    def closed(self, traces: Sequence[ClosedTrace]) -> None:
        """Note traces that have closed and will be scored."""
        ...

    def forward(self, batch: Sequence[ClosedTrace], scored: Sequence[ScoredTrace]) -> Done:
        """Pass on traces that were noted as closed, with the verdict on each."""
        ...

    def pass_on(self, stray: Stray) -> Done:
        """Pass on what belongs to no open trace, unchanged."""
        ...


class NoForwarder:
    """Passes nothing on."""

    def closed(self, traces: Sequence[ClosedTrace]) -> None:
        """Do nothing."""

    def forward(
        self,
        batch: Sequence[ClosedTrace],  # noqa: ARG002 - protocol
        scored: Sequence[ScoredTrace],  # noqa: ARG002 - protocol
    ) -> Done:
        """Return what is done."""
        return all_done(())

    def pass_on(self, stray: Stray) -> Done:  # noqa: ARG002 - protocol
        """Return what is done."""
        return all_done(())


def all_done(parts: Sequence[Done]) -> Done:
    """Return a future that is done when all of them are."""
    whole: Done = asyncio.get_running_loop().create_future()
    follow(whole, parts)
    return whole


def follow(whole: Done, parts: Sequence[Done]) -> None:
    """Have a future be done when all of some others are; never, when one of them is cancelled."""
    left = [part for part in parts if not part.done() or part.cancelled()]
    count = len(left)

    def one_is_done(part: Done) -> None:
        nonlocal count
        count -= not part.cancelled()
        if not count and not whole.done():
            whole.set_result(None)

    for part in left:
        part.add_done_callback(one_is_done)
    if not left and not whole.done():
        whole.set_result(None)
