"""What the assembler knows of traces that are closed."""

from collections.abc import Iterator, Sequence

from scorer.assembly.budget import MemoryBudget
from scorer.assembly.foreseen import Foreseen
from scorer.assembly.graves import Graves
from scorer.assembly.kept import KeptTraces
from scorer.assembly.open_trace import Cut, OpenTrace, trace_key
from scorer.assembly.pushed import Tally
from scorer.model.trace import CloseReason, LogEntry, SpanEntry


class ClosedTraces:
    """Where traces were closed, those that are kept, and those to be closed once more."""

    def __init__(self, capacity: int, kept_bytes: int, budget: MemoryBudget) -> None:
        self._graves = Graves(capacity)
        self._kept = KeptTraces(kept_bytes, budget) if kept_bytes else None
        self._foreseen = Foreseen()

    def add(self, trace: OpenTrace, closed_at: int, *, keep: bool) -> None:
        """Remember a trace that closes now, and maybe keep what it holds."""
        self._foreseen.drop_cut(trace.key)
        self._graves.bury(trace.key, closed_at, trace.revision)
        if self._kept is not None and keep:
            self._kept.put(trace.copy())

    def recall(self, key: bytes, closed_at: int, revision: int, reason: CloseReason | None) -> None:
        """Remember a trace that was closed before a restart; see `Assembler.recall`."""
        self._graves.recall(key, closed_at, revision)
        if reason is not None:
            self._foreseen.add_cut(key, Cut(closed_at, revision, reason))

    def foresee(self, key: bytes, offset: int) -> None:
        """Note that the log holds all of a trace at `offset`; see `Assembler.foresee`."""
        if self._foreseen.cut_of(key, offset) or not self.had(key, offset):
            self._foreseen.add_whole(key, offset)

    def is_replaced(self, key: bytes, offset: int) -> bool:
        """Whether a later place of the log holds all of what stands at `offset`."""
        return self._foreseen.is_replaced(key, offset)

    def end_of_recovery(self) -> None:
        """Close nothing once more from now on, and remember no more than is needed then."""
        self._foreseen.clear()
        self._graves.end_of_recovery()

    def give_up(self, key: bytes) -> None:
        """Keep a trace no longer, if it is kept: it is open again with all that it had."""
        if self._kept is not None and key in self._kept:
            self._kept.take(key)

    def cut_of(self, key: bytes, offset: int) -> Cut | None:
        """Return where the trace that what stands at `offset` belongs to is to be closed again."""
        return self._foreseen.cut_of(key, offset)

    def next_revision(self, key: bytes, written: int) -> int:
        """Return the revision after the last one; `written` is what it was to be before a restart.

        It is lower where revisions that nobody saw before the restart became one.
        """
        return self._graves.revision(key) + 1 if self._graves.closed_at(key) else written

    def is_known(self, key: bytes) -> bool:
        """Whether a trace was closed lately; one that is kept may have outlived its grave."""
        return self._graves.closed_at(key) is not None or self.kept(key) is not None

    def had(self, key: bytes, offset: int) -> bool:
        """Whether a trace had what stands at `offset` when it closed."""
        return offset <= (self._graves.closed_at(key) or 0)

    def is_reread(self, key: bytes, offset: int) -> bool:
        """Whether what stands at `offset` says nothing new: of a closed trace, or of any."""
        return self.had(key, offset) or self._foreseen.is_replaced(key, offset)

    def late(self, key: bytes) -> int | None:
        """Return how many spans came too late to join; None when that is not remembered."""
        return self._graves.late(key)

    def count(self, key: bytes, batch: Sequence[SpanEntry], offset: int, tally: Tally) -> None:
        """Count the spans of a closed trace."""
        if self.is_reread(key, offset):
            tally.rereads += len(batch)
            return
        strays = [entry for entry in batch if self.is_stray(key, entry, offset)]
        missing = len(strays)
        tally.duplicates += len(batch) - missing
        tally.unjoined += missing
        tally.late += missing
        tally.strays += strays
        if missing:
            self._graves.count_late(key, missing)

    def count_log(self, key: bytes, entry: LogEntry, offset: int, tally: Tally) -> None:
        """Count a log record of a closed trace."""
        kept = self.kept(key)
        if self.is_reread(key, offset):
            tally.rereads += 1
        elif kept is not None and not kept.lacks(entry):
            tally.duplicates += 1
        else:
            tally.unjoined += 1
            tally.strays.append(entry)

    @property
    def kept_bytes(self) -> int:
        """How many bytes are kept."""
        return 0 if self._kept is None else self._kept.bytes

    def forget_kept(self, size: int) -> None:
        """Give back at least `size` bytes of what is kept, as far as there are so many."""
        if self._kept is not None:
            self._kept.forget(size)

    def is_stray(self, key: bytes, entry: SpanEntry | LogEntry, offset: int) -> bool:
        """Whether a closed trace did not have what stands at `offset`, as far as is known."""
        kept = self.kept(key)
        return not self.had(key, offset) and (kept is None or kept.lacks(entry))

    def to_reopen(
        self, entries: Sequence[SpanEntry | LogEntry], tenant: str
    ) -> Iterator[OpenTrace]:
        """Return the kept traces that lack one of the entries; each is to be taken at once."""
        last: bytes | None = None  # nothing more is to be asked of this trace
        for entry in entries:
            if entry.trace_id == last:
                continue
            kept = self.kept(trace_key(entry.trace_id, tenant))
            if kept is None or kept.lacks(entry):
                last = entry.trace_id
            if kept is not None and entry.trace_id == last:
                yield kept

    def kept(self, key: bytes) -> OpenTrace | None:
        """Return a trace that is kept."""
        return None if self._kept is None else self._kept.get(key)

    def take(self, trace: OpenTrace) -> None:
        """Keep a trace no longer: it is opened again."""
        assert self._kept is not None
        self._kept.take(trace.key)
