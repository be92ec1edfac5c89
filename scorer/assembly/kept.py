"""Closed traces that are kept for spans that come late."""

from collections import OrderedDict

from scorer.assembly.open_trace import OpenTrace


class KeptTraces:
    """Closed traces of at most `capacity` bytes, oldest out first."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
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
        while self.bytes > self._capacity:
            self.take(next(iter(self._traces)))

    def take(self, key: bytes) -> OpenTrace:
        """Remove and return a kept trace."""
        trace = self._traces.pop(key)
        self.bytes -= trace.size
        return trace
