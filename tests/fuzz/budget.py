"""How long the fuzz tests run: `SPANSCORE_FUZZ_SECONDS` in all, shared out below.

Hypothesis bounds a test by its number of examples. Here the time is given instead, and a test
is run again, each time with another seed, until its share is used up. A failure prints how
to repeat it. Where Hypothesis runs derandomized (it does so when `CI` is set) the seeds are
1, 2, 3, ...: what fails there fails because of a change, and fails again.
"""

import functools
import itertools
import os
import time

import pytest
from hypothesis import HealthCheck, seed, settings

SECONDS = float(os.environ.get("SPANSCORE_FUZZ_SECONDS", "10"))

SHARES = {
    "protobuf": 0.25,
    "json": 0.25,
    "gzip": 0.05,
    "ingest": 0.2,
    "http": 0.15,
    "grpc": 0.1,
}
_EXAMPLES = 50
_SHRINKING_S = 300


def fuzz(share, parts=1):
    """Run a test of Hypothesis for its share of the time, which `parts` tests divide."""

    def wrap(test):
        bounded = settings(
            max_examples=_EXAMPLES,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        )(test)
        seconds = SECONDS * SHARES[share] / parts

        @pytest.mark.timeout(seconds + _SHRINKING_S)
        @functools.wraps(bounded)
        def run(*args, **kwargs):
            end = time.monotonic() + seconds
            for number in itertools.count(1):
                if settings.default.derandomize:
                    seed(number)(bounded)
                bounded(*args, **kwargs)
                if time.monotonic() >= end:
                    break

        return run

    return wrap
