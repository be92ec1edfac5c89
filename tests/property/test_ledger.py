"""The ledger against a plain model, and under kill -9.

Run as a program, this file is the process that is killed: it notes closings, and prints what
was awaited.
"""

import asyncio
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from scorer.errors import RetryableError
from scorer.ledger import Closing, Ledger
from scorer.telemetry import failpoints

CAPACITY = 4
LOGS = [("journal", 0), ("kafka", 3)]
TRACES = range(8)


@contextmanager
def disk(*, fails):
    """While it fails, nothing can be written to any file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]) if fails else before)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def key(closing):
    return closing.tenant, closing.trace_id


class Model:
    """What the ledger should hold: rows in the order in which they were noted."""

    def __init__(self):
        self.rows = []
        self.logs = []

    def note(self, closings):
        newest = {}
        for closing in closings:
            noted = newest.get(key(closing)) or self.unscored(closing)
            if noted is None or noted.revision <= closing.revision:
                newest[key(closing)] = closing
        for closing in newest.values():
            self.rows = [row for row in self.rows if row != self.unscored(closing)]
            log = closing.source, closing.partition
            self.logs += [] if log in self.logs else [log]
            self.rows.append(closing)

    def unscored(self, closing):
        found = [row for row in self.rows if key(row) == key(closing) and not row.is_scored]
        return found[0] if found else None

    def score(self, keys):
        self.rows = [
            replace(row, is_scored=True) if (*key(row), row.revision) in keys else row
            for row in self.rows
        ]

    def forget(self, log, below):
        counts = Counter((row.source, row.partition) for row in self.rows)
        if log not in counts:
            return
        share = CAPACITY // len(counts)
        too_many = min(len(self.rows) - CAPACITY, counts[log] - share)
        may_go = [
            row
            for row in sorted(self.rows, key=lambda row: row.closed_at)
            if (row.source, row.partition) == log and row.closed_at < below and row.is_scored
        ]
        gone = may_go[: max(0, too_many)]
        self.rows = [row for row in self.rows if row not in gone]

    def loaded(self):
        newest = Counter()
        for row in self.rows:
            newest[key(row)] = max(newest[key(row)], row.revision)
        return sorted(
            (row for row in self.rows if row.revision == newest[key(row)]),
            key=lambda row: (self.logs.index((row.source, row.partition)), row.closed_at),
        )


class Ledgers(RuleBasedStateMachine):
    """Random closings, revisions, scores, retention, state, failing disks, stops and crashes."""

    @initialize(durable=st.booleans())
    def begin(self, durable):
        self.runner = asyncio.Runner()
        self.durable = durable
        self.folder = tempfile.TemporaryDirectory()
        self.starts = 0
        self.model = Model()
        self.state = {}
        self.offset = 10
        self.revisions = Counter()
        self.path = Path(self.folder.name) / "0" / "ledger.db"
        self.open()

    def open(self):
        self.ledger = Ledger(self.path, capacity=CAPACITY, durable=self.durable)

    def teardown(self):
        if hasattr(self, "ledger"):
            self.runner.run(self.ledger.close())
            self.runner.close()
            self.folder.cleanup()

    def done(self, call, fails):
        """Whether a call did what it should; when the disk fails it may do nothing else."""
        with disk(fails=fails):
            try:
                self.runner.run(call)
            except RetryableError:
                assert fails
                return False
        return True

    def make(self, trace, revision, noise):
        source, partition = LOGS[trace % 3 % 2]
        self.offset += noise % 3
        return Closing(
            tenant="tenant" if trace % 2 else "",
            trace_id=(trace // 2).to_bytes(16, "big"),
            source=source,
            partition=partition,
            closed_at=self.offset,
            first_offset=self.offset - noise,
            revision=revision,
            reason=("root", "idle", "memory")[noise % 3],
            digest=bytes([noise]) * 16,
            span_count=noise,
            closed_unix_ns=10**18 + noise,
            is_scored=False,
        )

    @rule(
        traces=st.lists(st.tuples(st.sampled_from(TRACES), st.integers(0, 5)), max_size=6),
        step=st.sampled_from([-1, 0, 0, 1]),
        fails=st.booleans(),
    )
    def close(self, traces, step, fails):
        """Close traces: for the first time, again, as a revision, or as an outdated one."""
        closings = []
        for trace, noise in traces:
            closing = self.make(trace, 1, noise)
            unscored = self.model.unscored(closing)
            revision = self.revisions[trace] + 1 if unscored is None else unscored.revision + step
            closings.append(replace(closing, revision=max(1, revision)))
        if self.done(self.ledger.closing(closings), fails):
            self.model.note(closings)

    @rule(
        traces=st.lists(st.sampled_from(TRACES), max_size=6),
        later=st.sampled_from([0, 0, 0, 1]),
        fails=st.booleans(),
    )
    def score(self, traces, later, fails):
        keys = [
            (*key(self.make(trace, 1, 0)), self.revisions[trace] + 1 + later) for trace in traces
        ]
        if self.done(self.ledger.scored(keys), fails):
            self.model.score(keys)
            for trace in TRACES:
                rows = [r for r in self.model.rows if key(r) == key(self.make(trace, 1, 0))]
                scored = [row.revision for row in rows if row.is_scored]
                self.revisions[trace] = max([self.revisions[trace], *scored])

    @rule(log=st.sampled_from(LOGS), back=st.integers(0, 6), fails=st.booleans())
    def forget(self, log, back, fails):
        if self.done(self.ledger.forget(*log, self.offset - back), fails):
            self.model.forget(log, self.offset - back)

    @rule(
        values=st.dictionaries(st.sampled_from([b"", b"a", b"b"]), st.binary(max_size=3)),
        fails=st.booleans(),
    )
    def put(self, values, fails):
        if self.done(self.ledger.state.put("n", values), fails):
            self.state |= values

    @rule(keys=st.sets(st.sampled_from([b"", b"a", b"b"])), fails=st.booleans())
    def delete(self, keys, fails):
        if self.done(self.ledger.state.delete("n", keys), fails):
            self.state = {k: v for k, v in self.state.items() if k not in keys}

    @rule()
    def restart(self):
        self.runner.run(self.ledger.close())
        self.open()

    @rule()
    def crash(self):
        """Go on with the files as they are at this moment, as after kill -9."""
        self.starts += 1
        copy = Path(self.folder.name) / str(self.starts) / "ledger.db"
        shutil.copytree(self.path.parent, copy.parent)
        self.runner.run(self.ledger.close())
        self.path = copy
        self.open()

    @invariant()
    def holds_what_was_awaited(self):
        if hasattr(self, "ledger"):
            assert list(self.ledger.load()) == self.model.loaded()
            assert list(self.ledger.state.items("n")) == sorted(self.state.items())


TestLedgers = Ledgers.TestCase
TestLedgers.settings = hypothesis_settings(max_examples=40, stateful_step_count=40, deadline=None)


BATCH = 5
SENDERS = 4
# How many cuts back the log still retains.
RETAINED = 30


def closing_of(number, revision):
    """Return what is noted of a numbered trace; those of a batch close at one cut."""
    noise = random.Random(number * 2 + revision)
    return Closing(
        tenant="",
        trace_id=random.Random(number).randbytes(8) + number.to_bytes(8, "big"),
        source="journal",
        partition=0,
        closed_at=number // BATCH + 3 * (revision - 1),
        first_offset=1,
        revision=revision,
        reason="root",
        digest=noise.randbytes(16),
        span_count=noise.randrange(100),
        closed_unix_ns=noise.randrange(2**60),
        is_scored=False,
    )


async def note_for_ever(ledger, batch, senders):
    """Note closings and scores, some as a revision too; print what is done, or may be.

    Without senders, closings only, and then nothing for ever.
    """

    async def note(numbers, revision):
        closings = [closing_of(number, revision) for number in numbers]
        await ledger.closing(closings)
        tell("closing", numbers, revision)
        if not senders:
            await asyncio.Event().wait()
        await ledger.scored([(*key(closing), revision) for closing in closings])
        tell("scored", numbers, revision)

    async def sender():
        nonlocal batch
        while True:
            batch += 1
            cut, numbers = batch, range(batch * BATCH, (batch + 1) * BATCH)
            await note(numbers, 1)
            if cut % 3 == 0:
                await note(numbers, 2)
            value = b"%d" % cut
            await ledger.state.put("n", {b"one": value, b"two": value})
            if cut > RETAINED:
                os.write(1, b"low %d\n" % (cut - RETAINED))
                await ledger.forget("journal", 0, cut - RETAINED)

    await asyncio.gather(*(sender() for _ in range(max(1, senders))))


def tell(word, numbers, revision):
    os.write(1, f"{word} {numbers.start} {revision}\n".encode())


def main(path, batch, senders):
    failpoints.install(os.environ)
    ledger = Ledger(Path(path), capacity=CAPACITY, durable=False)
    asyncio.run(note_for_ever(ledger, int(batch), int(senders)))


class Crashes:
    """Runs the process on one file, again and again, and checks what it leaves."""

    def __init__(self, path):
        self.path = path
        self.told = {"closing": set(), "scored": set()}
        self.low = 0
        self.batch = 0

    def run(self, *, lines=10**9, failpoint="", senders=SENDERS):
        """Let it run until it has printed some lines, or until the failpoint; check, return."""
        command = [sys.executable, __file__, str(self.path), str(self.batch), str(senders)]
        environment = {**os.environ, failpoints.VARIABLE: failpoint}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            for number, line in enumerate(process.stdout, start=1):
                self._note(line)
                if number == lines:
                    process.kill()
        assert process.returncode == -signal.SIGKILL
        return asyncio.run(self._check())

    def _note(self, line):
        if not line.endswith(b"\n"):
            return
        word, *numbers = line.decode().split()
        if word == "low":
            self.low = max(self.low, int(numbers[0]))
        else:
            first, revision = map(int, numbers)
            self.told[word] |= {(number, revision) for number in range(first, first + BATCH)}

    async def _check(self):
        ledger = Ledger(self.path, capacity=CAPACITY, durable=False)
        try:
            rows = list(ledger.load())
            state = dict(ledger.state.items("n"))
        finally:
            await ledger.close()
        found = {(int.from_bytes(row.trace_id[8:], "big"), row.revision): row for row in rows}
        assert len({number for number, _ in found}) == len(found) == len(rows)
        assert [row.closed_at for row in rows] == sorted(row.closed_at for row in rows)
        for at, row in found.items():
            assert replace(row, is_scored=False) == closing_of(*at)
            assert row.is_scored <= (at in self.told["closing"])
        self._check_told(found)
        # A batch is there or is not.
        batches = Counter((number // BATCH, row.is_scored) for (number, _), row in found.items())
        young = {batch: count for batch, count in batches.items() if batch[0] >= self.low}
        assert set(young.values()) <= {BATCH}
        assert len(set(state.values())) <= 1
        self.batch = max([self.batch, *(number // BATCH for number, _ in found)])
        return found

    def _check_told(self, found):
        for at in self.told["closing"]:
            number, revision = at
            is_there = at in found or (number, revision + 1) in found
            assert is_there or closing_of(*at).closed_at < self.low
        for at in self.told["scored"]:
            assert at not in found or found[at].is_scored


def test_kill_9_at_random_loses_nothing_that_was_awaited(tmp_path):
    """Closings and scores alike, each batch as a whole; only what may be forgotten is."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    crashes = Crashes(tmp_path / "ledger.db")
    for _ in range(6):
        crashes.run(lines=chance.randrange(1, 300))


def test_kill_9_between_closing_and_scored_leaves_the_trace_closing(tmp_path):
    """It is told apart from those that were scored before."""
    crashes = Crashes(tmp_path / "ledger.db")
    crashes.run(failpoint="after_ledger:1", senders=1)
    found = crashes.run(lines=1, senders=0)
    scored = {number // BATCH: row.is_scored for (number, _), row in found.items()}
    assert scored == {1: True, 2: False}


@pytest.mark.parametrize("name", ["before_ledger", "after_ledger"])
@pytest.mark.parametrize("count", [1, 2])
def test_kill_9_at_a_failpoint_is_before_or_after_the_commit(tmp_path, name, count):
    """Nothing of the batch is scored, or all of it; also when it is killed there again."""
    crashes = Crashes(tmp_path / "ledger.db")
    found = crashes.run(failpoint=f"{name}:{count}", senders=1)
    scored = {number // BATCH: row.is_scored for (number, _), row in found.items()}
    assert scored == {cut: cut < count or name == "after_ledger" for cut in range(1, count + 1)}
    crashes.run(failpoint=f"{name}:{count}", senders=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
