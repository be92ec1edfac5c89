"""Token counts in a recorded map: a provider's own usage object, or a product's.

The names are those of OpenAI (both APIs), Anthropic, Gemini, LangChain and of products that
rename them; details may stand in maps inside the map.
"""

from collections.abc import Mapping
from typing import Any

from scorer.dialects.values import decoded, integer, mapping
from scorer.model.agent_trace import Usage

# In the order of the fields of `Usage`; of each, the first name that holds a count decides.
_NAMES = (
    (
        "input_tokens",
        "prompt_tokens",
        "input",
        "inputTokens",
        "promptTokens",
        "prompt_token_count",
        "promptTokenCount",
    ),
    (
        "output_tokens",
        "completion_tokens",
        "output",
        "outputTokens",
        "completionTokens",
        "candidates_token_count",
        "candidatesTokenCount",
    ),
    (
        "total_tokens",
        "total",
        "tokens",
        "totalTokens",
        "total_token_count",
        "totalTokenCount",
    ),
    (
        "cache_read_input_tokens",
        "input_cache_read",
        "input_cached_tokens",
        "cached_input_tokens",
        "cachedInputTokens",
        "cached_tokens",
        "prompt_cached_tokens",
        "cache_read",
        "cache_read_tokens",
        "cached_content_token_count",
        "cachedContentTokenCount",
    ),
    (
        "cache_creation_input_tokens",
        "input_cache_creation",
        "cache_write_input_tokens",
        "cache_write_tokens",
        "cache_creation",
        "cache_creation_tokens",
        "prompt_cache_creation_tokens",
    ),
    (
        "output_reasoning",
        "output_reasoning_tokens",
        "reasoning_tokens",
        "reasoningTokens",
        "reasoning",
        "thoughts_token_count",
        "thoughtsTokenCount",
        "completion_reasoning_tokens",
    ),
)
_INNER = (
    "prompt_tokens_details",
    "input_tokens_details",
    "input_token_details",
    "completion_tokens_details",
    "output_tokens_details",
    "output_token_details",
)
_MAIN = 3  # how many of the fields are no details


def usage_in(value: Any) -> Usage | None:
    """Return the counts of a map (or of its JSON text), None when it holds none."""
    fields = mapping(decoded(value))
    if not fields:
        return None
    counts = [_count(fields, names) for names in _NAMES]
    for key in _INNER:
        inner = mapping(fields.get(key))
        for place in range(_MAIN, len(_NAMES)) if inner else ():
            if counts[place] is None:
                counts[place] = _count(inner, _NAMES[place])
    return Usage(*counts) if any(count is not None for count in counts[:_MAIN]) else None


def _count(fields: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    found = (integer(fields[name]) for name in names if name in fields)
    return next((count for count in found if count is not None), None)
