"""Background tasks with an owner."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any


@contextlib.asynccontextmanager
async def background() -> AsyncIterator[list[asyncio.Task[Any]]]:
    """Hold tasks that are cancelled and awaited at the end."""
    tasks: list[asyncio.Task[Any]] = []
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
