"""One memory budget, in bytes, shared by all assemblers of a process."""


class MemoryBudget:
    """Counts the bytes that open traces hold against a limit.

    It never refuses by itself: `fits` answers, the receiver refuses. What is already
    accepted is always charged, so `used` can pass `limit` by one request.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0

    def fits(self, size: int) -> bool:
        """Whether `size` more bytes stay within the limit."""
        return self.used + size <= self.limit

    def charge(self, size: int) -> None:
        """Book bytes that are now held."""
        self.used += size

    def release(self, size: int) -> None:
        """Give bytes back."""
        self.used -= size
