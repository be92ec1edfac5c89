"""Which traces were closed lately, and where, so that a late span never opens a trace again."""

from collections import OrderedDict


class Graves:
    """The last `capacity` closed traces, oldest out first.

    Of each it holds the offset at which it was closed: a span that stands at or before it in the
    log was there when the trace closed, one behind it is late.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._is_recovering = False
        # Not a dict: to find the oldest, that walks over the places of all that were deleted.
        self._closed_at: OrderedDict[bytes, int] = OrderedDict()
        # Rare, so kept apart: most traces have one revision and no late span.
        self._revisions: dict[bytes, int] = {}
        self._late: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._closed_at)

    def bury(self, key: bytes, closed_at: int, revision: int = 1) -> None:
        """Remember a closed trace; what is known of late spans stays known."""
        self._closed_at.pop(key, None)
        self._closed_at[key] = closed_at
        if revision > 1:
            self._revisions[key] = revision
        if not self._is_recovering:
            self._trim()

    def recall(self, key: bytes, closed_at: int, revision: int) -> None:
        """Remember a trace that was closed before a restart.

        Until the end of the recovery none is forgotten, however many they are: whichever is
        may be what comes next in the log.
        """
        self._is_recovering = True
        self.bury(key, closed_at, revision)

    def end_of_recovery(self) -> None:
        """Forget the oldest that are too many."""
        self._is_recovering = False
        self._trim()

    def closed_at(self, key: bytes) -> int | None:
        """Return the offset at which a trace was closed; None = it is not remembered."""
        return self._closed_at.get(key)

    def revision(self, key: bytes) -> int:
        """Return the last revision of a remembered trace."""
        return self._revisions.get(key, 1)

    def count_late(self, key: bytes, count: int) -> None:
        """Count late spans of a remembered trace that did not join it."""
        if key in self._closed_at:
            self._late[key] = self._late.get(key, 0) + count

    def late(self, key: bytes) -> int | None:
        """Return how many late spans did not join; None for a trace that is not remembered."""
        return self._late.get(key, 0) if key in self._closed_at else None

    def _trim(self) -> None:
        while len(self._closed_at) > self._capacity:
            key, _ = self._closed_at.popitem(last=False)
            self._revisions.pop(key, None)
            self._late.pop(key, None)
