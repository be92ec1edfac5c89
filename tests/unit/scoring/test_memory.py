"""How often the cycle collector runs."""

from unittest import mock

import pytest

from scorer.scoring import memory


@pytest.mark.parametrize(("answers", "most"), [(True, 5_000), (False, 100_000)])
def test_where_senders_wait_the_collector_walks_over_few_objects(answers, most):
    """A pause of 50 ms is the latency of all requests that are in flight; a worker has time."""
    with mock.patch.object(memory, "gc") as gc:
        memory.settle_memory(answers=answers)
    (thresholds,) = gc.set_threshold.call_args_list
    young, middle, _ = thresholds.args
    assert 1_000 <= young <= most
    assert young * middle >= 1_000_000, "what lives on is rarely walked over"
    assert gc.method_calls[:2] == [mock.call.collect(), mock.call.freeze()]
