"""Runs one OTLP receiver in a process of its own, to measure what a request costs in memory.

Prints the port, serves until stdin is closed, then prints by how many bytes the peak of the
resident set grew meanwhile (Linux).
"""

import asyncio
import re
import sys
from pathlib import Path

from scorer.config import parse_config
from scorer.receivers.otlp_grpc import OtlpGrpcReceiver
from scorer.receivers.otlp_http import OtlpHttpReceiver
from scorer.telemetry import Telemetry
from scorer.testing import RecordingIngest

RECEIVERS = {"grpc": OtlpGrpcReceiver, "http": OtlpHttpReceiver}


def peak_rss() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024


async def main(protocol: str, limit: str) -> None:
    otlp = {protocol: {"endpoint": "127.0.0.1:0", "max_request_size": limit}}
    config = parse_config({"receivers": {"otlp": otlp}})
    receiver = RECEIVERS[protocol](config, RecordingIngest(), Telemetry())
    await receiver.start()
    before = peak_rss()
    print(receiver.address[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(peak_rss() - before, flush=True)
    await receiver.stop(1)


asyncio.run(main(*sys.argv[1:]))
