"""The service is killed while it sends scores: the backend gets each of them, always the same."""

from collections import defaultdict

import grpc
import pytest
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from .crash.backend import Backend
from .crash.load import Load
from .crash.scores import Scores
from .crash.service import TRACES, wait_for

LOGS = TRACES.replace("trace.v1.Trace", "logs.v1.Logs")
SENT = {"scored", "failed"}


class ResultsBackend(Backend):
    """Keeps the bytes of evaluator spans and of events, by the id of their score."""

    def __init__(self):
        super().__init__()
        self.carriers = {TRACES: defaultdict(set), LOGS: defaultdict(set)}

    @property
    def settings(self):
        return {"sinks.otlp": super().settings["sinks.otlp"].replace("forward", "results")}

    def service(self, details):
        def take(body, context):
            if self.is_down:
                context.abort(grpc.StatusCode.UNAVAILABLE, "down")
            for item in items(details.method, body):
                own = {pair.key: pair.value.string_value for pair in item.attributes}
                found = self.carriers[details.method][own["spanscore.score_id"]]
                found.add(item.SerializeToString())
            return b""

        return grpc.unary_unary_rpc_method_handler(take)

    def check_scores(self, scores):
        """Assert that it has the scores of each trace's last revision, as one span and one event.

        An earlier one that was not taken before a crash is not made again.
        """
        last = {trace_id: seen[-1].revision for trace_id, seen in scores.of_traces().items()}
        due = [
            r for r in scores.rows if r["status"] in SENT and r["revision"] == last[r["trace_id"]]
        ]
        assert due
        for found in self.carriers.values():
            lost = [row for row in due if row["id"] not in found]
            assert [(r["trace_id"], r["revision"], r["metric"]) for r in lost] == []
            assert [score_id for score_id, forms in found.items() if len(forms) > 1] == []


def items(method, body):
    if method == LOGS:
        groups = logs_pb2.LogsData.FromString(body).resource_logs
        return [
            one for group in groups for scoped in group.scope_logs for one in scoped.log_records
        ]
    groups = trace_pb2.TracesData.FromString(body).resource_spans
    return [one for group in groups for scoped in group.scope_spans for one in scoped.spans]


@pytest.fixture
def backend():
    """A backend for all lives."""
    server = ResultsBackend()
    yield server
    server.stop()


@pytest.mark.parametrize("name", ["after_sink", "after_forward", "after_ledger"])
def test_a_kill_at_a_failpoint_loses_no_score(start, tmp_path, backend, name):
    """What is sent again has the ids and the bytes of the first time."""
    load = Load(1, count=40)
    service = start(backend.settings, failpoint=f"{name}:3")
    load.point_at(service)
    load.begin()
    assert service.ended() == -9
    load.finish_in(start(backend.settings))
    scores = Scores(tmp_path)
    load.check(scores)
    backend.check_scores(scores)


def test_a_kill_while_the_backend_is_down_loses_no_score(start, tmp_path, backend):
    """The journal keeps a trace until its scores are taken."""
    load = Load(2, count=30)
    backend.is_down = True
    service = start(backend.settings)
    load.point_at(service)
    load.begin()
    load.finish()
    wait_for(lambda: service.series("spanscore_unforwarded_traces") >= 30)
    service.kill()
    assert not any(backend.carriers.values())
    backend.is_down = False
    load.finish_in(start(backend.settings))
    scores = Scores(tmp_path)
    load.check(scores)
    backend.check_scores(scores)
