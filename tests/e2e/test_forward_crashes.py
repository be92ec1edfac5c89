"""The service is killed while it forwards: the backend gets every acknowledged span."""

import time
from random import Random

import pytest
from opentelemetry.proto.metrics.v1 import metrics_pb2

from .crash.backend import METRICS, Backend
from .crash.load import Load
from .crash.scores import Scores
from .crash.service import wait_for

# Those that a trace passes after it has closed.
LATE = ("after_close", "after_sink", "after_forward", "before_ledger", "after_ledger")


@pytest.fixture
def backend():
    """A backend for all lives."""
    server = Backend()
    yield server
    server.stop()


@pytest.mark.parametrize("name", LATE)
def test_a_kill_at_a_failpoint_loses_no_span(start, tmp_path, backend, name):
    """They come at least once, with the scores that the other sinks have."""
    load = Load(1, count=60)
    service = start(backend.settings, failpoint=f"{name}:3")
    load.point_at(service)
    load.begin()
    assert service.ended() == -9
    load.finish_in(start(backend.settings))
    scores = Scores(tmp_path)
    load.check(scores)
    backend.check(load, scores)


def test_a_kill_while_the_backend_is_down_loses_no_span(start, tmp_path, backend):
    """What waits for it is in the journal, though it is scored, or belongs to no trace."""
    load = Load(2, count=40)
    backend.is_down = True
    service = start(backend.settings)
    load.point_at(service)
    load.begin()
    load.finish()
    wait_for(lambda: service.series("spanscore_unforwarded_traces") >= 40)
    metrics = metrics_pb2.MetricsData()
    metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    service.send(metrics.SerializeToString(), method=METRICS)
    assert backend.spans == {}
    service.kill()
    backend.is_down = False
    load.finish_in(start(backend.settings))
    scores = Scores(tmp_path)
    load.check(scores)
    backend.check(load, scores)
    assert backend.metrics == [metrics.SerializeToString()]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(2))
def test_kills_at_random_lose_no_span(start, tmp_path, backend, seed):
    """Five kills, with a backend that comes and goes; a failure is repeated by its seed."""
    rng = Random(seed)
    load = Load(seed)
    load.begin()
    for _ in range(5):
        service = start(backend.settings)
        load.point_at(service)
        service.wait_until_listening()
        backend.is_down = rng.random() < 0.5
        time.sleep(rng.expovariate(1 / 0.7))
        service.kill()
    backend.is_down = False
    load.finish_in(start(backend.settings))
    scores = Scores(tmp_path)
    load.check(scores)
    backend.check(load, scores)
