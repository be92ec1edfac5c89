"""What runs inside a scoring process.

The process builds its engine once; tasks and results cross the pipe as msgpack, which is
several times cheaper than pickle for these types.
"""

import signal
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from scorer.api import ScoredTrace
from scorer.config import parse_config
from scorer.model.trace import ClosedTrace
from scorer.scoring.engine import Engine, build_engine
from scorer.scoring.memory import settle_memory
from scorer.telemetry import set_up_logging


class Task(Struct, frozen=True, array_like=True):
    """A batch of traces to score; see `Engine.score` for `barred` and `only`."""

    traces: tuple[ClosedTrace, ...]
    barred: dict[str, str] = {}
    only: str | None = None


_encoder = msgspec.msgpack.Encoder()
_task_decoder = msgspec.msgpack.Decoder(Task)
_result_decoder = msgspec.msgpack.Decoder(list[ScoredTrace])
_engine: Engine | None = None


def encode_task(task: Task) -> bytes:
    """Return a task as bytes."""
    return _encoder.encode(task)


def decode_result(data: bytes) -> list[ScoredTrace]:
    """Return the scored traces of a finished task."""
    return _result_decoder.decode(data)


def run_task(engine: Engine, task: Task) -> list[ScoredTrace]:
    """Score a batch in order."""
    return [engine.score(trace, task.barred, task.only) for trace in task.traces]


def start(config: dict[str, object]) -> None:
    """Build the engine of this process (called once, before the first task)."""
    global _engine  # noqa: PLW0603 - a worker process is the engine's only owner
    # The parent decides when a worker ends; Ctrl-C reaches the whole process group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    set_up_logging("WARNING")
    _engine = build_engine(parse_config(config))
    settle_memory()


def run(data: bytes) -> bytes:
    """Run one encoded task."""
    assert _engine is not None, "start() was not called"
    return _encoder.encode(run_task(_engine, _task_decoder.decode(data)))


def warm_up(_: bytes) -> Sequence[int]:
    """Do nothing; returns when the process is ready for tasks."""
    return ()
