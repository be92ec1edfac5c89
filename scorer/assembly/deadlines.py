"""When is which open trace due.

A binary heap with lazy deletion. An arrival that only moves a trace's due time later costs
nothing here: the entry in the heap stays, and is put back when it is popped too early. So
the work per span does not grow with the number of open traces; a close costs O(log n).
"""

import heapq

from scorer.assembly.open_trace import OpenTrace


class Deadlines:
    """The due times of open traces, earliest first, ties in order of opening."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, OpenTrace]] = []
        self._sequence = 0

    def set(self, trace: OpenTrace) -> None:
        """Note that `trace.due` may have changed."""
        if trace.due < trace.scheduled:
            self._push(trace)

    def next(self) -> float | None:
        """Return a time not after the earliest due time; None when nothing is open."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now: float) -> OpenTrace | None:
        """Remove and return the trace that is due first, if any is due at `now`."""
        while True:
            self._drop_stale()
            if not self._heap or self._heap[0][0] > now:
                return None
            _, _, trace = heapq.heappop(self._heap)
            if trace.due <= trace.scheduled:
                return trace
            self._push(trace)

    def _push(self, trace: OpenTrace) -> None:
        trace.scheduled = trace.due
        self._sequence += 1
        heapq.heappush(self._heap, (trace.due, self._sequence, trace))

    def _drop_stale(self) -> None:
        heap = self._heap
        while heap and (heap[0][2].closed or heap[0][0] != heap[0][2].scheduled):
            heapq.heappop(heap)
