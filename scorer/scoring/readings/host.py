"""Readings of this machine, for agents on it that report nothing of it themselves.

Only of the machine as a whole: what a resource says of a process, its number for one, must not
make us look at it. Memory is left out, for that of a machine says nothing of an agent.
"""

import asyncio
import socket
import time
from typing import Final

import psutil

from scorer.scoring.readings.join import Readings
from scorer.scoring.readings.names import HOST_CPU

INTERVAL_S: Final = 10.0


async def read_host(readings: Readings, interval_s: float = INTERVAL_S) -> None:
    """Read the use of the processors again and again, until cancelled."""
    identity = (("host.name", socket.gethostname()),)
    psutil.cpu_percent()  # the use since the call before; this is the first
    while True:
        await asyncio.sleep(interval_s)
        readings.observe(HOST_CPU, identity, time.time_ns(), psutil.cpu_percent() / 100)
