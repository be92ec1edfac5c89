"""What runs inside a scoring process.

The process builds its engine once; tasks and results cross the pipe as msgpack, which is
several times cheaper than pickle for these types.
"""

import contextlib
import os
import signal
import threading
import time
from itertools import chain, groupby, repeat
from multiprocessing.connection import Connection

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scorer.api import ScoredTrace
from scorer.config import parse_config
from scorer.model.trace import ClosedTrace, Envelope
from scorer.scoring.engine import Engine, build_engine
from scorer.scoring.memory import settle_memory
from scorer.scoring.watch import Watch
from scorer.telemetry import set_up_logging

SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM})
# Where the cores are busy, what is received goes first: a sender waits for its answer, and scoring
# that falls behind has new requests refused.
_NICENESS = 7
# How often a worker looks whether its service is still there, seconds.
_LOOK_S = 1.0


_Runs = tuple[tuple[int, Envelope], ...]


class Task(Struct, frozen=True, array_like=True):
    """A batch of traces to score; see `Engine.score` for `barred`."""

    traces: tuple[ClosedTrace, ...]
    barred: dict[str, str] = {}


class _Packed(Struct, frozen=True, array_like=True):
    """A trace without its envelopes, and these: how many spans (log records) in a row share one.

    A resource that is written for each of its spans would make gigabytes of a small request.
    """

    trace: ClosedTrace
    spans: _Runs
    logs: _Runs


class _PackedTask(Struct, frozen=True, array_like=True):
    traces: tuple[_Packed, ...]
    barred: dict[str, str]


_encoder = msgspec.msgpack.Encoder()
_task_decoder = msgspec.msgpack.Decoder(_PackedTask)
_result_decoder = msgspec.msgpack.Decoder(list[ScoredTrace])


def encode_task(task: Task) -> bytes:
    """Return a task as bytes."""
    return _encoder.encode(_PackedTask(tuple(map(_pack, task.traces)), task.barred))


def decode_task(data: bytes) -> Task:
    """Return the task of some bytes."""
    packed = _task_decoder.decode(data)
    return Task(tuple(map(_unpack, packed.traces)), packed.barred)


def _pack(trace: ClosedTrace) -> _Packed:
    bare = replace(trace, span_envelopes=(), log_envelopes=())
    return _Packed(bare, _runs(trace.span_envelopes), _runs(trace.log_envelopes))


def _unpack(packed: _Packed) -> ClosedTrace:
    return replace(
        packed.trace, span_envelopes=_each(packed.spans), log_envelopes=_each(packed.logs)
    )


def _runs(envelopes: tuple[Envelope, ...]) -> _Runs:
    return tuple([(len(list(run)), envelope) for envelope, run in groupby(envelopes)])


def _each(runs: _Runs) -> tuple[Envelope, ...]:
    return tuple(chain.from_iterable(repeat(envelope, count) for count, envelope in runs))


def decode_result(data: bytes) -> list[ScoredTrace]:
    """Return the scored traces of a finished task."""
    return _result_decoder.decode(data)


def serve(pipe: Connection, config: dict[str, object], watch: Watch) -> None:
    """Be a scoring process: say that it is ready, then do one task after the other.

    Returns when the other end of the pipe is closed: the service has ended.
    """
    # The service decides when a worker ends: a signal to the whole process group (Ctrl-C,
    # `timeout`, systemd) must not take away those who score what is still open.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    set_up_logging("WARNING")
    engine = build_engine(parse_config(config))
    engine.at_metric = watch.at_metric
    settle_memory()
    os.nice(_NICENESS)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send_bytes(b"ready")
        while True:
            task = decode_task(pipe.recv_bytes())
            pipe.send_bytes(_encoder.encode(_done(engine, task, watch)))


def _done(engine: Engine, task: Task, watch: Watch) -> list[ScoredTrace]:
    scored = []
    for index, trace in enumerate(task.traces):
        watch.at_trace(index)
        scored.append(engine.score(trace, task.barred))
    return scored


def _end_with_parent(parent: int) -> None:
    """End a process that hangs in a metric, and so never sees that its service is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)
