"""One memory budget, in bytes, shared by all assemblers of a process."""


class MemoryBudget:
    """Counts the bytes that open traces hold against a limit, and against one for each tenant.

    It never refuses by itself: `fits` answers, the receiver refuses. What is already
    accepted is always charged, so `used` can pass `limit` by one request. The traces of
    no tenant ("") are bounded by the whole limit only.
    """

    def __init__(self, limit: int, tenant_share: float = 1.0) -> None:
        self.limit = limit
        self.tenant_limit = int(limit * tenant_share)
        self.used = 0
        self._tenants: dict[str, int] = {}

    def fits(self, size: int) -> bool:
        """Whether `size` more bytes stay within the limit."""
        return self.used + size <= self.limit

    def fits_share(self, size: int, tenant: str) -> bool:
        """Whether `size` more bytes stay within what one tenant may hold."""
        return not tenant or self.held(tenant) + size <= self.tenant_limit

    def held(self, tenant: str) -> int:
        """Return the bytes that a named tenant holds."""
        return self._tenants.get(tenant, 0)

    def charge(self, size: int, tenant: str = "") -> None:
        """Book bytes that are now held."""
        self.used += size
        if tenant:
            self._tenants[tenant] = self.held(tenant) + size

    def release(self, size: int, tenant: str = "") -> None:
        """Give bytes back."""
        self.used -= size
        if tenant:
            self._tenants[tenant] = self.held(tenant) - size
            if not self._tenants[tenant]:
                del self._tenants[tenant]
