"""Adds attributes to the wire bytes of a span; all else of it stays as it was sent.

Theory of operation. Fields of a protobuf message may stand in any order, so what is added is
appended. An attribute that already has one of the keys goes first: a key must not be there
twice. That needs a walk over the span, and only where the bytes of the prefix occur at all.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1 import common_pb2

from scorer.errors import PermanentError
from scorer.otlp.attributes import AttributeValue, encode_attribute
from scorer.otlp.wire import read_varint

PREFIX: Final = "spanscore."
"""All keys that are added begin so."""

_PREFIX_BYTES: Final = PREFIX.encode()
_ATTRIBUTES: Final = 9
_KEY: Final = 1
# Of a wire type: bytes that follow the tag; None = a varint, or a length and so many bytes.
_FIXED: Final = {1: 8, 5: 4}
_VARINT, _BYTES = 0, 2
_NUMBERS: Final = ("double_value", "int_value")


def annotate(wire: bytes, attributes: Mapping[str, AttributeValue]) -> bytes:
    """Return a span with these attributes, each of which replaces one of the same key."""
    return without(wire, attributes) + encode_attributes(attributes)


def without(wire: bytes, keys: Collection[str], prefixes: Collection[str] = ()) -> bytes:
    """Return a span without the attributes of these keys, or of keys that begin so.

    It is the span itself, when it has none.

    One that cannot be walked over (it holds groups) keeps them; of two attributes with one key,
    the last counts.
    """
    if _PREFIX_BYTES not in wire:
        return wire
    try:
        return b"".join(
            _without(
                wire,
                frozenset(key.encode() for key in keys),
                tuple(prefix.encode() for prefix in prefixes),
            )
        )
    except PermanentError:
        return wire


def number_at(wire: bytes, key: str) -> float | None:
    """Return the attribute of a span with this key, when it is a number; the last of several."""
    wanted, found = key.encode(), None
    if wanted not in wire:
        return None
    try:
        for number, _, payload, stop in _fields(wire):
            if number == _ATTRIBUTES and payload is not None:
                pair = wire[payload:stop]
                if _key_of(pair) == wanted:
                    found = common_pb2.KeyValue.FromString(pair).value
    except (PermanentError, DecodeError):
        return None
    kind = None if found is None else found.WhichOneof("value")
    return getattr(found, kind) if kind in _NUMBERS else None


def encode_attributes(attributes: Mapping[str, AttributeValue]) -> bytes:
    """Return attributes as fields of a span."""
    return b"".join(encode_attribute(_ATTRIBUTES, key, value) for key, value in attributes.items())


def _without(wire: bytes, keys: frozenset[bytes], prefixes: tuple[bytes, ...]) -> Iterator[bytes]:
    """Yield what is left without these attributes; raises PermanentError."""
    for number, start, payload, stop in _fields(wire):
        if number == _ATTRIBUTES and payload is not None:
            pair = wire[payload:stop]
            if _PREFIX_BYTES in pair:
                key = _key_of(pair)
                if key in keys or key.startswith(prefixes):
                    continue
        yield wire[start:stop]


def _key_of(pair: bytes) -> bytes:
    key = b""
    for number, _, payload, stop in _fields(pair):
        if number == _KEY and payload is not None:
            key = pair[payload:stop]
    return key


def _fields(body: bytes) -> Iterator[tuple[int, int, int | None, int]]:
    """Yield number, start, start of the content (None = a number) and end of each field."""
    at = 0
    while at < len(body):
        start, payload = at, None
        tag, at = read_varint(body, at)
        kind = tag & 7
        if kind == _BYTES:
            size, payload = read_varint(body, at)
            at = payload + size
        elif kind == _VARINT:
            at = read_varint(body, at)[1]
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            raise PermanentError(f"wire type {kind} at byte {start}")
        yield tag >> 3, start, payload, at
