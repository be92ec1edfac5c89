"""One scoring process and the pipe to it.

Each process has a pipe of its own, which nobody else holds: a process that is killed, in the
middle of whatever, takes nothing along that others wait for, its end is seen at once, and a
process whose service is gone reads the end of its pipe and exits. (Pools that share one
channel between their workers, pebble's among them, promise none of the three.)
"""

import atexit
import contextlib
import multiprocessing
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from scorer.scoring import worker

# A process imports and builds its metrics first, seconds.
_START_TIMEOUT_S = 60.0
_START_TRIES = 3


class TaskFailedError(Exception):
    """A task was not finished; the text is the reason code: `timeout` or `worker_died`."""


class WorkerProcess:
    """A process that is started when it is needed; used by one thread at a time."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._is_stopped = False
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def start(self) -> None:
        """Start the process and wait until it takes tasks; tries again when it ends.

        Raises:
            TaskFailedError: It ended each time, or was not ready in time.
        """
        for _ in range(_START_TRIES - 1):
            with contextlib.suppress(TaskFailedError):
                return self._start_once()
        return self._start_once()

    def stop(self) -> None:
        """End the process for good; may be called while another thread waits for it."""
        self._is_stopped = True
        self.kill()

    def _start_once(self) -> None:
        if self._is_stopped:
            raise TaskFailedError("stopped")
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=worker.serve, args=(theirs, self._config), daemon=True
        )
        self._process.start()
        # Else an exit that nobody prepared would wait for a worker that waits for work.
        atexit.register(self._process.kill)
        theirs.close()
        self._receive(self._pipe, _START_TIMEOUT_S)

    def call(self, data: bytes, timeout_s: float) -> bytes:
        """Have one encoded task done.

        Raises:
            TaskFailedError: The process ended or was silent for `timeout_s`; the next call
                gets a new one.
        """
        if self._pipe is None:
            self.start()
        assert self._pipe is not None
        try:
            self._pipe.send_bytes(data)
        except OSError as error:
            self.kill()
            raise TaskFailedError("worker_died") from error
        return self._receive(self._pipe, timeout_s)

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

    def _receive(self, pipe: Connection, timeout_s: float) -> bytes:
        try:
            if pipe.poll(timeout_s):
                return pipe.recv_bytes()
        except (EOFError, OSError) as error:
            self.kill()
            raise TaskFailedError("worker_died") from error
        self.kill()
        raise TaskFailedError("timeout")
