"""When readings are kept at all."""

import pytest
from metric_requests import metric, request

from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.scoring.readings.build import all_readings, build_readings, replay_readings
from scorer.telemetry import Telemetry


def config(*metrics, **readings):
    return parse_config({"scoring": {"metrics": list(metrics), "readings": readings}})


def test_readings_are_kept_for_the_metrics_that_use_them():
    """`default` has none of these, so nothing is looked for in anybody's metrics."""
    assert build_readings(config("default"), Telemetry(), lambda: 0.0) is None
    for name in ("sustainability", "energy_consumption", "resource_utilization"):
        assert build_readings(config(name), Telemetry(), lambda: 0.0) is not None
    assert all_readings(config("latency")) is None


def test_for_stored_files_there_are_no_bounds():
    """Their traces are all held until the end."""
    readings = all_readings(config("sustainability", max_resources=1, max_readings=64))
    points = metric("hw.power", [(n, 1.0) for n in range(200)])
    for name in ("a", "b"):
        readings.take(readings.wanted(request(points, resource={"host.name": name})), "")
    assert readings.resources == 2
    assert readings._telemetry.value("spanscore_readings_total", outcome="kept") == 400


def test_a_replay_has_more_room():
    """Its traces close later, by `replay.lateness`: four times as many readings are kept."""
    readings = replay_readings(config("sustainability", max_readings=64), Telemetry(), lambda: 0.0)
    body = request(metric("hw.power", [(n, 1.0) for n in range(300)]))
    readings.take(readings.wanted(body), "")
    kept = readings._telemetry.value("spanscore_readings_total", outcome="kept")
    dropped = readings._telemetry.value("spanscore_readings_total", outcome="dropped_old")
    assert 128 < kept - dropped <= 256


@pytest.mark.parametrize(
    "readings", [{"max_resources": 0}, {"max_readings": 1}, {"min_share": 2}, {"max_age": "0s"}]
)
def test_bounds_that_make_no_sense_are_refused(readings):
    """With the path of the key."""
    with pytest.raises(ConfigError, match=r"scoring\.readings"):
        config(**readings)
