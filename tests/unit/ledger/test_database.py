import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scorer.errors import ConfigError, RetryableError
from scorer.ledger import Ledger
from scorer.ledger.database import Database
from scorer.ledger.schema import MIGRATIONS, pragma

MIB = 1024 * 1024
PAGE = 4096

HOLDER = """
import asyncio, sys
from pathlib import Path
from scorer.ledger import Ledger
async def hold():
    ledger = Ledger(Path(sys.argv[1]), capacity=10, durable=False)
    print("open", flush=True)
    sys.stdin.readline()
    await ledger.close()
asyncio.run(hold())
"""


@pytest.fixture
def open_database(path):
    """Return a function that opens the file of the test."""
    opened = []

    def open_it(*, durable=False):
        for database in opened:
            database.close_now()
        opened[:] = [Database(path, durable=durable)]
        return opened[0]

    yield open_it
    for database in opened:
        database.close_now()


def refused(path):
    """Return why the file is not opened; it must be left as it was."""
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        Ledger(path, capacity=10, durable=True)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    return str(caught.value)


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def foreign(path, *statements):
    """Make a database with the tools of another program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_file_and_folder_are_for_their_owner_only(open_database, path):
    """Trace ids and tenants are in it, and what metrics keep; the write-ahead log too."""
    database = open_database()
    database.read_now(lambda c: c.execute("CREATE TABLE t (a)"))
    modes = {p.name: p.stat().st_mode & 0o777 for p in path.parent.iterdir()}
    assert modes == {"ledger.db": 0o600, "ledger.db-wal": 0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("durable", "synchronous"), [(False, 1), (True, 2)])
def test_durable_flushes_each_transaction(open_database, durable, synchronous):
    """NORMAL flushes with a checkpoint only, FULL with each commit."""
    database = open_database(durable=durable)
    assert database.read_now(lambda c: pragma(c, "synchronous")) == synchronous
    assert database.read_now(lambda c: c.execute("PRAGMA journal_mode").fetchone()) == ("wal",)


async def test_all_work_is_done_in_one_thread_of_its_own(open_database):
    """However it was asked for."""
    database = open_database()

    def here(_):
        return threading.current_thread()

    threads = {await database.write(here), await database.read(here), database.read_now(here)}
    assert len(threads) == 1
    assert threads.pop().name.startswith("ledger")


async def test_mistakes_of_ours_are_not_taken_for_a_failing_disk(open_database):
    """To try them again would not help."""
    database = open_database()
    with pytest.raises(sqlite3.ProgrammingError):
        await database.write(lambda c: c.execute("SELECT ?", ()))
    with pytest.raises(sqlite3.IntegrityError):
        await database.write(lambda c: c.execute("INSERT INTO log VALUES (1, NULL, 1)"))
    with pytest.raises(ZeroDivisionError):
        await database.read(lambda _: 1 / 0)


async def test_a_read_that_fails_says_so(open_database, path):
    """With the file, and what to look after."""
    database = open_database()
    with pytest.raises(RetryableError, match=rf"cannot be read: no such table.*{path}"):
        await database.read(lambda c: c.execute("SELECT * FROM missing"))


async def test_a_large_transaction_leaves_no_large_log(open_database, path):
    """The next ones cut it."""
    database = open_database()
    log = path.with_name("ledger.db-wal")
    await database.write(
        lambda c: c.execute("INSERT INTO state VALUES ('n', 'k', ?)", (bytes(12 * MIB),))
    )
    assert log.stat().st_size > 12 * MIB
    await database.write(lambda c: c.execute("DELETE FROM state"))
    await database.write(lambda c: c.execute("INSERT INTO state VALUES ('n', 'k', 'v')"))
    assert log.stat().st_size <= 4 * MIB


def test_an_empty_file_is_a_new_one(path):
    """A power cut leaves it where a first start was under way."""
    path.parent.mkdir()
    path.touch()
    database = Database(path, durable=False)
    assert database.read_now(lambda c: pragma(c, "user_version")) == len(MIGRATIONS)
    database.close_now()


def test_a_file_that_is_no_database_is_left_alone(path):
    """It is told which one, and what to do."""
    path.parent.mkdir()
    path.write_bytes(b"trace_id,score\n" * 1000)
    assert refused(path) == (
        f"state_dir: {path} is not a ledger; move it away, or name another folder"
    )


@pytest.mark.parametrize("statement", ["CREATE TABLE users (name TEXT)", "PRAGMA user_version = 1"])
def test_a_database_of_another_program_is_left_alone(path, statement):
    """It has tables, or a version, and not our mark."""
    foreign(path, statement)
    assert "is not a ledger; move it away" in refused(path)


def test_a_ledger_of_a_newer_release_is_left_alone(open_database, path):
    """The message says which version it has."""
    database = open_database()
    database.read_now(lambda c: c.execute("PRAGMA user_version = 7"))
    database.close_now()
    assert refused(path) == (
        f"state_dir: the ledger {path} has version 7, this release reads {len(MIGRATIONS)}; "
        "run the release that made it, or move it away, with the `-wal` file beside it: "
        "traces that were scored before may then be scored again"
    )


@pytest.fixture
async def filled(open_ledger, closing, path):
    """Return the path of a ledger of some pages, closed."""
    ledger = await open_ledger()
    await ledger.closing([closing(number) for number in range(1, 200)])
    await ledger.state.put("n", {b"%d" % number: bytes(99) for number in range(200)})
    await ledger.close()
    return path


def test_a_start_alone_does_not_change_the_file(filled):
    """Nothing is written where there is nothing to say."""
    before = filled.read_bytes()
    Database(filled, durable=False).close_now()
    assert filled.read_bytes() == before


def test_a_damaged_page_is_found_at_the_start(filled):
    """Wherever it is; nothing is deleted, and nothing is written over it."""
    content = filled.read_bytes()
    pages = range(PAGE, len(content), PAGE)
    assert len(pages) > 10
    for at in pages:
        filled.write_bytes(content[:at] + bytes(PAGE) + content[at + PAGE :])
        message = refused(filled)
        assert message.startswith(f"state_dir: the ledger {filled} is damaged (")
        assert "move it away, with the `-wal` file beside it: traces that were" in message
        assert "\n" not in message


def test_a_file_that_was_cut_is_found_at_the_start(filled):
    """Also in the middle of a page."""
    content = filled.read_bytes()
    filled.write_bytes(content[: len(content) // 2 + 100])
    assert "is damaged" in refused(filled)


def test_one_process_at_a_time_has_the_file(path):
    """Another one is told so; when the first is gone, killed or not, it is free."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    for end in ("line", "kill"):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            assert other.stdout.readline() == b"open\n"
            with pytest.raises(ConfigError) as caught:
                Database(path, durable=False)
            assert str(caught.value) == (
                f"state_dir: the ledger {path} is used by another process; "
                "stop it, or name another folder"
            )
            if end == "kill":
                other.kill()
        Database(path, durable=False).close_now()


def test_a_second_one_of_the_same_process_takes_no_lock_away(open_database, path):
    """A file that is opened and closed beside SQLite would."""
    open_database()
    with pytest.raises(ConfigError, match="is used by another process"):
        Database(path, durable=False)
    command = [sys.executable, "-c", HOLDER, str(path)]
    done = subprocess.run(command, input=b"\n", capture_output=True, check=False)
    assert b"is used by another process" in done.stderr


def test_a_path_that_cannot_be_used_is_an_error_of_configuration(tmp_path):
    """A folder in the place of the file, a file in the place of the folder."""
    with pytest.raises(ConfigError, match=rf"state_dir: cannot use the ledger {tmp_path}: unable"):
        Database(tmp_path, durable=False)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ConfigError, match=r"cannot use the ledger .*ledger.db: .*name a folder"):
        Database(file / "ledger.db", durable=False)


def test_no_thread_stays_of_a_ledger_that_could_not_be_opened(tmp_path):
    """A service that does not start leaves nothing behind."""
    before = threading.active_count()
    with pytest.raises(ConfigError):
        Database(tmp_path, durable=False)
    assert threading.active_count() == before


def test_no_file_stays_open_of_a_ledger_that_could_not_be_opened(path):
    """Nor is its lock kept."""
    foreign(path, "CREATE TABLE users (name TEXT)")
    before = open_files()
    with pytest.raises(ConfigError):
        Database(path, durable=False)
    assert open_files() == before
    foreign(path, "DROP TABLE users")
    Database(path, durable=False).close_now()
