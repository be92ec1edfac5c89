"""Safe readers of attribute values: whatever a span holds, they return a value or None."""

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from scorer.model.span import Attributes

# What instrumentations write where there is nothing to say, or nothing to be shown.
SENTINELS = frozenset(
    {
        "__REDACTED__",
        "<not specified>",
        "N/A",
        "(merged tools)",
        "[REDACTED]",
        "<REDACTED>",
        "REDACTED",
    }
)
_LONGEST_SENTINEL = max(map(len, SENTINELS))
JSON_START = frozenset('{["')
DECODER = msgspec.json.Decoder()
_MAX_INTEGER = 2**63


def text(value: Any) -> str | None:
    """Return a non-blank string that is no sentinel, else None."""
    if (
        isinstance(value, str)
        and value
        and not value.isspace()
        # A long text is not even hashed.
        and (len(value) > _LONGEST_SENTINEL or value not in SENTINELS)
    ):
        return value
    return None


def identifier(value: Any) -> str | None:
    """Return an id as text; integers are accepted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(value)


def integer(value: Any) -> int | None:
    """Return a non-negative whole number of 63 bits; numeric strings are accepted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value < _MAX_INTEGER else None
    number = real(value)
    if number is None or not 0 <= number < _MAX_INTEGER or not number.is_integer():
        return None
    return int(number)


def real(value: Any) -> float | None:
    """Return a finite number; numeric strings are accepted."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def boolean(value: Any) -> bool | None:
    """Return a boolean; "true" and "false" are accepted."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def strings(value: Any) -> tuple[str, ...] | None:
    """Return the strings of a list, of a JSON list in a string, or of one scalar."""
    if isinstance(value, str):
        value = decoded(value)
        value = [value] if isinstance(value, str) else value
    if not isinstance(value, (list, tuple)):
        return None
    return tuple(filter(text, value)) or None


def first_text(attributes: Attributes, *keys: str) -> str | None:
    """Return the first usable text among the named attributes."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and (found := text(value)) is not None:
            return found
    return None


def first_id(attributes: Attributes, *keys: str) -> str | None:
    """Return the first usable id among the named attributes."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and (found := identifier(value)) is not None:
            return found
    return None


def parse_json(value: str) -> Any:
    """Decode JSON; raise ValueError when it is none.

    Half a surrogate pair (a sender cut an emoji) becomes a replacement character, and NaN and
    infinities, which are no JSON but common, are read: one such value must not hide the rest.
    """
    try:
        return DECODER.decode(value)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return _mended(json.loads(value))
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error


def _mended(value: Any) -> Any:
    """Replace broken surrogates in every text of a decoded document."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def decoded(value: Any, levels: int = 2) -> Any:
    """Decode a JSON document in a string, up to `levels` deep; other values stay as they are.

    Bare numbers and words are left alone: the string "1042" is an order number, not a count.
    """
    for _ in range(levels):
        if not isinstance(value, str):
            return value
        stripped = value.strip()
        if not stripped or stripped[0] not in JSON_START:
            return value
        try:
            value = parse_json(stripped)
        except ValueError:
            return value
    return value


def as_text(value: Any) -> str | None:
    """Return a value as text: strings as they are, structures as compact JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return None


def document(value: Any) -> str | None:
    """Return a recorded text, or the JSON of a recorded structure; None when it says nothing."""
    return text(as_text(value)) if isinstance(value, (dict, list)) else text(value)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a dict as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}
