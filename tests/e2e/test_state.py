"""What is kept over a restart, and for how long: late spans, the journal's size, start and stop."""

import signal

import grpc
import pytest

from .crash.scores import Emitted, Scores
from .crash.service import SMALL, TRACES, total, wait_for
from .crash.traces import AgentTrace, insist


class TestLateSpans:
    """Spans that come after their trace has closed."""

    def test_they_join_while_the_trace_is_kept(self, start, tmp_path):
        """Each close is a revision, with all spans; so is the root of a trace that was idle."""
        service = start({"assembly.idle_timeout": "500ms"})
        trace, rootless = AgentTrace(1), AgentTrace(2)
        service.send(trace.both)
        service.send(rootless.child)
        wait_for(lambda: service.series("spanscore_closed_traces_total") == 2)
        service.send(trace.late())
        service.send(trace.both)  # repeats what it has: no reason to score it again
        service.send(rootless.root)
        wait_for(lambda: service.series("spanscore_closed_traces_total") == 4)
        text = service.scrape()
        assert total(text, "spanscore_late_spans_total") == 2
        assert total(text, "spanscore_late_unjoined_spans_total") == 0
        assert total(text, "spanscore_duplicate_spans_total") == 2
        assert total(text, "spanscore_revised_scores_total") > 0
        assert total(text, "spanscore_traces_total") == 2
        service.stop()
        scores = Scores(tmp_path)
        assert scores.revisions(trace.id) == [
            Emitted(1, 2, "root", True),
            Emitted(2, 3, "root", True),
        ]
        assert scores.revisions(rootless.id) == [
            Emitted(1, 1, "idle", False),
            Emitted(2, 2, "root", True),
        ]

    def test_they_are_counted_where_it_is_not_kept(self, start, tmp_path):
        """The trace stays as it was scored, and no new one is opened."""
        service = start({"assembly.kept": "0B"})
        trace = AgentTrace(1)
        self.score(service, trace)
        self.assert_unjoined(service, trace.late())
        service.stop()
        assert Scores(tmp_path).revisions(trace.id) == [Emitted(1, 2, "root", True)]

    @pytest.mark.parametrize("how", ["kill", "stop"])
    def test_they_are_counted_after_a_restart(self, start, tmp_path, how):
        """What was kept is gone then; what was closed is still known."""
        service = start()
        trace = AgentTrace(1)
        self.score(service, trace)
        getattr(service, how)()
        service = start()
        self.assert_unjoined(service, trace.late())
        service.stop()
        assert Scores(tmp_path).revisions(trace.id) == [Emitted(1, 2, "root", True)]

    def test_those_that_had_joined_stay_joined_over_a_crash(self, start, tmp_path):
        """The open revision closes with all spans of the trace, and is the only second one."""
        service = start({"assembly.linger": "1s"})
        trace = AgentTrace(1)
        self.score(service, trace)
        service.send(trace.late())
        service.kill()
        service = start()
        service.wait_until_listening()
        service.wait_until_scored()
        service.stop()
        scores = Scores(tmp_path)
        scores.assert_one_value_each()
        assert scores.revisions(trace.id) == [
            Emitted(1, 2, "root", True),
            Emitted(2, 3, "root", True),
        ]

    def score(self, service, trace):
        service.send(trace.both)
        wait_for(lambda: service.series("spanscore_scored_spans_total") == 2)

    def assert_unjoined(self, service, body):
        service.send(body)
        text = service.scrape()
        assert total(text, "spanscore_late_unjoined_spans_total") == 1
        assert total(text, "spanscore_late_spans_total") == 1
        assert total(text, "spanscore_open_traces") == 0


class TestTheSizeOfTheJournal:
    """`journal.max_size`, with segments of 512 KiB."""

    def test_a_full_journal_refuses_until_it_empties(self, start, tmp_path):
        """UNAVAILABLE and counted, and taken when what is there is no longer needed."""
        service = start(SMALL | {"assembly.idle_timeout": "2s"})
        trace = AgentTrace(1, padding=500_000)
        service.send(trace.child)
        # The same again and again takes room in the journal and none in memory. Stopped, the
        # service finds all of it at once, before it can make room.
        service.process.send_signal(signal.SIGSTOP)
        calls = [service.channel.unary_unary(TRACES).future(trace.child) for _ in range(8)]
        service.process.send_signal(signal.SIGCONT)
        codes = [call.code() for call in calls]
        assert set(codes) == {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE}
        refused = codes.count(grpc.StatusCode.UNAVAILABLE)
        assert service.series("spanscore_refused_spans_total", 'reason="journal"') == refused
        insist(service, trace.root)
        service.wait_until_scored()
        service.stop()
        assert Scores(tmp_path).revisions(trace.id)[-1].span_count == 2

    def test_it_empties_though_nothing_is_scored(self, start):
        """What comes too late fills it and opens nothing: it must not be full for good."""
        service = start(SMALL)
        trace = AgentTrace(1, padding=200_000)
        service.send(trace.both)
        service.wait_until_scored()
        for _ in range(20):
            insist(service, trace.both)
        assert service.series("spanscore_journal_bytes") <= 2 * 2**20

    def test_an_old_open_trace_does_not_fill_it(self, start, tmp_path):
        """It is written anew, be it of spans or of log records only, and is whole in the end."""
        spans, records = AgentTrace(1), AgentTrace(2)
        service = start(SMALL)
        service.send(spans.child)
        records.send_log(service)
        for number in range(10, 60):
            insist(service, AgentTrace(number, padding=100_000).both)
        wait_for(lambda: service.series("spanscore_closed_spans_total") == 100, 30)
        assert service.series("spanscore_journal_bytes") <= 2 * 2**20
        service.kill()
        service = start(SMALL)
        assert service.said(r"(\d+) traces are open")[1] == "2"
        for trace in (spans, records):
            service.send(trace.both)
        service.wait_until_scored()
        service.stop()
        scores = Scores(tmp_path)
        scores.assert_one_value_each()
        assert scores.repeated == 0
        assert len(scores.of_traces()) == 52
        assert scores.revisions(spans.id) == scores.revisions(records.id)


class TestStartAndStop:
    def test_a_clean_stop_leaves_nothing_to_recover(self, start, tmp_path):
        """What was open is scored with `shutdown`; the next life finds nothing to do."""
        service = start()
        trace = AgentTrace(1)
        service.send(trace.child)
        service.stop()
        scores = Scores(tmp_path)
        assert scores.revisions(trace.id) == [Emitted(1, 1, "shutdown", False)]
        service = start()
        assert service.said(r"(\d+ traces are open, \d+ are scored again; \d+ places)")[1] == (
            "0 traces are open, 0 are scored again; 0 places"
        )
        service.stop()
        assert Scores(tmp_path).rows == scores.rows

    @pytest.mark.parametrize("fsync", ["always", "off"])
    def test_every_way_of_syncing_outlives_the_process(self, start, tmp_path, fsync):
        """Only the end of the machine tells them apart."""
        service = start({"journal.fsync": fsync})
        trace = AgentTrace(1)
        service.send(trace.child)
        service.kill()
        service = start({"journal.fsync": fsync})
        service.send(trace.root)
        service.wait_until_scored()
        service.stop()
        assert Scores(tmp_path).revisions(trace.id) == [Emitted(1, 2, "root", True)]

    def test_without_a_journal_nothing_is_written(self, start, tmp_path):
        """Traces are scored, late spans join, and no folder is made."""
        service = start({"journal.enabled": "false"})
        trace = AgentTrace(1)
        service.send(trace.both)
        wait_for(lambda: service.series("spanscore_closed_traces_total") == 1)
        service.send(trace.late())
        wait_for(lambda: service.series("spanscore_closed_traces_total") == 2)
        service.stop()
        assert [path.name for path in tmp_path.iterdir()] == ["scores.jsonl"]
        assert len(Scores(tmp_path).revisions(trace.id)) == 2

    def test_a_state_dir_that_cannot_be_written_is_one_clear_line(self, start, tmp_path):
        """It names the key and the folder, and exits 2."""
        (tmp_path / "file").write_text("")
        service = start({"state_dir": "file/state"})
        assert service.ended() == 2
        (line,) = service.log
        assert line.startswith("spanscore: error: state_dir: cannot ")
        assert "file/state" in line

    def test_a_state_dir_belongs_to_one_service(self, start):
        """The second exits 2 and says why; the first does not notice."""
        first = start()
        first.wait_until_listening()
        second = start()
        assert second.ended() == 2
        (line,) = second.log
        assert line.startswith("spanscore: error: ")
        assert "used by another process" in line
        first.stop()
