"""What is in the file of the ledger, and how an older file becomes a newer one.

    log      one row for each (source, partition), so that a closing needs only a number
    closing  one row for each closing, in the order of log and cut
    state    what stateful parts want to keep, by namespace and key

`closing` is a queue: rows come at its end, are scored near its end and are forgotten at its
front, so a transaction touches few pages. An index by trace id would touch one page for each
trace, five times the work. Therefore a revision does not replace the row of the one before:
whoever reads passes over the older one, and it is forgotten in its turn, which comes first.
"""

import sqlite3
from typing import Final

from scorer.ledger.transactions import transaction

# "SPAN": tells our file from that of another program.
APPLICATION_ID: Final = 0x5350414E

# Steps from each version to the next; never changed, only added to.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        f"PRAGMA application_id = {APPLICATION_ID}",
        """
        CREATE TABLE log (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            partition INTEGER NOT NULL,
            UNIQUE (source, partition)
        )
        """,
        """
        CREATE TABLE closing (
            log INTEGER NOT NULL,
            closed_at INTEGER NOT NULL,
            id INTEGER NOT NULL,
            tenant TEXT NOT NULL,
            trace_id BLOB NOT NULL,
            first_offset INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            reason TEXT NOT NULL,
            digest BLOB NOT NULL,
            span_count INTEGER NOT NULL,
            closed_unix_ns INTEGER NOT NULL,
            is_scored INTEGER NOT NULL,
            PRIMARY KEY (log, closed_at, id)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE state (
            namespace TEXT NOT NULL,
            key BLOB NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (namespace, key)
        )
        """,
    ),
    ("ALTER TABLE closing ADD COLUMN readings BLOB",),
)


class ForeignFileError(Exception):
    """The file is a database of something else."""


class NewerVersionError(Exception):
    """The file was made by a newer release; the text says by which version of the schema."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the schema; 0 = a new file. Changes nothing.

    Raises:
        ForeignFileError: It holds something, and that is not ours.
        NewerVersionError: It is beyond what this release knows.
    """
    version = pragma(connection, "user_version")
    if pragma(connection, "application_id") != APPLICATION_ID:
        (count,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if count or version:
            raise ForeignFileError
    if version > len(MIGRATIONS):
        raise NewerVersionError(f"has version {version}, this release reads {len(MIGRATIONS)}")
    return version


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the file from a version to the newest one, each step in a transaction."""
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        with transaction(connection):
            for statement in step:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return a number that SQLite keeps about the file."""
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)
