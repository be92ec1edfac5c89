"""Put indexed attributes (`prefix.0.key`, `prefix.1.key`, ...) together again.

Indices are sorted as numbers and may have gaps: attribute limits drop keys silently.
"""

from collections.abc import Mapping
from typing import Any

Rows = list[dict[str, Any]]
_MAX_DIGITS = 6


def rows(attributes: Mapping[str, Any], prefix: str) -> Rows:
    """Return the attributes under one prefix, one dict per index."""
    return grouped(attributes, (prefix,)).get(prefix, [])


def grouped(attributes: Mapping[str, Any], prefixes: tuple[str, ...]) -> dict[str, Rows]:
    """Return the rows of several prefixes, which each end with a dot, in one pass."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for key, value in attributes.items():
        if not key.startswith(prefixes):
            continue
        prefix = next(prefix for prefix in prefixes if key.startswith(prefix))
        index, _, rest = key[len(prefix) :].partition(".")
        if index.isdecimal() and len(index) <= _MAX_DIGITS:
            found.setdefault(prefix, {}).setdefault(int(index), {})[rest] = value
    return {prefix: [table[index] for index in sorted(table)] for prefix, table in found.items()}
