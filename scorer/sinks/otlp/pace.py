"""When a target may be asked again: back-off, and one probe at a time while it fails."""

from collections.abc import Callable
from random import Random

# 2 to this power is beyond any longest wait.
_MAX_DOUBLINGS = 32


class Backoff:
    """Waits that double from `initial_s` up to `max_s`, each cut by up to a half at random.

    The jitter keeps several senders from coming back all at once.
    """

    def __init__(
        self, initial_s: float, max_s: float, uniform: Callable[[float, float], float] | None = None
    ) -> None:
        self._initial_s = initial_s
        self._max_s = max_s
        self._uniform = uniform or Random().uniform  # noqa: S311 - no secret depends on it

    def delay_s(self, failures: int) -> float:
        """Return the wait after so many failures in a row (at least 1)."""
        doubled = self._initial_s * (1 << min(failures - 1, _MAX_DOUBLINGS))
        return min(doubled, self._max_s) * self._uniform(0.5, 1.0)


class Pace:
    """How many requests a target may have at a time, and from when on.

    A failure makes it wait, and then get a single request until it takes one. Requests that
    were under way together count as one failure: `round` tells which belong together.
    """

    def __init__(self, backoff: Backoff, concurrency: int) -> None:
        self._backoff = backoff
        self._concurrency = concurrency
        self._failures = 0
        self._asked_until = 0.0
        self.round = 0
        self.resume_at = 0.0

    @property
    def slots(self) -> int:
        """Requests that may be under way."""
        return 1 if self._failures else self._concurrency

    def failed(self, now: float, sent_in: int, asked_s: float) -> None:
        """Note a request of round `sent_in` that was not taken; `asked_s` = what it asked for."""
        if sent_in == self.round:
            self.round += 1
            self._failures += 1
            self.resume_at = now + self._backoff.delay_s(self._failures)
        self.asked(now, asked_s)

    def asked(self, now: float, asked_s: float) -> None:
        """Note what the target asked for itself."""
        self._asked_until = max(self._asked_until, now + asked_s)
        self.resume_at = max(self.resume_at, self._asked_until)

    def answered(self) -> None:
        """Note that the target is alive; only what it asked for itself still holds."""
        self._failures = 0
        self.resume_at = self._asked_until
