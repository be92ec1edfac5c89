"""One scoring process and the pipe to it.

Each process has a pipe of its own, which nobody else holds: a process that is killed, in the
middle of whatever, takes nothing along that others wait for, its end is seen at once, and a
process whose service is gone reads the end of its pipe and exits. (Pools that share one
channel between their workers promise none of the three.)
"""

import atexit
import contextlib
import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from scorer.scoring import worker
from scorer.scoring.watch import Patience, Place, Watch

# A process imports and builds its metrics first, seconds.
_START_TIMEOUT_S = 60.0
_START_TRIES = 3
# How often a silent process is looked at, and how much longer than its metric's own time-out,
# which ends all that Python can end, it may take.
_LOOK_S = 0.1
_GRACE_S = 1.0


class TaskFailedError(Exception):
    """A task was not finished; the text is the reason code: `timeout` or `worker_died`.

    `place` says where in the batch the process was.
    """

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.place = place


class WorkerProcess:
    """A process that is started when it is needed; used by one thread at a time.

    `limits` are the time-outs of the metrics, `silence` that of everything else, seconds.
    """

    def __init__(self, config: dict[str, Any], limits: Sequence[float], silence: float) -> None:
        self._config = config
        self._limits = tuple(limit + _GRACE_S for limit in limits)
        self._silence = silence
        self._is_stopped = False
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._watch: Watch | None = None

    def start(self) -> None:
        """Start the process and wait until it takes tasks; tries again when it ends.

        Raises:
            TaskFailedError: It ended each time, or was not ready in time.
        """
        for _ in range(_START_TRIES - 1):
            with contextlib.suppress(TaskFailedError):
                return self._start_once()
        return self._start_once()

    def call(self, data: bytes) -> bytes:
        """Have one encoded task done.

        Raises:
            TaskFailedError: The process ended or was stuck; the next call gets a new one.
        """
        if self._pipe is None:
            self.start()
        assert self._pipe is not None
        try:
            self._pipe.send_bytes(data)
        except OSError as error:
            raise self._failed("worker_died") from error
        assert self._watch is not None
        return self._receive(self._pipe, Patience(self._watch, self._limits, self._silence))

    def stop(self) -> None:
        """End the process for good; may be called while another thread waits for it."""
        self._is_stopped = True
        self.kill()

    def kill(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        pipe, self._pipe = self._pipe, None
        if process is not None:
            atexit.unregister(process.kill)
            process.kill()
            process.join()
        if pipe is not None:
            pipe.close()

    def _start_once(self) -> None:
        if self._is_stopped:
            raise TaskFailedError("stopped")
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        watch = Watch(context)
        process = context.Process(
            target=worker.serve, args=(theirs, self._config, watch), daemon=True
        )
        process.start()
        # Else an exit that nobody prepared would wait for a worker that waits for work.
        atexit.register(process.kill)
        theirs.close()
        # Not before it runs: `stop` may come from another thread meanwhile.
        self._process, self._pipe, self._watch = process, pipe, watch
        if self._is_stopped:
            raise self._failed("stopped")
        self._receive(pipe, Patience(watch, self._limits, _START_TIMEOUT_S))

    def _receive(self, pipe: Connection, patience: Patience) -> bytes:
        try:
            while not pipe.poll(_LOOK_S):
                if patience.is_over():
                    raise self._failed("timeout")
            return pipe.recv_bytes()
        except (EOFError, OSError) as error:
            raise self._failed("worker_died") from error

    def _failed(self, reason: str) -> TaskFailedError:
        """End the process and return the error that says where it was."""
        place = self._watch.place() if self._watch is not None else None
        self.kill()
        return TaskFailedError(reason, place)
