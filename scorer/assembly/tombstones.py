"""Which traces were closed lately, so that a late span never opens a trace again."""


class Tombstones:
    """The keys of the last `capacity` closed traces, oldest out first."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._late: dict[bytes, int] = {}

    def __contains__(self, key: bytes) -> bool:
        return key in self._late

    def __len__(self) -> int:
        return len(self._late)

    def bury(self, key: bytes) -> None:
        """Remember a closed trace."""
        self._late.pop(key, None)
        self._late[key] = 0
        if len(self._late) > self._capacity:
            del self._late[next(iter(self._late))]

    def count_late(self, key: bytes) -> None:
        """Count one late span of a remembered trace."""
        self._late[key] += 1

    def late(self, key: bytes) -> int | None:
        """Return how many spans came late; None for a trace that is not remembered."""
        return self._late.get(key)
