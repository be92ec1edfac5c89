"""The table of closings, and what is kept in memory of it.

In memory are only the closings that are not scored yet, for these are looked for, and how many
rows each log has. Everything here happens in the thread of the database; memory changes after
the commit, so that a transaction that fails leaves no trace in it either.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from sys import intern
from typing import Any, Final, NamedTuple, get_args

from scorer.ledger.closing import Closing
from scorer.ledger.database import DamagedError
from scorer.ledger.transactions import transaction
from scorer.model.trace import CloseReason
from scorer.telemetry import failpoints

# A transaction deletes so many at most, for others wait behind it.
FORGOTTEN_A_STEP: Final = 2000

_PAGE: Final = 1000
_REASONS: Final[Mapping[str, CloseReason]] = {reason: reason for reason in get_args(CloseReason)}

_LOGS = "SELECT id, source, partition FROM log"
_ADD_LOG = "INSERT INTO log (source, partition) VALUES (?, ?)"
_COUNTS = "SELECT log, count(*), max(id) FROM closing GROUP BY log"
_UNSCORED = """
    SELECT tenant, trace_id, revision, log, closed_at, id FROM closing WHERE NOT is_scored
    ORDER BY id
"""
_REVISED = """
    SELECT tenant, trace_id, max(revision) FROM closing WHERE revision > 1
    GROUP BY tenant, trace_id
"""
_AFTER = """
    SELECT log, closed_at, id, tenant, trace_id, first_offset, revision, reason, digest,
        span_count, closed_unix_ns, is_scored, readings
    FROM closing WHERE (log, closed_at, id) > (?, ?, ?) ORDER BY log, closed_at, id LIMIT ?
"""
_ADD = """
    INSERT INTO closing (log, closed_at, id, tenant, trace_id, first_offset, revision, reason,
        digest, span_count, closed_unix_ns, is_scored, readings)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# Readings are noted for the case that the trace is scored again.
_SCORED = """
    UPDATE closing SET is_scored = 1, readings = NULL WHERE log = ? AND closed_at = ? AND id = ?
"""
_REMOVE = "DELETE FROM closing WHERE log = ? AND closed_at = ? AND id = ?"
_OLDEST = """
    SELECT log, closed_at, id FROM closing WHERE log = ? AND closed_at < ? AND is_scored
    ORDER BY closed_at, id LIMIT ?
"""

Key = tuple[str, bytes]
Log = tuple[str, int]


class Place(NamedTuple):
    """Where a row is; `id` counts all rows up, in the order in which they were noted."""

    log: int
    closed_at: int
    id: int


class _Unscored(NamedTuple):
    revision: int
    place: Place


class Page(NamedTuple):
    """Some closings in order, and where the next page begins; None = there is none."""

    closings: list[Closing]
    end: Place | None


BEGIN: Final = Place(0, 0, 0)


class Closings:
    """At most `capacity` rows, and those that must not be forgotten."""

    def __init__(self, connection: sqlite3.Connection, capacity: int) -> None:
        self._connection = connection
        self._capacity = capacity
        self._logs: dict[Log, int] = {}
        for number, source, partition in connection.execute(_LOGS):
            self._logs[source, partition] = number
        self._rows: Counter[int] = Counter()
        self._next_id = 1
        for number, count, highest in connection.execute(_COUNTS):
            self._rows[number] = count
            self._next_id = max(self._next_id, highest + 1)
        self._unscored: dict[Key, _Unscored] = {}
        for tenant, trace_id, revision, *place in connection.execute(_UNSCORED):
            self._unscored[tenant, trace_id] = _Unscored(revision, Place._make(place))

    def note(self, closings: Sequence[Closing]) -> None:
        """Add rows; one that is not scored gives way to its own repetition or revision."""
        placed = {
            key: (closing, Place(self._log(closing), closing.closed_at, number))
            for number, (key, closing) in enumerate(self._newest(closings), self._next_id)
        }
        replaced = [self._unscored[key].place for key in placed if key in self._unscored]
        with transaction(self._connection):
            self._connection.executemany(_REMOVE, replaced)
            self._connection.executemany(_ADD, [_row(*item) for item in placed.values()])
        self._next_id += len(placed)
        self._rows.subtract(place.log for place in replaced)
        self._rows.update(place.log for _, place in placed.values())
        for key, (closing, place) in placed.items():
            if closing.is_scored:
                self._unscored.pop(key, None)
            else:
                self._unscored[key] = _Unscored(closing.revision, place)

    def note_scored(self, keys: Iterable[tuple[str, bytes, int]]) -> None:
        """Note that these revisions are scored; one that is no longer the newest is left alone."""
        done = {}
        for tenant, trace_id, revision in keys:
            unscored = self._unscored.get((tenant, trace_id))
            if unscored is not None and unscored.revision == revision:
                done[tenant, trace_id] = unscored.place
        with transaction(self._connection):
            self._connection.executemany(_SCORED, done.values())
            failpoints.failpoint("before_ledger")
        failpoints.failpoint("after_ledger")
        for key in done:
            del self._unscored[key]

    def forget(self, log: Log, below: int) -> int:
        """Delete the oldest rows that may go, up to `FORGOTTEN_A_STEP`; return how many."""
        number = self._logs.get(log)
        if number is None:
            return 0
        count = min(self._too_many(number), FORGOTTEN_A_STEP)
        if count <= 0:
            return 0
        places = self._connection.execute(_OLDEST, (number, below, count)).fetchall()
        with transaction(self._connection):
            self._connection.executemany(_REMOVE, places)
        self._rows[number] -= len(places)
        return len(places)

    def revised(self) -> dict[Key, int]:
        """Return the newest revision of each trace that has more than one."""
        return {
            (tenant, trace_id): revision
            for tenant, trace_id, revision in self._connection.execute(_REVISED)
        }

    def page(self, after: Place, revised: Mapping[Key, int]) -> Page:
        """Return the next closings; those that a later revision has replaced are not there.

        Raises:
            DamagedError: A row is none that was written.
        """
        rows = self._connection.execute(_AFTER, (*after, _PAGE)).fetchall()
        logs = {number: log for log, number in self._logs.items()}
        try:
            closings = [_closing(logs, row) for row in rows]
        except (KeyError, TypeError) as error:
            raise DamagedError(f"a closing that nobody noted: {error}") from error
        if revised:
            closings = [c for c in closings if c.revision >= revised.get(_key(c), 1)]
        return Page(closings, Place._make(rows[-1][:3]) if rows else None)

    def _newest(self, closings: Sequence[Closing]) -> Iterable[tuple[Key, Closing]]:
        """Return each trace once, and only what is not older than what is noted."""
        newest: dict[Key, Closing] = {}
        for closing in closings:
            key = _key(closing)
            noted = newest.get(key) or self._unscored.get(key)
            if noted is None or closing.revision >= noted.revision:
                newest[key] = closing
        return newest.items()

    def _log(self, closing: Closing) -> int:
        log = closing.source, closing.partition
        number = self._logs.get(log)
        if number is None:
            with transaction(self._connection):
                number = self._connection.execute(_ADD_LOG, log).lastrowid
            assert number is not None
            self._logs[log] = number
        return number

    def _too_many(self, log: int) -> int:
        """Return how many rows a log has to give up.

        Each may keep its share, or a log that is never asked to forget would take it all.
        """
        logs = sum(count > 0 for count in self._rows.values())
        share = self._capacity // max(logs, 1)
        return min(self._rows.total() - self._capacity, self._rows[log] - share)


def _key(closing: Closing) -> Key:
    return closing.tenant, closing.trace_id


def _row(closing: Closing, place: Place) -> tuple[Any, ...]:
    return (
        *place,
        closing.tenant,
        closing.trace_id,
        closing.first_offset,
        closing.revision,
        closing.reason,
        closing.digest,
        closing.span_count,
        closing.closed_unix_ns,
        closing.is_scored,
        closing.readings,
    )


def _closing(logs: Mapping[int, Log], row: tuple[Any, ...]) -> Closing:
    log, closed_at, _, tenant, trace_id, first, revision, reason, digest, *others = row
    count, ns, scored, readings = others
    source, partition = logs[log]
    return Closing(
        tenant=intern(tenant),
        trace_id=trace_id,
        source=source,
        partition=partition,
        closed_at=closed_at,
        first_offset=first,
        revision=revision,
        reason=_REASONS[reason],
        digest=digest,
        span_count=count,
        closed_unix_ns=ns,
        is_scored=bool(scored),
        readings=readings,
    )
