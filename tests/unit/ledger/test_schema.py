import sqlite3

import pytest

from scorer.errors import ConfigError
from scorer.ledger import schema
from scorer.ledger.database import Database
from scorer.ledger.schema import pragma


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def test_a_new_file_gets_the_newest_version(connection):
    """And our mark."""
    assert schema.version_of(connection) == 0
    schema.migrate(connection, 0)
    assert schema.version_of(connection) == len(schema.MIGRATIONS)
    assert pragma(connection, "application_id") == int.from_bytes(b"SPAN", "big")


def test_a_file_that_was_begun_and_not_made_is_new(connection):
    """Whatever was set before the first table does not make it another's."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE log (a)")
    connection.execute("ROLLBACK")
    assert schema.version_of(connection) == 0


async def test_an_older_file_becomes_a_newer_one(open_ledger, closing, monkeypatch, path):
    """Step by step, and with what is in it; the older release refuses it from then on."""
    await (await open_ledger()).closing([closing(1)])
    steps = (
        ("ALTER TABLE closing ADD COLUMN note TEXT", "UPDATE closing SET note = 'old'"),
        ("UPDATE closing SET note = note || '!'",),
    )
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS + steps)
        ledger = await open_ledger()
        assert list(ledger.load()) == [closing(1)]
        notes = "SELECT note FROM closing"
        assert ledger._database.read_now(lambda c: c.execute(notes).fetchall()) == [("old!",)]
        await ledger.close()
    newest = len(schema.MIGRATIONS)
    with pytest.raises(ConfigError, match=f"version {newest + 2}, this release reads {newest}"):
        Database(path, durable=False)


async def test_a_ledger_of_before_the_readings_is_taken_over(connection):
    """Its closings have none; its first release had version 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        schema.migrate(connection, 0)
    columns = "log, closed_at, id, tenant, trace_id, first_offset, revision, reason, digest"
    others = "span_count, closed_unix_ns, is_scored"
    connection.execute(
        f"INSERT INTO closing ({columns}, {others}) VALUES (1, 1, 1, '', x'00', 1, 1, 'root', "
        "x'00', 1, 1, 0)"
    )
    schema.migrate(connection, schema.version_of(connection))
    assert connection.execute("SELECT readings FROM closing").fetchall() == [(None,)]


async def test_a_step_that_fails_leaves_the_version_before(open_ledger, closing, monkeypatch, path):
    """What the step had done is undone, what went before stays."""
    await (await open_ledger()).closing([closing(1)])
    first = ("ALTER TABLE closing ADD COLUMN note TEXT",)
    second = ("UPDATE closing SET note = 'new'", "UPDATE missing SET note = 'new'")
    ledger = await open_ledger()
    await ledger.close()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, first, second))
        with pytest.raises(ConfigError, match=r"is damaged \(no such table: missing\)"):
            Database(path, durable=False)
    connection = sqlite3.connect(path)
    assert pragma(connection, "user_version") == len(schema.MIGRATIONS) + 1
    assert connection.execute("SELECT note FROM closing").fetchall() == [(None,)]
    connection.close()
