"""A whole service in this process."""

import asyncio
from contextlib import asynccontextmanager

from scorer.config import parse_config
from scorer.service import Service
from scorer.testing import assert_balance

ANY = {"endpoint": "127.0.0.1:0"}
ANY_PORTS = {"receivers": {"otlp": {"grpc": ANY, "http": ANY}}, "web": ANY}


@asynccontextmanager
async def serving(**sections):
    """Run a service on free ports; on leaving it drains and its balance is checked."""
    service = Service(parse_config(ANY_PORTS | sections))
    await service.start()
    stop = asyncio.Event()
    task = asyncio.create_task(service.run(stop))
    try:
        yield service
    finally:
        stop.set()
        await task
        assert_balance(service.telemetry)
