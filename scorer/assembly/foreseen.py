"""What must be known of a log before it is pushed once more, after a restart."""

from scorer.assembly.open_trace import Cut


class Foreseen:
    """Where traces are to be closed once more, and where the log holds all of one.

    What stands before such a place says nothing new of its trace, and not all of what was there
    may be left: of a span that came in two forms, the first may stand in no other entry.
    """

    def __init__(self) -> None:
        self._cuts: dict[bytes, Cut] = {}
        self._wholes: dict[bytes, tuple[int, int]] = {}  # the last one up to the cut, and of all

    def add_cut(self, key: bytes, cut: Cut) -> None:
        """Note where a trace is to be closed once more; before the wholes are noted."""
        self._cuts[key] = cut

    def drop_cut(self, key: bytes) -> None:
        """Note that a trace has been closed."""
        self._cuts.pop(key, None)

    def cut_of(self, key: bytes, offset: int) -> Cut | None:
        """Return where the trace that what stands at `offset` belongs to is to be closed again."""
        cut = self._cuts.get(key)
        return cut if cut is not None and offset <= cut.closed_at else None

    def add_whole(self, key: bytes, offset: int) -> None:
        """Note that the log holds all of a trace at `offset`; in the order of the offsets."""
        before, after = self._wholes.get(key, (0, 0))
        wholes = (offset, after) if self.cut_of(key, offset) else (before, offset)
        self._wholes[key] = wholes

    def is_replaced(self, key: bytes, offset: int) -> bool:
        """Whether a later place holds all of what stands at `offset`."""
        wholes = self._wholes.get(key)
        if wholes is None:
            return False
        before, after = wholes
        return offset < (before if self.cut_of(key, offset) else after)

    def clear(self) -> None:
        """Forget all: the log has been pushed."""
        self._cuts.clear()
        self._wholes.clear()
