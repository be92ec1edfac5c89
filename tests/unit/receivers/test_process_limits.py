"""What the process must allow before strangers may send."""

import os
import resource
import subprocess
import sys

import pytest

from scorer.config import parse_config
from scorer.receivers.process_limits import raise_descriptor_limit


@pytest.fixture
def limits(monkeypatch):
    """Fake limits of the process; a list of what they were set to."""
    set_to = []

    def fake(soft, hard):
        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
        monkeypatch.setattr(resource, "setrlimit", lambda _, pair: set_to.append(pair))
        return set_to

    return fake


CONFIG = parse_config(
    {"receivers": {"otlp": {"grpc": {"max_connections": 100}, "http": {"max_connections": 10}}}}
)


def test_the_soft_limit_is_raised_to_what_connections_need(limits):
    """The usual 1024 would be used up by idle connections."""
    set_to = limits(1024, resource.RLIM_INFINITY)
    raise_descriptor_limit(CONFIG)
    assert set_to == [(1024 + 110, resource.RLIM_INFINITY)]


def test_a_limit_that_is_high_enough_is_left_alone(limits):
    """It may serve more than us."""
    for soft in (1_000_000, resource.RLIM_INFINITY):
        set_to = limits(soft, resource.RLIM_INFINITY)
        raise_descriptor_limit(CONFIG)
        assert set_to == []


def test_a_hard_limit_that_is_too_low_is_told(limits, caplog):
    """What can be had is taken, and the log says which keys do not go with it."""
    set_to = limits(1024, 1100)
    raise_descriptor_limit(CONFIG)
    assert set_to == [(1100, 1100)]
    assert "max_connections needs 1134" in caplog.text


@pytest.mark.parametrize(("seed", "refused"), [("0", True), ("random", False), ("7", False)])
def test_predictable_hashes_are_refused(seed, refused):
    """Trace ids are chosen by senders; where they fall in a table must not be."""
    code = "from scorer.receivers.process_limits import *; require_random_hashing()"
    environment = os.environ | {"PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("ConfigError" in done.stderr, done.returncode != 0) == (refused, refused)
