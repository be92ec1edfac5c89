"""Logging of unexpected faults, and log set-up."""

import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from scorer.errors import SpanscoreError


class FaultLog:
    """Reports unexpected faults, each kind at most once a minute.

    It names the exception's type and where it was raised, not its text, which may quote what
    a span holds; only our own errors (`SpanscoreError`) speak for themselves.
    """

    INTERVAL_S = 60.0

    def __init__(self, logger: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._clock = clock
        self._next: dict[str, float] = {}
        self._unlogged: Counter[str] = Counter()

    def report(self, kind: str, error: BaseException) -> None:
        """Log a fault; `kind` is one of few texts and begins the line."""
        now = self._clock()
        if now < self._next.get(kind, now):
            self._unlogged[kind] += 1
            return
        more = (
            f" ({self._unlogged.pop(kind)} more since the last report)"
            if self._unlogged[kind]
            else ""
        )
        self._logger.error("%s: %s%s", kind, _where(error), more)
        self._next[kind] = now + self.INTERVAL_S


def _where(error: BaseException) -> str:
    if isinstance(error, SpanscoreError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(
        f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames[-4:])
    )
    return f"{type(error).__name__} at {places or 'unknown'}"


def set_up_logging(level: str = "INFO") -> None:
    """Log to stderr, one line a record."""
    logging.basicConfig(
        stream=sys.stderr,
        level=level,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        force=True,
    )
