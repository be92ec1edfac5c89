"""Rules and sampling."""

import pytest

from scorer.config import RuleConfig
from scorer.scoring.rules import Rules, is_sampled


def test_the_first_matching_rule_decides():
    """Globs are tried in order."""
    rules = Rules(
        [
            RuleConfig(match={"service": "checkout-*"}, sample=0.1),
            RuleConfig(match={"service": "*"}),
        ]
    )
    assert rules.find("checkout-eu").sample == 0.1
    assert rules.find("search").sample == 1


def test_without_a_match_there_is_no_rule():
    """Then every metric runs."""
    assert Rules([RuleConfig(match={"service": "a"})]).find("b") is None


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (0.25, 250), (1.0, 1000)])
def test_the_sampled_share_is_the_configured_one(share, expected):
    """Evenly spread ids are taken in proportion."""
    step = 2**64 // 1000
    ids = [f"{0:016x}{number * step:016x}" for number in range(1000)]
    assert sum(is_sampled(trace_id, share) for trace_id in ids) == pytest.approx(expected, abs=1)


def test_a_larger_share_keeps_what_a_smaller_one_took():
    """Samples nest, so raising the share never drops a trace."""
    ids = [f"{n * 2654435761 % 2**128:032x}" for n in range(500)]
    small = {i for i in ids if is_sampled(i, 0.2)}
    assert small <= {i for i in ids if is_sampled(i, 0.5)}
