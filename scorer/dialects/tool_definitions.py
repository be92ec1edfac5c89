"""Tools offered to a model. The same text recurs on every call, so parsing is remembered."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from scorer.dialects.values import decoded, mapping, text
from scorer.model.agent_trace import ToolDefinition

_REMEMBERED = 16_384  # characters; longer texts are parsed each time, to bound the memory


def read_definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    """Return the tools that a list, a JSON list, or a list of JSON texts defines."""
    if isinstance(value, str):
        return _cached(value) if len(value) <= _REMEMBERED else _definitions(value)
    return _definitions(value)


@lru_cache(maxsize=256)
def _cached(value: str) -> tuple[ToolDefinition, ...] | None:
    return _definitions(value)


def _definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    value = decoded(value)
    items: Iterable[Any] = value if isinstance(value, (list, tuple)) else [value]
    found = (_definition(decoded(item)) for item in items)
    return tuple(item for item in found if item is not None) or None


def _definition(item: Any) -> ToolDefinition | None:
    function = mapping(mapping(item).get("function")) or mapping(item)
    name = text(function.get("name"))
    if name is None:
        return None
    keys = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")
    schema = next((function[key] for key in keys if function.get(key) is not None), None)
    return ToolDefinition(name, decoded(schema))
