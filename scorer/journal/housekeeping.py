"""Closes and deletes segments, in a thread of its own.

Cutting a file, or deleting one of 64 MiB, may take tens of milliseconds, which neither the
event loop nor those who wait for a flush have.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from scorer.journal.folder import Folder
from scorer.journal.recovery import Sealed
from scorer.journal.segment import Segment
from scorer.telemetry import failpoints


class Housekeeping:
    """Works through what it is given, in order; with `durable`, deletions are synced too.

    `report` is called in its thread for each segment that was to be deleted: with None when it
    is gone, else with the reason why it is still there.
    """

    def __init__(
        self, folder: Folder, report: Callable[[Sealed, OSError | None], None], *, durable: bool
    ) -> None:
        self._folder = folder
        self._report = report
        self._durable = durable
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="journal-tidy")

    def submit(self, to_close: Sequence[Segment], to_delete: Sequence[Sealed]) -> None:
        """Have segments closed and deleted, the oldest first."""
        if to_close or to_delete:
            self._executor.submit(self._work, tuple(to_close), list(to_delete))

    def close(self) -> None:
        """Finish."""
        self._executor.shutdown()

    def _work(self, to_close: Sequence[Segment], to_delete: list[Sealed]) -> None:
        for segment in to_close:
            segment.close()
        try:
            if to_delete:
                self._delete(to_delete)
        except OSError as error:
            # A newer one must not go before an older one: it would look lost.
            for left in to_delete:
                self._report(left, error)

    def _delete(self, segments: list[Sealed]) -> None:
        # The newer file that carries the offsets on must be there first.
        self._sync()
        failpoints.failpoint("before_trim")
        while segments:
            self._folder.remove(segments[0].first)
            self._report(segments.pop(0), None)
            if segments:
                failpoints.failpoint("during_trim")
        self._sync()

    def _sync(self) -> None:
        if self._durable:
            self._folder.sync()
