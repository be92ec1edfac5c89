"""When is which open trace due.

A binary heap with lazy deletion. An arrival that only moves a trace's due time later costs
nothing here: the entry in the heap stays, and is put back when it is popped too early. So
the work per span does not grow with the number of open traces; a close costs O(log n).
"""

import heapq

from scorer.assembly.open_trace import OpenTrace

_Entry = tuple[float, int, OpenTrace]
_SPARE = 1024


class Deadlines:
    """The due times of open traces, earliest first, ties in order of opening."""

    def __init__(self) -> None:
        self._heap: list[_Entry] = []
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

    def trim(self, open_traces: int) -> None:
        """Forget what is stale when that is more than half of what is held."""
        if len(self._heap) > 2 * open_traces + _SPARE:
            self._heap = [entry for entry in self._heap if not _is_stale(entry)]
            heapq.heapify(self._heap)

    def _push(self, trace: OpenTrace) -> None:
        trace.scheduled = trace.due
        self._sequence += 1
        heapq.heappush(self._heap, (trace.due, self._sequence, trace))

    def _drop_stale(self) -> None:
        heap = self._heap
        while heap and _is_stale(heap[0]):
            heapq.heappop(heap)


def _is_stale(entry: _Entry) -> bool:
    due, _, trace = entry
    return trace.closed or due != trace.scheduled
