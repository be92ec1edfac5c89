"""Tail sampling: every failing trace, and a share of the rest.

The share is decided by a hash of the trace id alone, so it is the same in every instance, for
every revision and after a restart. The hash is our own: a sender that samples by the trace id
itself would have sent only ids of one end of the scale.
"""

from collections import OrderedDict
from fnmatch import fnmatchcase
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from scorer.api import ScoredTrace
from scorer.config.forwarding import SamplingConfig
from scorer.model.trace import ClosedTrace
from scorer.otlp.roots import is_failed

_KEY: Final = b"spanscore.sampling"
_SCALE: Final = float(2**64)
_REMEMBERED: Final = 50_000

Basis = Literal["failing", "share", "service"]


class Choice(NamedTuple):
    """Whether a trace is kept, with which probability traces like it are, and why."""

    is_kept: bool
    probability: float
    basis: Basis


class TailSampler:
    """Decides for one target, and remembers the last traces that it dropped."""

    def __init__(self, config: SamplingConfig, remembered: int = _REMEMBERED) -> None:
        self._config = config
        self._remembered = remembered
        self._dropped: OrderedDict[tuple[str, bytes], Basis] = OrderedDict()

    def dropped(self, tenant: str, trace_id: bytes) -> Basis | None:
        """Return why a trace was dropped, when it was lately."""
        return self._dropped.get((tenant, trace_id))

    def choose(self, trace: ClosedTrace, scored: ScoredTrace | None, service: str) -> Choice:
        """Decide on a trace; without scores nobody knows that it does not fail."""
        choice = self._choose(trace, scored, service)
        key = (trace.tenant, trace.trace_id)
        if choice.is_kept:
            self._dropped.pop(key, None)
        else:
            self._dropped[key] = choice.basis
            if len(self._dropped) > self._remembered:
                self._dropped.popitem(last=False)
        return choice

    def _choose(self, trace: ClosedTrace, scored: ScoredTrace | None, service: str) -> Choice:
        if self._config.keep_failing and _may_fail(trace, scored):
            return Choice(True, 1.0, "failing")
        share, basis = self._share(service)
        return Choice(is_in_share(trace.trace_id, share), share, basis)

    def _share(self, service: str) -> tuple[float, Basis]:
        for pattern, share in self._config.services.items():
            if fnmatchcase(service, pattern):
                return share, "service"
        return self._config.share, "share"


def is_in_share(trace_id: bytes, share: float) -> bool:
    """Whether a trace id is among this share of all."""
    if share >= 1:
        return True
    number = int.from_bytes(blake2b(trace_id, digest_size=8, key=_KEY).digest(), "big")
    return number / _SCALE < share


def joint(probability: float, before: float | None) -> float:
    """Return with which probability a trace came through an earlier sampler and through ours.

    `before` is what the trace says of the earlier one, None = nothing. Every sampler of ours
    decides by the same hash, so whoever is in the smaller share is in the larger one too.
    """
    return min(probability, before) if before is not None and before > 0 else probability


def _may_fail(trace: ClosedTrace, scored: ScoredTrace | None) -> bool:
    if scored is None or scored.verdict == "quarantined" or scored.breaches:
        return True
    return any(map(is_failed, trace.spans))
