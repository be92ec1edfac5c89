"""Who brings parcels to one target."""

import asyncio
from typing import Protocol

from scorer.sinks.otlp.parcel import Parcel


class Courier(Protocol):
    """Queues parcels and delivers them in the background."""

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
        """Deliver until cancelled."""
        ...

    async def close(self, within_s: float) -> None:
        """Deliver what is queued, within this time."""
        ...
