"""Up to where a log is no longer needed.

Every trace pins the lowest offset that holds a span of it, from its opening until its scores are
out. What lies before the lowest pin may be released. A heap with lazy deletion: O(log n) a pin.
"""

import heapq
from collections.abc import Iterable

_SPARE = 1024


class Watermark:
    """The pins of one log, by offset."""

    def __init__(self) -> None:
        # Mostly a record is of one trace, so a set is made for the second.
        self._pins: dict[int, bytes | set[bytes]] = {}
        self._heap: list[int] = []

    def pin(self, offset: int, key: bytes) -> None:
        """Hold the log from `offset` on, for the trace of `key`."""
        keys = self._pins.get(offset)
        if keys is None:
            self._pins[offset] = key
            heapq.heappush(self._heap, offset)
        elif isinstance(keys, set):
            keys.add(key)
        else:
            self._pins[offset] = {keys, key}

    def unpin(self, offset: int, key: bytes) -> None:
        """Take one pin back."""
        keys = self._pins[offset]
        if isinstance(keys, set):
            keys.remove(key)
        if keys in (key, set()):
            del self._pins[offset]
            self._trim()

    def lowest(self) -> int | None:
        """Return the lowest offset that is pinned; None = nothing is."""
        while self._heap and self._heap[0] not in self._pins:
            heapq.heappop(self._heap)
        return self._heap[0] if self._heap else None

    def keys_at(self, offset: int) -> Iterable[bytes]:
        """Return the keys of the traces that pin an offset."""
        keys = self._pins.get(offset, ())
        return (keys,) if isinstance(keys, bytes) else keys

    def _trim(self) -> None:
        """Forget what is stale: behind one old pin it would pile up."""
        if len(self._heap) > 2 * len(self._pins) + _SPARE:
            self._heap = sorted(self._pins)
