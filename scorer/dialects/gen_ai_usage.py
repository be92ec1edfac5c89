"""Token counts under the `gen_ai.usage.*` keys, old, new and vendor-flavoured."""

from scorer.dialects.values import integer
from scorer.model.agent_trace import Usage
from scorer.model.span import Attributes

# In the order of the fields of `Usage`, each in order of preference.
_COUNTS = (
    ("input_tokens", "prompt_tokens"),
    ("output_tokens", "completion_tokens"),
    ("total_tokens",),
    ("cache_read.input_tokens", "cache_read_input_tokens", "details.cache_read_tokens"),
    (
        "cache_creation.input_tokens",
        "cache_write.input_tokens",
        "cache_creation_input_tokens",
        "cache_write_input_tokens",
        "details.cache_write_tokens",
    ),
    ("reasoning.output_tokens", "reasoning_tokens", "details.reasoning_tokens"),
)


class _Keys:
    """The keys under one prefix, with the place of each count in `Usage`."""

    __slots__ = ("main", "places")

    def __init__(self, prefix: str) -> None:
        self.places = tuple(
            (prefix + name, place) for place, names in enumerate(_COUNTS) for name in names
        )
        self.main = frozenset(prefix + name for names in _COUNTS[:3] for name in names)


_OWN = _Keys("gen_ai.usage.")
_AGGREGATED = _Keys("gen_ai.aggregated_usage.")
USAGE_KEYS = tuple(sorted(_OWN.main))
AGGREGATED_USAGE_KEYS = tuple(sorted(_AGGREGATED.main))


def read_usage(attributes: Attributes) -> Usage | None:
    """Return the token counts of a span, None when it has none of `USAGE_KEYS`."""
    return _read(attributes, _OWN)


def read_aggregated_usage(attributes: Attributes) -> Usage | None:
    """Return the sum over child spans that some frameworks put under a key of its own."""
    return _read(attributes, _AGGREGATED)


def _read(attributes: Attributes, keys: _Keys) -> Usage | None:
    if keys.main.isdisjoint(attributes):
        return None
    counts: list[int | None] = [None] * len(_COUNTS)
    for key, place in keys.places:
        if key in attributes and counts[place] is None:
            counts[place] = integer(attributes[key])
    return Usage(*counts) if counts.count(None) < len(counts) else None
