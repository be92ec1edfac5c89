"""Who brings parcels downstream."""

import asyncio
from typing import Protocol

from scorer.sinks.otlp.parcel import Parcel


class Courier(Protocol):
    """Brings parcels to one target, in order as far as the target lets it."""

    def submit(self, parcel: Parcel) -> "asyncio.Future[None]":
        """Queue a parcel.

        The future is done when downstream has accepted it, or has refused it for good (counted,
        logged). It never fails.
        """
        ...

    async def room(self) -> None:
        """Wait until the queue is below its bound."""
        ...

    async def run(self) -> None:
        """Send until cancelled."""
        ...

    async def close(self, within_s: float) -> None:
        """Send what is queued, for so long at most, and end."""
        ...
