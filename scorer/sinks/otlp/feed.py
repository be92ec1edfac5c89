"""What waits until a courier has room."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from scorer.scoring.forwarding import Done, follow
from scorer.sinks.otlp.courier import Courier
from scorer.sinks.otlp.parcel import Parcel


class _Job(NamedTuple):
    """What is to be sent, and the future of whoever waits for it."""

    parcels: Callable[[], Iterable[Parcel]]
    done: Done


class Feed:
    """Hands to one courier, in order; parcels are made only when there is room for them."""

    def __init__(self, courier: Courier) -> None:
        self._courier = courier
        self._jobs: deque[_Job] = deque()
        self._arrived = asyncio.Event()

    def queue(self, parcels: Callable[[], Iterable[Parcel]]) -> Done:
        """Have parcels sent; the future is done when all of them are accepted."""
        done: Done = asyncio.get_running_loop().create_future()
        self._jobs.append(_Job(parcels, done))
        self._arrived.set()
        return done

    async def run(self) -> None:
        """Send until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._courier.run())
            tasks.create_task(self._hand_over())

    async def close(self, within_s: float) -> None:
        """Send what the courier has, for so long at most."""
        await self._courier.close(within_s)

    async def _hand_over(self) -> None:
        while True:
            await self._arrived.wait()
            while self._jobs:
                await self._courier.room()
                parcels, done = self._jobs.popleft()
                follow(done, [self._courier.submit(parcel) for parcel in parcels()])
            self._arrived.clear()
