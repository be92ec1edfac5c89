"""Read only the fields of a span's facts of which an attribute is there.

A span has some ten attributes, a dialect knows some hundred keys. So the keys of the span are
looked up in a table of the dialect, not the keys of the dialect in the span.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from scorer.dialects.values import first_id, first_text
from scorer.model.span import Span


class Field(NamedTuple):
    """A field of the facts, the attributes that it may come from, and how they are read."""

    name: str
    keys: tuple[str, ...]
    read: Callable[[Span], Any]


def text_field(name: str, *keys: str) -> Field:
    """Return a field that is the first usable text among the attributes."""
    return Field(name, keys, lambda span: first_text(span.attributes, *keys))


def id_field(name: str, *keys: str) -> Field:
    """Return a field that is the first usable id among the attributes."""
    return Field(name, keys, lambda span: first_id(span.attributes, *keys))


class Fields:
    """The fields that depend on nothing but their own attributes; no two share a key."""

    __slots__ = ("_by_key",)

    def __init__(self, *fields: Field) -> None:
        self._by_key = {key: (field.name, field.read) for field in fields for key in field.keys}

    def read(self, span: Span) -> dict[str, Any]:
        """Return the fields that the span may tell; a value may still be None."""
        by_key = self._by_key
        found: dict[str, Any] = {}
        for key in by_key.keys() & span.attributes.keys():
            name, read = by_key[key]
            if name not in found:
                found[name] = read(span)
        return found
