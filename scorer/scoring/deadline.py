"""A time limit for calls into somebody's metric.

In the main thread of a process an interval timer raises `DeadlineExceeded` inside the call,
so a metric that loops or sleeps in Python costs only its own score. A call that hangs in C
is beyond reach here: the worker pool's task time-out kills that process. Elsewhere than in
a main thread (tests, embedding) there is no limit.
"""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

# Calls a function without arguments; raises DeadlineExceeded after so many seconds.
CallWithin = Callable[[float, Callable[[], Any]], Any]

# A metric that swallows the first interruption gets more of them.
_REPEAT_S = 0.05


class DeadlineExceeded(BaseException):
    """The call took too long; a BaseException so that a metric's own handlers let it pass."""


@contextlib.contextmanager
def deadlines() -> Iterator[CallWithin]:
    """Hold the process's alarm signal and yield what calls within a time; put all back after."""
    if threading.current_thread() is not threading.main_thread():
        yield _without_limit
        return
    previous = signal.signal(signal.SIGALRM, _interrupt)
    try:
        yield _within
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _interrupt(_signum: int, _frame: FrameType | None) -> None:
    raise DeadlineExceeded


def _within(seconds: float, function: Callable[[], Any]) -> Any:
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_S)
        try:
            return function()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except DeadlineExceeded:
        # It may have hit the line above; the next repeat would then hit somebody else.
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise


def _without_limit(_seconds: float, function: Callable[[], Any]) -> Any:
    return function()
