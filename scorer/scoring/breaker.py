"""Takes a metric out of service for a while when it keeps failing expensively."""


class Breaker:
    """Opens for `cool_down` seconds after `limit` strikes within `window`, with no success between.

    All in seconds; time is an argument.
    """

    def __init__(
        self, limit: int = 3, cool_down: float = 60.0, window: float = float("inf")
    ) -> None:
        self._limit = limit
        self._cool_down = cool_down
        self._window = window
        self._strikes: dict[str, list[float]] = {}
        self._until: dict[str, float] = {}

    def strike(self, name: str, now: float) -> None:
        """Note an expensive failure."""
        recent = [at for at in self._strikes.get(name, ()) if now - at < self._window]
        self._strikes[name] = [*recent, now]
        if len(recent) + 1 >= self._limit:
            self._until[name] = now + self._cool_down

    def clear(self, name: str) -> None:
        """Note a success."""
        if self._strikes:
            self._strikes.pop(name, None)

    def is_open(self, name: str, now: float) -> bool:
        """Whether the metric is out of service; after the cool-down one failure reopens."""
        until = self._until.get(name)
        if until is None:
            return False
        if now < until:
            return True
        del self._until[name]
        self._strikes[name] = [now] * (self._limit - 1)
        return False

    def open_names(self, now: float) -> tuple[str, ...]:
        """Return the names that are out of service."""
        return tuple(name for name in tuple(self._until) if self.is_open(name, now))
