"""Makes what msgspec says about a wrong value one line: `path: what`."""

import re
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

_STEP = re.compile(r"\.?([^.\[]+)|\[[^\]]*\]")
_QUOTE = "'"
# How msgspec begins the place of a wrong key of a mapping.
_AT_KEY = "key` in `"
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")


def explain(text: str, root: type[Struct]) -> str:
    """Return msgspec's message as `path: what`; values of a fixed set are listed."""
    message, _, where = text.partition(" - at `")
    is_key = where.startswith(_AT_KEY)
    path = where.removeprefix(_AT_KEY).rstrip("`").removeprefix("$").lstrip(".")
    unknown = _UNKNOWN.search(message)
    if unknown:
        full = f"{path}.{unknown.group(1)}".lstrip(".")
        if "options" in _fields(root, path):
            return f"unknown key {full}; an option of a metric stands in its `options: {{..}}`"
        return f"unknown key {full}; see the table of configuration keys in the README"
    if message.startswith("Invalid enum value"):
        given = message.removeprefix("Invalid enum value ")
        allowed = ", ".join(_allowed(root, f"{path}[...]" if is_key else path))
        if is_key:
            return f"unknown key {path}.{given.strip(_QUOTE)}; known there: {allowed}"
        message = f"{given} is not one of: {allowed}"
    return f"{path or 'configuration'}: {message}"


def _allowed(root: type[Struct], path: str) -> list[str]:
    """Return the values that a place in the tree may have, as far as they are a fixed set."""
    return [_shown(value) for hint in _types_at(root, path) for value in _values(hint)]


def _fields(root: type[Struct], path: str) -> set[str]:
    """Return the fields that a place in the tree may have."""
    parts = [part for hint in _types_at(root, path) for part in _parts(hint)]
    return {field for part in parts for field in getattr(part, "__struct_fields__", ())}


def _types_at(root: type[Struct], path: str) -> list[Any]:
    hints: list[Any] = [root]
    for step in _STEP.finditer(path):
        name = step.group(1)
        hints = [found for hint in hints for found in _inner(hint, name)]
    return hints


def _inner(hint: Any, name: str | None) -> list[Any]:
    """Return the types of a field, or (without a name) of the items of a container."""
    found = []
    for part in _parts(hint):
        if name is not None and isinstance(part, type) and issubclass(part, Struct):
            found.append(get_type_hints(part, include_extras=True).get(name))
        elif name is None and get_origin(part) in {tuple, list, dict}:
            found += [arg for arg in get_args(part) if arg is not ...]
    return found


def _parts(hint: Any) -> list[Any]:
    """Return the alternatives of a type, without annotations."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _parts(get_args(hint)[0])
    if origin in {Union, UnionType}:
        return [part for arg in get_args(hint) for part in _parts(arg)]
    return [hint]


def _values(hint: Any) -> list[Any]:
    return [
        value
        for part in _parts(hint)
        for value in (get_args(part) if get_origin(part) is Literal else [part])
        if get_origin(part) is Literal or part in {int, float}
    ]


def _shown(value: Any) -> str:
    return {int: "a whole number", float: "a number"}.get(value, repr(value))
