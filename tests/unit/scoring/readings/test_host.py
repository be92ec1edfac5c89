"""Readings of this machine."""

import asyncio
import socket
import time

import pytest

from scorer.config import ReadingsConfig
from scorer.scoring.readings.host import read_host
from scorer.scoring.readings.join import Readings
from scorer.scoring.readings.names import HOST_CPU
from scorer.scoring.readings.series import Window
from scorer.telemetry import Telemetry


async def test_the_use_of_its_processors_is_read_under_its_name():
    """As a share, at the time of the wall clock; agents on it have the same `host.name`."""
    readings = Readings(ReadingsConfig(), Telemetry(), lambda: 0.0)
    begun = time.time_ns()
    task = asyncio.create_task(read_host(readings, interval_s=0.0))
    while not readings.resources:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    named = (("service.name", "agent"), ("host.name", socket.gethostname()))
    (kept,) = readings._store.find("", named)
    ((_, series),) = kept.series(HOST_CPU)
    now = time.time_ns()
    assert begun < series.times[0] <= now
    rates = [s.rate for s in series.stretches(Window(begun, now, now, 10**9))]
    assert all(0 <= rate <= 1 for rate in rates)
    assert readings._store.find("t", named) == []
