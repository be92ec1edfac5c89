"""Put indexed attributes (`prefix.0.key`, `prefix.1.key`, ...) together again.

Indices are sorted as numbers and may have gaps: attribute limits drop keys silently. The same
keys come with span after span, so where a key belongs is remembered.
"""

from collections.abc import Mapping
from typing import Any

Rows = list[dict[str, Any]]
_Place = tuple[()] | tuple[str, int, str]  # prefix, index and rest of a key; () = no row
_MAX_DIGITS = 6
_MAX_KNOWN = 4_096
_MAX_LENGTH = 200  # characters of a key that is remembered
_KNOWN: dict[tuple[str, ...], dict[str, _Place]] = {}


def rows(attributes: Mapping[str, Any], prefix: str) -> Rows:
    """Return the attributes under one prefix, one dict per index."""
    return grouped(attributes, (prefix,)).get(prefix, [])


def grouped(attributes: Mapping[str, Any], prefixes: tuple[str, ...]) -> dict[str, Rows]:
    """Return the rows of several prefixes, which each end with a dot, in one pass."""
    known = _KNOWN.setdefault(prefixes, {})
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for key, value in attributes.items():
        place = known.get(key)
        if place is None:
            place = _place(key, prefixes)
            _remember(known, key, place)
        if place:
            prefix, index, rest = place
            found.setdefault(prefix, {}).setdefault(index, {})[rest] = value
    return {prefix: [table[index] for index in sorted(table)] for prefix, table in found.items()}


def _place(key: str, prefixes: tuple[str, ...]) -> _Place:
    if not key.startswith(prefixes):
        return ()
    prefix = next(prefix for prefix in prefixes if key.startswith(prefix))
    index, _, rest = key[len(prefix) :].partition(".")
    return (prefix, int(index), rest) if index.isdecimal() and len(index) <= _MAX_DIGITS else ()


def _remember(known: dict[str, _Place], key: str, place: _Place) -> None:
    if len(known) >= _MAX_KNOWN:
        known.clear()
    if len(key) <= _MAX_LENGTH:
        known[key] = place
