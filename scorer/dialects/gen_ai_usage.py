"""Token counts under the `gen_ai.usage.*` keys, old, new and vendor-flavoured."""

from itertools import chain

from scorer.dialects.values import integer
from scorer.model.agent_trace import Usage
from scorer.model.span import Attributes

# The names of the keys of each count, in the order of the fields of `Usage`; of each, the first
# one that holds a count decides.
_MAIN = (
    ("input_tokens", "prompt_tokens"),
    ("output_tokens", "completion_tokens"),
    ("total_tokens",),
)
_DETAILS = (
    (
        "cache_read.input_tokens",
        "cache_read_input_tokens",
        "details.cache_read_tokens",
        "cached_tokens",
    ),
    (
        "cache_creation.input_tokens",
        "cache_write.input_tokens",
        "cache_creation_input_tokens",
        "cache_write_input_tokens",
        "details.cache_write_tokens",
    ),
    ("reasoning.output_tokens", "reasoning_tokens", "details.reasoning_tokens"),
)
_NONE = Usage()


class _Keys:
    """The keys under one prefix."""

    __slots__ = ("detail_keys", "details", "main", "main_keys")

    def __init__(self, prefix: str) -> None:
        self.main = tuple([tuple([prefix + name for name in names]) for names in _MAIN])
        self.details = tuple([tuple([prefix + name for name in names]) for names in _DETAILS])
        self.main_keys = tuple(chain.from_iterable(self.main))
        self.detail_keys = frozenset(chain.from_iterable(self.details))


_OWN = _Keys("gen_ai.usage.")
_AGGREGATED = _Keys("gen_ai.aggregated_usage.")
USAGE_KEYS = _OWN.main_keys
AGGREGATED_USAGE_KEYS = _AGGREGATED.main_keys


def read_usage(attributes: Attributes) -> Usage | None:
    """Return the token counts of a span, None when it has none of `USAGE_KEYS`."""
    return _read(attributes, _OWN)


def read_aggregated_usage(attributes: Attributes) -> Usage | None:
    """Return the sum over child spans that some frameworks put under a key of its own."""
    return _read(attributes, _AGGREGATED)


def _read(attributes: Attributes, keys: _Keys) -> Usage | None:
    given, made, total = keys.main
    counts = _count(attributes, given), _count(attributes, made), _count(attributes, total)
    if keys.detail_keys.isdisjoint(attributes):
        usage = Usage(*counts)
    elif not any(key in attributes for key in keys.main_keys):
        return None
    else:
        usage = Usage(*counts, *[_count(attributes, names) for names in keys.details])
    return usage if usage != _NONE else None


def _count(attributes: Attributes, names: tuple[str, ...]) -> int | None:
    for name in names:
        if name in attributes and (count := integer(attributes[name])) is not None:
            return count
    return None
