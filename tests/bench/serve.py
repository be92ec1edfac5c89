"""The servers under test, each in a process of its own: `serve.py count|ingest|service`.

`count` only counts the bytes of each request, `ingest` assembles and drops what closes,
`service` is the whole of Spanscore with `scoring.workers: 0` (one core). Each prints its
port, and ends with its standard input.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import grpc
import grpc.aio
import uvloop

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.journal import Journal
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.ingest import AssemblingIngest
from scorer.receivers.otlp_grpc import OtlpGrpcReceiver
from scorer.scoring.memory import settle_memory
from scorer.service import Service
from scorer.telemetry import Telemetry

ANY_PORT = {"endpoint": "127.0.0.1:0"}


class CountingHandler(grpc.GenericRpcHandler):
    """Adds up the lengths of the requests."""

    def __init__(self):
        self.total = 0

    def service(self, _details):
        async def handle(body, _context):
            self.total += len(body)
            return b""

        return grpc.unary_unary_rpc_method_handler(handle)


async def count():
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", 64 * 2**20)])
    server.add_generic_rpc_handlers([CountingHandler()])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await until_stdin_ends(port)
    await server.stop(0)


async def ingest():
    await ingest_into(None)


async def journal():
    """Ingest with the journal, `fsync: batch`, in a folder that is removed at the end."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        log = Journal(Path(folder), fsync="batch", max_size=8 * 2**30)
        await ingest_into(log)
        log.close()


async def ingest_into(log):
    config = parse_config(
        {
            "assembly": {"memory": "20GiB", "linger": "500ms"},
            "journal": {"enabled": False},
            "receivers": {"otlp": {"grpc": ANY_PORT}},
        }
    )
    telemetry, budget = Telemetry(), MemoryBudget(config.assembly.memory)
    assembler = Assembler(assembler_settings(config.assembly), budget)

    def done(traces):
        for trace in traces:
            budget.release(trace.size)
            assembler.release(trace)
        if log is not None:
            log.release(assembler.watermark.lowest() or log.next_offset)

    door = AssemblingIngest(
        source="otlp",
        assembler=assembler,
        admission=Admission(assembler, budget),
        telemetry=telemetry,
        clock=time.monotonic,
        on_closed=done,
        log=log,
    )
    receiver = OtlpGrpcReceiver(config, door, telemetry)
    await receiver.start()
    polling = asyncio.create_task(poll(door))
    settle_memory(answers=True)
    await until_stdin_ends(receiver.address[1])
    polling.cancel()
    await receiver.stop(0)


async def poll(door):
    while True:
        await asyncio.sleep(0.05)
        door.poll()


async def service():
    config = parse_config(
        {
            "assembly": {"memory": "256MiB", "linger": "200ms"},
            "receivers": {"otlp": {"grpc": ANY_PORT, "http": ANY_PORT}},
            "scoring": {"workers": 0},
            "journal": {"enabled": False},
            "web": ANY_PORT,
        }
    )
    running = Service(config)
    await running.start()
    stop = asyncio.Event()
    task = asyncio.create_task(running.run(stop))
    settle_memory(answers=True)
    port = running.addresses["otlp_grpc"][1]
    await until_stdin_ends(f"{port} {running.addresses['web'][1]}")
    stop.set()
    await task


async def until_stdin_ends(ready):
    print(ready, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    uvloop.run(
        {"count": count, "ingest": ingest, "journal": journal, "service": service}[sys.argv[1]]()
    )
