"""The service is killed: nothing that was acknowledged is lost, and nothing is scored twice."""

import contextlib
import os
import re
import time
from random import Random

import grpc
import pytest

from scorer.telemetry.failpoints import NAMES

from .crash.load import Load
from .crash.scores import Emitted, Scores
from .crash.service import SMALL, wait_for
from .crash.traces import AgentTrace, insist, single_spans

SOAK = bool(os.environ.get("SPANSCORE_SOAK"))
TRIMS = {"before_trim", "during_trim"}
OF_REQUESTS = {"after_append", "in_group_commit", "before_ack"}


@pytest.mark.parametrize("name", sorted(NAMES - TRIMS))
def test_a_kill_at_a_failpoint_loses_nothing(start, tmp_path, name):
    """Wherever in the life of a request or a trace it is, and the sender tries again."""
    load = Load(1, count=60)
    # Requests are many, batches of traces are few.
    service = start(failpoint=f"{name}:{20 if name in OF_REQUESTS else 3}")
    load.point_at(service)
    load.begin()
    assert service.ended() == -9
    load.finish_in(start())
    load.check(Scores(tmp_path))


@pytest.mark.parametrize("name", sorted(TRIMS))
def test_a_kill_while_the_journal_is_trimmed_loses_nothing(start, tmp_path, name):
    """An open trace holds what is scored behind it until it is spilled; then all goes at once."""
    old = AgentTrace(1)
    others = [AgentTrace(number, padding=400_000) for number in range(2, 6)]
    service = start(SMALL, failpoint=f"{name}:1")
    service.send(old.child)
    with contextlib.suppress(grpc.RpcError, OSError):  # it may be gone already
        for other in others:
            service.send(other.both)
            wait_for(lambda: service.series("spanscore_open_traces") == 1, 30)
    assert service.ended() == -9
    service = start(SMALL)
    insist(service, old.root)
    service.wait_until_scored()
    service.stop()
    scores = Scores(tmp_path)
    scores.assert_one_value_each()
    emitted = scores.of_traces()
    assert emitted.pop(old.id) == [Emitted(1, 2, "root", True)]
    assert len(emitted) >= 2
    assert set(map(tuple, emitted.values())) == {(Emitted(1, 2, "root", True),)}


@pytest.mark.timeout(180)
@pytest.mark.parametrize("seed", range(50 if SOAK else 5))
def test_kills_at_random_under_load_lose_nothing(start, tmp_path, seed):
    """Ten kills each, while it starts too; a failure is repeated by its seed."""
    rng = Random(seed)
    print(f"seed {seed}")
    # A worker begins to score only in the longer lives.
    workers = {"scoring.workers": seed % 2}
    load = Load(seed)
    load.begin()
    for _ in range(10):
        service = start(workers)
        load.point_at(service)
        if rng.random() < 0.8:
            service.wait_until_listening()
            time.sleep(rng.expovariate(1 / 0.5))
            assert_balanced_if_it_answers(service)
        else:
            time.sleep(rng.uniform(0.2, 1.2))
        service.kill()
    load.finish_in(start(workers))
    scores = Scores(tmp_path)
    load.check(scores)
    print(f"{len(load.traces)} traces, {len(scores.rows)} rows; {scores.repeated} repeated")


def assert_balanced_if_it_answers(service):
    try:
        service.scrape()
    except OSError:
        assert service.process.poll() is not None


class TestTheLedger:
    """Scored traces stay in the journal behind one that is open: they must be known again."""

    COUNT = 2000

    @pytest.fixture
    def old(self):
        return AgentTrace(1)

    def score_behind(self, service, old, tmp_path):
        """Have `COUNT` traces scored while an older one is open, and return their ids."""
        service.send(old.child)
        for first in range(1000, 1000 + self.COUNT, 25):
            insist(service, single_spans(first, 25))
        wait_for(lambda: service.series("spanscore_closed_spans_total") == self.COUNT, 30)
        # They are counted before it is noted that they are scored: a kill in between repeats some.
        wait_for(lambda: len(Scores(tmp_path).of_traces()) == self.COUNT, 30)
        wait_for(lambda: service.series("spanscore_unforwarded_traces") == 0, 30)

    def test_what_was_scored_behind_an_open_trace_is_not_scored_again(self, start, tmp_path, old):
        """All its spans are read again and known; the open trace closes as if nothing had been."""
        service = start()
        self.score_behind(service, old, tmp_path)
        service.kill()
        before = Scores(tmp_path)
        service = start()
        service.send(old.root)
        service.wait_until_scored()
        assert service.series("spanscore_reread_spans_total") == self.COUNT
        service.stop()
        after = Scores(tmp_path)
        assert len({row["trace_id"] for row in before.rows}) == self.COUNT
        assert after.repeated == before.repeated == 0
        assert {row["trace_id"] for row in after.rows[len(before.rows) :]} == {old.id}
        assert after.revisions(old.id) == [Emitted(1, 2, "root", True)]

    def test_without_a_ledger_it_would_be(self, start, tmp_path, old):
        """The contrast: it is the ledger, and nothing else, that tells."""
        service = start()
        self.score_behind(service, old, tmp_path)
        service.kill()
        for file in (tmp_path / "state").glob("ledger.sqlite*"):
            file.unlink()
        service = start()
        service.wait_until_listening()
        wait_for(lambda: service.series("spanscore_closed_spans_total") == self.COUNT, 30)
        service.kill()
        assert Scores(tmp_path).repeated > 0

    @pytest.mark.parametrize("how", ["kill", "stop"])
    def test_few_remembered_traces_are_enough(self, start, tmp_path, old, how):
        """`max_tombstones` bounds what late spans are known by, never what is read again."""
        few = {"assembly.max_tombstones": 100, "assembly.kept": "0B"}
        service = start(few)
        self.score_behind(service, old, tmp_path)
        getattr(service, how)()
        before = Scores(tmp_path)
        service = start(few)
        service.wait_until_listening()
        open_before = service.series("spanscore_open_traces")
        service.stop()
        assert open_before == (how == "kill")
        assert Scores(tmp_path).repeated == before.repeated == 0


class TestDamage:
    """Segment files that a disk or a power cut has damaged."""

    @pytest.fixture
    def stopped(self, start, tmp_path):
        """The segment of a service that was killed with ten traces open, in order."""
        service = start()
        for number in range(1, 11):
            service.send(AgentTrace(number).child)
        service.kill()
        (segment,) = (tmp_path / "state" / "journal").glob("*.seg")
        return segment

    def recovered(self, start, tmp_path):
        """Let a service start on it, close what is open, and return its log and what closed."""
        service = start()
        service.wait_until_listening()
        service.stop()
        traces = {int(trace_id, 16) for trace_id in Scores(tmp_path).of_traces()}
        return "\n".join(service.log), traces

    def test_a_flipped_bit_costs_one_record(self, start, tmp_path, stopped):
        """The others are used; the log says in which file, and where."""
        data = bytearray(stopped.read_bytes())
        at = data.index(b"chat 004")
        data[at] ^= 1
        stopped.write_bytes(data)
        log, traces = self.recovered(start, tmp_path)
        assert traces == set(range(1, 11)) - {4}
        told = re.search(rf"damage in the journal: {stopped.name} at byte (\d+), (\d+) bytes", log)
        begin, length = map(int, told.groups())
        assert begin < at < begin + length
        assert "1 places are damaged" in log

    def test_a_torn_tail_costs_what_was_not_written(self, start, tmp_path, stopped):
        """As when the power went in the middle of a write."""
        data = stopped.read_bytes()
        at = data.index(b"chat 010")
        stopped.write_bytes(data[:at] + bytes(len(data) - at))
        log, traces = self.recovered(start, tmp_path)
        assert traces == set(range(1, 10))
        assert re.search(rf"damage in the journal: {stopped.name} at byte \d+.*: record 10 ", log)

    def test_a_file_that_is_no_segment_is_left_alone(self, start, tmp_path, stopped):
        """The service starts, and says so."""
        stopped.write_bytes(b"nothing that we wrote" * 100)
        log, traces = self.recovered(start, tmp_path)
        assert traces == set()
        assert f"damage in the journal: {stopped.name} at byte 0" in log
        assert stopped.read_bytes().startswith(b"nothing that we wrote")
