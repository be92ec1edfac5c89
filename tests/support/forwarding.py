"""A whole service between an agent and real backends."""

import asyncio
from contextlib import asynccontextmanager

from serving import serving

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
        "state_dir": str(folder / "state"),
        "shutdown_timeout": stop_within,
        "assembly": {"linger": "100ms"} | assembly,
        "scoring": {"workers": 0, "metrics": list(metrics)},
        "sinks": {"otlp": list(targets), "jsonl": {"path": str(folder / "scores")}},
    }
    async with serving(**config) as service:
        yield service


async def until(condition):
    """Wait until something is so."""
    async with asyncio.timeout(15):
        while not condition():  # noqa: ASYNC110 - what it looks at tells nobody
            await asyncio.sleep(0.02)
