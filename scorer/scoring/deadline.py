"""A time limit for calls into somebody's metric.

In the main thread of a process an interval timer raises `DeadlineExceeded` inside the call,
so a metric that loops or sleeps in Python costs only its own score. A call that hangs in C
is beyond reach here: the worker pool's task time-out kills that process. Elsewhere than in
a main thread (tests, embedding) there is no limit.
"""

# `signal` without its enums: to find none for a handler takes longer than all else here.
import _signal  # type: ignore[import-not-found]
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

# A metric that swallows the first interruption gets more of them.
_REPEAT_S = 0.05


class DeadlineExceeded(BaseException):
    """The call took too long; a BaseException so that a metric's own handlers let it pass."""


def _interrupt(_signum: int, _frame: FrameType | None) -> None:
    raise DeadlineExceeded


@contextlib.contextmanager
def alarm() -> Iterator[None]:
    """Hold the process's alarm signal, which `call_within` needs; put back what was there."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = _signal.signal(signal.SIGALRM, _interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _signal.signal(signal.SIGALRM, previous)


def call_within(seconds: float, function: Callable[[], T]) -> T:
    """Return `function()`; raises DeadlineExceeded when it takes longer than `seconds`.

    Works inside `with alarm()`; without it, or in another thread, there is no limit.
    """
    if _signal.getsignal(signal.SIGALRM) is not _interrupt:
        return function()
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_S)
        return function()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
