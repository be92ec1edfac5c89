"""How far scoring will be behind.

Theory of operation. A trace is scored seconds after its spans came, when it is complete, so a
queue of closed traces shows an overload only when seconds of work have been accepted too much.
Work is therefore booked when it is accepted: a span costs what spans have lately cost the
scorers, and the scorers work off one second of work each second. What is booked and not worked
off is the wait that a trace accepted now has to expect. The traces that really wait correct it.
"""

from typing import Final

_MEMORY_S: Final = 5.0  # older figures count for less
_MOST_A_SPAN_S: Final = 0.002
_MARGIN: Final = 1.1  # scorers are never busy all the time


class Backlog:
    """The work that is accepted and not scored, in seconds."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.scorers = 1
        self._busy_s = 0.0
        self._spans = 0.0
        self._booked_s = 0.0
        self._at = 0.0

    def scored(self, spans: int, busy_s: float) -> None:
        """Note that one scorer was busy for `busy_s` seconds with `spans` spans."""
        # A few monstrous spans must not make every other be expected to be one.
        busy_s = min(busy_s, spans * _MOST_A_SPAN_S)
        fade = max(0.0, 1.0 - busy_s / (self.scorers * _MEMORY_S))
        self._busy_s = self._busy_s * fade + busy_s
        self._spans = self._spans * fade + spans

    def accepted(self, spans: int, now: float) -> None:
        """Book spans that will have to be scored."""
        self._booked_s = self.booked_s(now) + self.cost_s(spans)
        self._at = now

    def booked_s(self, now: float) -> float:
        """Return the seconds of accepted work that are not worked off."""
        return max(0.0, self._booked_s - (now - self._at))

    def cost_s(self, spans: int) -> float:
        """Return how long all scorers together need for so many spans; 0 = not known yet."""
        if not self._spans:
            return 0.0
        return spans * self._busy_s / self._spans * _MARGIN / self.scorers

    def is_behind(self, waiting_spans: int, now: float) -> bool:
        """Whether a trace accepted now would wait too long; `waiting_spans` are closed."""
        return max(self.booked_s(now), self.cost_s(waiting_spans)) > self.limit_s
