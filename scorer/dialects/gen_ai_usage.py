"""Token counts under the `gen_ai.usage.*` keys, old, new and vendor-flavoured."""

from scorer.dialects.values import integer
from scorer.model.agent_trace import Usage
from scorer.model.span import Attributes

_INPUT = ("input_tokens", "prompt_tokens")
_OUTPUT = ("output_tokens", "completion_tokens")
_TOTAL = ("total_tokens",)
_CACHE_READ = ("cache_read.input_tokens", "cache_read_input_tokens", "details.cache_read_tokens")
_CACHE_WRITE = (
    "cache_creation.input_tokens",
    "cache_write.input_tokens",
    "cache_creation_input_tokens",
    "cache_write_input_tokens",
    "details.cache_write_tokens",
)
_REASONING = ("reasoning.output_tokens", "reasoning_tokens", "details.reasoning_tokens")


def _keys(prefix: str) -> tuple[tuple[str, ...], ...]:
    fields = (_INPUT, _OUTPUT, _TOTAL, _CACHE_READ, _CACHE_WRITE, _REASONING)
    return tuple(tuple(prefix + name for name in names) for names in fields)


_OWN = _keys("gen_ai.usage.")
_AGGREGATED = _keys("gen_ai.aggregated_usage.")


def read_usage(attributes: Attributes) -> Usage | None:
    """Return the token counts of a span, None when it has none."""
    return _read(attributes, _OWN)


def read_aggregated_usage(attributes: Attributes) -> Usage | None:
    """Return the sum over child spans that some frameworks put under a key of its own."""
    return _read(attributes, _AGGREGATED)


def _read(attributes: Attributes, fields: tuple[tuple[str, ...], ...]) -> Usage | None:
    if not any(key in attributes for key in (*fields[0], *fields[1], *fields[2])):
        return None
    counts = [_first(attributes, keys) for keys in fields]
    return Usage(*counts) if any(count is not None for count in counts) else None


def _first(attributes: Attributes, keys: tuple[str, ...]) -> int | None:
    for key in keys:
        if key in attributes and (count := integer(attributes[key])) is not None:
            return count
    return None
