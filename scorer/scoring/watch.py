"""What a scoring process is busy with, seen from outside.

A few integers in memory that the process and the service share: the process notes which
trace of its batch and which metric it is at, the service looks when the process is silent.
So a metric that hangs where no timer reaches it, or ends its process, is known at once.
"""

import ctypes
import time
from collections.abc import Sequence
from multiprocessing.context import SpawnContext
from typing import Any, NamedTuple

_TRACE, _METRIC, _STEPS = range(3)
_NO_METRIC = -1


class Place(NamedTuple):
    """Where a process is in its batch; `metric` None = decoding, normalising or idle."""

    trace: int
    metric: int | None


class Watch:
    """The shared integers; passed to the process when it is started."""

    def __init__(self, context: SpawnContext) -> None:
        self._shared: Any = context.RawArray(ctypes.c_int64, 3)
        self._shared[_METRIC] = _NO_METRIC

    def at_trace(self, index: int) -> None:
        """Note, in the process, that a trace is begun."""
        self._note(index, _NO_METRIC)

    def at_metric(self, index: int | None) -> None:
        """Note, in the process, that a metric is called, or (None) has returned."""
        self._note(self._shared[_TRACE], _NO_METRIC if index is None else index)

    def place(self) -> Place:
        """Return where the process is."""
        metric = self._shared[_METRIC]
        return Place(self._shared[_TRACE], None if metric == _NO_METRIC else metric)

    def steps(self) -> int:
        """Return how often the process noted anything: while it grows, the process goes on."""
        return int(self._shared[_STEPS])

    def _note(self, trace: int, metric: int) -> None:
        self._shared[_TRACE] = trace
        self._shared[_METRIC] = metric
        self._shared[_STEPS] += 1


class Patience:
    """Tells, for one task, when a process has been at the same place for too long.

    `limits` are the seconds that each metric may take, `otherwise` those of anything else.
    """

    def __init__(self, watch: Watch, limits: Sequence[float], otherwise: float) -> None:
        self._watch = watch
        self._limits = limits
        self._otherwise = otherwise
        self._steps = watch.steps()
        self._since = time.monotonic()

    def is_over(self) -> bool:
        """Whether the process is stuck."""
        steps, now = self._watch.steps(), time.monotonic()
        if steps != self._steps:
            self._steps, self._since = steps, now
            return False
        metric = self._watch.place().metric
        limit = self._otherwise if metric is None else self._limits[metric]
        return now - self._since > limit
