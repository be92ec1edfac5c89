"""Closed traces that are kept for spans that come late."""

from collections import OrderedDict

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import OpenTrace


class KeptTraces:
    """Closed traces of at most `capacity` bytes, oldest out first; they are charged to `budget`."""

    def __init__(self, capacity: int, budget: MemoryBudget) -> None:
        self._capacity = capacity
        self._budget = budget
        # Not a dict: to find the oldest, that walks over the places of all that were deleted.
        self._traces: OrderedDict[bytes, OpenTrace] = OrderedDict()
        self.bytes = 0

    def __contains__(self, key: bytes) -> bool:
        return key in self._traces

    def __len__(self) -> int:
        return len(self._traces)

    def get(self, key: bytes) -> OpenTrace | None:
        """Return a kept trace."""
        return self._traces.get(key)

    def put(self, trace: OpenTrace) -> None:
        """Keep a trace; one larger than all the room is not kept."""
        if trace.size > self._capacity:
            return
        self._traces[trace.key] = trace
        self.bytes += trace.size
        self._budget.charge(trace.size)
        self.forget(self.bytes - self._capacity)

    def forget(self, size: int) -> None:
        """Give back at least `size` bytes, as far as so much is kept."""
        least = self.bytes - size
        while self._traces and self.bytes > least:
            self.take(next(iter(self._traces)))

    def take(self, key: bytes) -> OpenTrace:
        """Remove and return a kept trace."""
        trace = self._traces.pop(key)
        self.bytes -= trace.size
        self._budget.release(trace.size)
        return trace
