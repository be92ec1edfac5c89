"""How far scoring will be behind.

Theory of operation. A trace is scored seconds after its spans came, when it is complete, so a
queue of closed traces shows an overload only when seconds of work have been accepted too much.
Work is therefore booked when it is accepted: it costs what work has lately cost the scorers, and
they work off one second of it each second. What is booked and not worked off is the wait that a
trace accepted now has to expect. What is really there corrects that: at least what is closed and
waits, at most what is open or waits. The correction stays booked: were it forgotten with the next
batch that is scored, as much as was worked off meanwhile would be let in all at once, and those
requests would wait for each other.

Work is measured in spans, and every 4 KiB count as one more: neither a request of 100,000 tiny
spans nor a span of megabytes says anything of what the other costs.
"""

from typing import Final

_MEMORY_S: Final = 5.0  # older figures count for less
_MOST_A_UNIT_S: Final = 0.002
_MARGIN: Final = 1.1  # scorers are never busy all the time
_BYTES_A_UNIT: Final = 4096


def work(spans: int, size: int) -> float:
    """Return the units of work that so many spans of `size` bytes in all are."""
    return spans + size / _BYTES_A_UNIT


class Backlog:
    """The work that is accepted and not scored, in seconds."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.scorers = 1
        self._busy_s = 0.0
        self._units = 0.0
        self._booked_s = 0.0
        self._at = 0.0

    def scored(self, units: float, busy_s: float) -> None:
        """Note that one scorer was busy for `busy_s` seconds with so much work."""
        # A few monstrous spans must not make every other be expected to be one.
        busy_s = min(busy_s, units * _MOST_A_UNIT_S)
        fade = max(0.0, 1.0 - busy_s / (self.scorers * _MEMORY_S))
        self._busy_s = self._busy_s * fade + busy_s
        self._units = self._units * fade + units

    def accepted(self, units: float, now: float) -> None:
        """Book work that will have to be done."""
        self._booked_s = self.booked_s(now) + self.cost_s(units)
        self._at = now

    def booked_s(self, now: float) -> float:
        """Return the seconds of accepted work that are not worked off."""
        return max(0.0, self._booked_s - (now - self._at))

    def cost_s(self, units: float) -> float:
        """Return how long all scorers together need for so much work; 0 = not known yet."""
        if not self._units:
            return 0.0
        return units * self._busy_s / self._units * _MARGIN / self.scorers

    def is_behind(self, waiting: float, unfinished: float, now: float) -> bool:
        """Whether a trace accepted now would wait too long.

        `waiting` is the work that is closed and not scored, `unfinished` that and what is open.
        """
        most = min(self.booked_s(now), self.cost_s(unfinished))
        self._booked_s = max(most, self.cost_s(waiting))
        self._at = now
        return self._booked_s > self.limit_s
