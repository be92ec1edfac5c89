"""Token counts under the `gen_ai.usage.*` keys, old, new and vendor-flavoured."""

from collections.abc import Mapping

from scorer.dialects.values import integer
from scorer.model.agent_trace import Usage
from scorer.model.span import Attributes

# Names of keys and the places of their counts in `Usage`; of those with one place, the first
# one that holds a count decides.
_MAIN = {
    "input_tokens": 0,
    "prompt_tokens": 0,
    "output_tokens": 1,
    "completion_tokens": 1,
    "total_tokens": 2,
}
_DETAILS = {
    "cache_read.input_tokens": 3,
    "cache_read_input_tokens": 3,
    "details.cache_read_tokens": 3,
    "cache_creation.input_tokens": 4,
    "cache_write.input_tokens": 4,
    "cache_creation_input_tokens": 4,
    "cache_write_input_tokens": 4,
    "details.cache_write_tokens": 4,
    "reasoning.output_tokens": 5,
    "reasoning_tokens": 5,
    "details.reasoning_tokens": 5,
}


class _Keys:
    """The keys under one prefix."""

    __slots__ = ("detail_keys", "details", "main")

    def __init__(self, prefix: str) -> None:
        self.main = {prefix + name: place for name, place in _MAIN.items()}
        self.details = {prefix + name: place for name, place in _DETAILS.items()}
        self.detail_keys = frozenset(self.details)


_OWN = _Keys("gen_ai.usage.")
_AGGREGATED = _Keys("gen_ai.aggregated_usage.")
USAGE_KEYS = tuple(_OWN.main)
AGGREGATED_USAGE_KEYS = tuple(_AGGREGATED.main)


def read_usage(attributes: Attributes) -> Usage | None:
    """Return the token counts of a span, None when it has none of `USAGE_KEYS`."""
    return _read(attributes, _OWN)


def read_aggregated_usage(attributes: Attributes) -> Usage | None:
    """Return the sum over child spans that some frameworks put under a key of its own."""
    return _read(attributes, _AGGREGATED)


def _read(attributes: Attributes, keys: _Keys) -> Usage | None:
    counts: list[int | None] = [None] * 6
    _fill(counts, attributes, keys.main)
    if counts.count(None) == 6 and keys.main.keys().isdisjoint(attributes):
        return None
    if not keys.detail_keys.isdisjoint(attributes):
        _fill(counts, attributes, keys.details)
    return Usage(*counts) if counts.count(None) < 6 else None


def _fill(counts: list[int | None], attributes: Attributes, places: Mapping[str, int]) -> None:
    for key, place in places.items():
        if key in attributes and counts[place] is None:
            counts[place] = integer(attributes[key])
