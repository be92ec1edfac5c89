import sqlite3

import pytest

from scorer.ledger.transactions import transaction


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t (a)")
    yield connection
    connection.close()


def content(connection):
    return [a for (a,) in connection.execute("SELECT a FROM t")]


def test_what_is_done_inside_is_kept(connection):
    """It is committed at the end."""
    with transaction(connection):
        connection.execute("INSERT INTO t VALUES (1)")
        assert connection.in_transaction
    assert not connection.in_transaction
    assert content(connection) == [1]


def insert(connection, *statements, fault=None):
    with transaction(connection):
        for statement in statements:
            connection.execute(statement)
        if fault is not None:
            raise fault


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
def test_a_fault_inside_undoes_it(connection, fault):
    """And goes on to the caller."""
    with pytest.raises(fault):
        insert(connection, "INSERT INTO t VALUES (1)", fault=fault)
    assert not connection.in_transaction
    assert content(connection) == []


def test_one_that_sqlite_has_undone_is_not_undone_twice(connection):
    """The first error is what the caller sees."""
    connection.execute("CREATE UNIQUE INDEX u ON t (a)")
    statements = ["INSERT INTO t VALUES (1)", "INSERT OR ROLLBACK INTO t VALUES (1)"]
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        insert(connection, *statements)
    assert content(connection) == []


def test_what_an_earlier_one_left_open_is_undone_first(connection):
    """Where its roll-back was refused."""
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t VALUES (1)")
    with transaction(connection):
        connection.execute("INSERT INTO t VALUES (2)")
    assert content(connection) == [2]
