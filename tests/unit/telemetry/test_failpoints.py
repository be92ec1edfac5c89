import os
import signal
import subprocess
import sys

import pytest

from scorer.errors import ConfigError
from scorer.telemetry import failpoints

CHILD = """
import os, sys
from scorer.telemetry import failpoints
failpoints.install(os.environ)
for number in range(5):
    print(number, flush=True)
    failpoints.failpoint("before_ack")
    failpoints.failpoint("after_append")
"""


@pytest.fixture(autouse=True)
def _uninstalled():
    yield
    failpoints.install({})


def run(value):
    environment = {**os.environ, failpoints.VARIABLE: value}
    return subprocess.run(
        [sys.executable, "-c", CHILD], env=environment, capture_output=True, check=False
    )


def test_the_process_is_killed_at_the_counted_hit_of_the_name():
    """Other names do not count."""
    done = run("after_append:3")
    assert done.returncode == -signal.SIGKILL
    assert done.stdout.split() == [b"0", b"1", b"2"]


def test_without_the_variable_nothing_happens():
    """The hook is the empty function, also when the variable is empty."""
    failpoints.install({failpoints.VARIABLE: ""})
    assert failpoints.failpoint is failpoints._pass
    failpoints.failpoint("after_append")


@pytest.mark.parametrize(
    "value", ["after_append", "after_append:0", "after_append:-1", "nowhere:1", "after_append:1x"]
)
def test_a_wrong_value_is_an_error_of_configuration(value):
    """A test with a misspelt name would kill nothing, and pass."""
    with pytest.raises(ConfigError, match=r"SPANSCORE_FAILPOINT: .*after_append, .*before_trim"):
        failpoints.install({failpoints.VARIABLE: value})


def test_the_names_are_a_closed_set():
    """Every name is one that a caller may write."""
    assert set(failpoints.NAMES) == {
        "after_append",
        "in_group_commit",
        "before_ack",
        "after_close",
        "after_booking",
        "after_sink",
        "after_forward",
        "before_ledger",
        "after_ledger",
        "before_trim",
        "during_trim",
    }
