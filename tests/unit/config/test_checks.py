"""Values that contradict each other, or the machine."""

import pytest

from scorer.config import check_files, load_config, parse_config
from scorer.errors import ConfigError


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["scoring.metrics=[]"], "scoring.metrics: it names no metric"),
        (["scoring.metrics=[latency, latency]"], "latency stands there 2 times"),
        (["scoring.metrics=[latency, {name: latency}]"], "latency stands there 2 times"),
        (
            ["scoring.thresholds={x: {min: 0.9, max: 0.1}}"],
            "thresholds.x: min 0.9 is above max 0.1",
        ),
        (["scoring.thresholds={x: {max: .nan}}"], "thresholds.x: a bound is a number"),
        (["web.endpoint=127.0.0.1:4317"], r"grpc.endpoint: .*taken by web.endpoint"),
        (["web.endpoint=localhost:4318"], r"http.endpoint: .*taken by web.endpoint"),
        (["web.endpoint=0.0.0.0:4318", "web.insecure=true"], r"http.endpoint: .*taken by web"),
    ],
)
def test_what_cannot_be_meant_is_refused(overrides, said):
    """At the start, with the path, not when the first trace comes."""
    with pytest.raises(ConfigError, match=said):
        load_config(None, overrides)


@pytest.mark.parametrize(
    "overrides",
    [
        ["web.endpoint=127.0.0.1:0", "receivers.otlp.grpc.endpoint=127.0.0.1:0"],
        ["web.endpoint=127.0.0.1:4317", "receivers.otlp.grpc.enabled=false"],
        ["web.endpoint=127.0.0.2:4317"],
        ["scoring.metrics=[default, {name: latency, mode: documented}]"],
        ["scoring.thresholds={x: {min: 0.5, max: 0.5}}"],
    ],
)
def test_what_only_looks_alike_is_fine(overrides):
    """Free ports, listeners that are off, other addresses, a group and one of its members."""
    load_config(None, overrides)


def test_the_scores_file_needs_its_folder(tmp_path):
    """Asked by check-config: a replay elsewhere with the same configuration must not fail."""
    for path, said in ((tmp_path / "no" / "x", "there is no folder"), (tmp_path, "is no file")):
        config = load_config(None, [f"sinks.jsonl.path={path}"])
        with pytest.raises(ConfigError, match=f"sinks.jsonl.path: .*{said}"):
            check_files(config)
    check_files(load_config(None, [f"sinks.jsonl.path={tmp_path / 'x'}"]))
    check_files(load_config())


@pytest.mark.parametrize(
    ("push", "fault"),
    [
        ({"endpoint": "collector:4318", "protocol": "http"}, "is no URL"),
        ({"endpoint": "ftp://collector"}, "ftp:// is not known"),
        ({"endpoint": "https://collector", "insecure": True}, "contradict"),
        ({"endpoint": "collector"}, "is not HOST:PORT"),
    ],
)
def test_a_push_names_a_place_that_can_be_meant(push, fault):
    """Found before the start."""
    with pytest.raises(ConfigError, match=fault):
        parse_config({"sinks": {"otlp_metrics": push}})
