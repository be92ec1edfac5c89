"""A whole service between an agent and real backends."""

import asyncio
from contextlib import asynccontextmanager

from scorer.config import parse_config
from scorer.service import Service
from scorer.testing import assert_balance

ANY = {"endpoint": "127.0.0.1:0"}
FAST = {"initial_interval": "50ms", "max_interval": "100ms"}


def target(backend, mode="forward", **fields):
    """Return a target of the configuration: one of `otlp_servers`, with its `protocol`."""
    place = f"127.0.0.1:{backend.port}"
    return {
        "endpoint": place if backend.protocol == "grpc" else f"http://{place}",
        "protocol": backend.protocol,
        "mode": mode,
        "retry": FAST,
    } | fields


@asynccontextmanager
async def running(folder, *targets, stop_within="30s", metrics=("latency",), **assembly):
    """Run a service; on leaving it drains and its balance is checked."""
    folder.mkdir(exist_ok=True)
    config = {
        "receivers": {"otlp": {"grpc": ANY, "http": ANY}},
        "web": ANY,
        "state_dir": str(folder / "state"),
        "shutdown_timeout": stop_within,
        "assembly": {"linger": "100ms"} | assembly,
        "scoring": {"workers": 0, "metrics": list(metrics)},
        "sinks": {"otlp": list(targets), "jsonl": {"path": str(folder / "scores")}},
    }
    service = Service(parse_config(config))
    await service.start()
    stop = asyncio.Event()
    task = asyncio.create_task(service.run(stop))
    try:
        yield service
    finally:
        stop.set()
        await task
        assert_balance(service.telemetry)


async def until(condition):
    """Wait until something is so."""
    async with asyncio.timeout(15):
        while not condition():  # noqa: ASYNC110 - what it looks at tells nobody
            await asyncio.sleep(0.02)
