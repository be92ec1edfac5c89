"""Which metrics run for which service, and on which share of its traces."""

import fnmatch
from collections.abc import Sequence

from scorer.config import RuleConfig

_SCALE = float(2**64)


class Rules:
    """The configured rules; the first that matches a service decides."""

    def __init__(self, rules: Sequence[RuleConfig]) -> None:
        self._rules = tuple(rules)

    def find(self, service: str) -> RuleConfig | None:
        """Return the rule of a service, or None when every metric runs on every trace."""
        for rule in self._rules:
            if fnmatch.fnmatchcase(service, rule.match.get("service", "*")):
                return rule
        return None


def is_sampled(trace_id: str, share: float) -> bool:
    """Whether a trace is in the sample: decided by its id alone, so the same everywhere.

    W3C trace ids are random in their last 7 bytes; the last 8 are compared with the share.
    """
    if share >= 1:
        return True
    return int(trace_id[-16:], 16) / _SCALE < share
