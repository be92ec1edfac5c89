"""The readings of one series, in order of time, and how they fill a stretch of time.

A reading of a level (memory in use, a power) speaks for the time since the one before, but not for
more than `max_age`, and the first for all of that. Two readings of a counter tell its rate in
between; where it starts anew (it fell, or says that it began later) that is not known, and nothing
is made up. After the last reading the rate is held on for `max_age`.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

NS = 1e9


class Stretch(NamedTuple):
    """A time (Unix nanoseconds) in which a series had this rate; `held`: as far as is known."""

    start_ns: int
    end_ns: int
    rate: float
    held: bool = False


class Window(NamedTuple):
    """The time of a trace, and which readings count: to `until_ns`, at most `max_age_ns` old."""

    start_ns: int
    end_ns: int
    until_ns: int
    max_age_ns: int

    @property
    def length_ns(self) -> int:
        """How long it is."""
        return self.end_ns - self.start_ns


class Series:
    """One series; `counts` = its values count up, `is_delta` = each from the one before.

    `from_start`: the first one from its start.
    """

    __slots__ = ("_counts", "_from_start", "_is_delta", "_starts", "_times", "_values")

    def __init__(self, *, counts: bool, is_delta: bool, from_start: bool) -> None:
        self._counts = counts
        self._is_delta = is_delta
        self._from_start = from_start
        self._times = array("q")
        self._values = array("d")
        self._starts = array("q")

    def __len__(self) -> int:
        """Return how many readings there are."""
        return len(self._times)

    @property
    def times(self) -> "array[int]":
        """The times of the readings, ascending; not to be changed."""
        return self._times

    def add(self, time_ns: int, value: float, start_ns: int) -> bool:
        """Take a reading, wherever in time; False = there is one of that time.

        Of two that differ the larger one stays, in whatever order they come.
        """
        times, values, starts = self._times, self._values, self._starts
        at = bisect_left(times, time_ns)
        if at == len(times) or times[at] != time_ns:
            times.insert(at, time_ns)
            values.insert(at, value)
            starts.insert(at, start_ns)
            return True
        values[at], starts[at] = max((values[at], starts[at]), (value, start_ns))
        return False

    def drop_until(self, time_ns: int) -> int:
        """Forget the readings up to a time; returns how many."""
        at = bisect_right(self._times, time_ns)
        del self._times[:at], self._values[:at], self._starts[:at]
        return at

    def stretches(self, window: Window) -> Iterator[Stretch]:
        """Yield what is known of a window, cut to it, in order of time."""
        start, end = window.start_ns, window.end_ns
        last = bisect_right(self._times, window.until_ns) - 1
        if last < 0:
            return
        rate = None
        # One more than overlap the window: the last before it may have to be held on.
        for index in range(min(bisect_right(self._times, start), last), last + 1):
            found = self._before(index, window.max_age_ns)
            rate = None if found is None else found.rate
            if found is not None and found.start_ns < end and found.end_ns > start:
                yield Stretch(max(found.start_ns, start), min(found.end_ns, end), found.rate)
        time_ns = self._times[last]
        if not self._counts:
            rate = self._values[last]
        stop = min(end, time_ns + window.max_age_ns)
        if rate is not None and stop > max(time_ns, start):
            yield Stretch(max(time_ns, start), stop, rate, held=True)

    def _before(self, index: int, max_age_ns: int) -> Stretch | None:
        """Return what a reading says of the time before it."""
        time_ns, value = self._times[index], self._values[index]
        before = self._times[index - 1] if index else None
        start = self._starts[index]
        if not self._counts:
            reach = time_ns - max_age_ns
            return Stretch(reach if before is None else max(before, reach), time_ns, value)
        if self._is_delta or (self._from_start and before is None):
            begin = start or before
            if begin is None or (before is not None and begin < before):
                return None
            return Stretch(begin, time_ns, value / (time_ns - begin) * NS)
        if before is None or start != self._starts[index - 1]:
            return None
        more = value - self._values[index - 1]
        return Stretch(before, time_ns, more / (time_ns - before) * NS) if more >= 0 else None
