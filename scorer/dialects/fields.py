"""Read only the fields of a span's facts of which an attribute is there.

A span has some ten attributes, a dialect knows some hundred keys. So the keys of the span are
looked up in a table of the dialect, not the keys of the dialect in the span.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from scorer.dialects.values import identifier, text
from scorer.model.span import Span


class Field(NamedTuple):
    """A field of the facts and the attributes that it may come from.

    `read` gets the span, or, with `of_value`, the value of the only attribute. `each` is what
    reads the value of any of them, where the first one that tells decides.
    """

    name: str
    keys: tuple[str, ...]
    read: Callable[[Any], Any]
    of_value: bool = False
    each: Callable[[Any], Any] | None = None


def value_field(name: str, key: str, read: Callable[[Any], Any]) -> Field:
    """Return a field that one attribute tells."""
    return Field(name, (key,), read, of_value=True)


def text_field(name: str, *keys: str) -> Field:
    """Return a field that is the first usable text among the attributes."""
    if len(keys) == 1:
        return value_field(name, keys[0], text)
    return first_field(name, keys, text)


def id_field(name: str, *keys: str) -> Field:
    """Return a field that is the first usable id among the attributes."""
    if len(keys) == 1:
        return value_field(name, keys[0], identifier)
    return first_field(name, keys, identifier)


def first_field(name: str, keys: tuple[str, ...], read: Callable[[Any], Any]) -> Field:
    """Return a field that is the first value, in the order of the keys, that is not None."""

    def first(span: Span) -> Any:
        attributes = span.attributes
        for key in keys:
            if key in attributes and (found := read(attributes[key])) is not None:
                return found
        return None

    return Field(name, keys, first, each=read)


_OfValue = tuple[str, str, Callable[[Any], Any]]


class Chosen:
    """Fields for spans that all have the same attributes; nothing is left to look up."""

    __slots__ = ("_of_span", "_of_value")

    def __init__(
        self,
        of_value: tuple[_OfValue, ...],
        of_span: tuple[tuple[str, Callable[[Span], Any]], ...],
    ) -> None:
        self._of_value = of_value
        self._of_span = of_span

    def read(self, span: Span) -> dict[str, Any]:
        """Return the fields; a value may still be None."""
        attributes = span.attributes
        found = {name: read(attributes[key]) for name, key, read in self._of_value}
        for name, read in self._of_span:
            found[name] = read(span)
        return found


class Fields:
    """The fields that depend on nothing but their own attributes; no two share a key."""

    __slots__ = ("_by_key", "_fields")

    def __init__(self, *fields: Field) -> None:
        self._fields = fields
        self._by_key = {
            key: (field.name, field.read, field.of_value) for field in fields for key in field.keys
        }

    @property
    def keys(self) -> frozenset[str]:
        """The attributes that any field may come from."""
        return frozenset(self._by_key)

    def among(self, keys: frozenset[str]) -> "Chosen":
        """Return the fields that spans with these attributes may tell."""
        values: list[_OfValue] = []
        spans: list[tuple[str, Callable[[Span], Any]]] = []
        for field in self._fields:
            there = [key for key in field.keys if key in keys]
            read_value = field.read if field.of_value else field.each
            if read_value is not None and len(there) == 1:
                values.append((field.name, there[0], read_value))
            elif there:
                spans.append((field.name, field.read))
        return Chosen(tuple(values), tuple(spans))

    def read(self, span: Span) -> dict[str, Any]:
        """Return the fields that the span may tell; a value may still be None."""
        by_key = self._by_key
        found: dict[str, Any] = {}
        for key, value in span.attributes.items():
            if key not in by_key:
                continue
            name, read, of_value = by_key[key]
            if of_value:
                found[name] = read(value)
            elif name not in found:
                found[name] = read(span)
        return found
