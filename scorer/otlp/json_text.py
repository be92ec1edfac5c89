"""What can be told of a JSON text, or mended in it, without parsing it."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

# \ud83d without a low surrogate after it, or \ude00 without a high one before it.
_LONE: Final = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|[c-fC-F][0-9a-fA-F]{2}(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
)
_REPLACEMENT: Final = b"\\ufffd"
# So many are mended before others get a turn.
_PAUSE: Final = 2000
_WINDOW: Final = 64 * 1024


class Marks(NamedTuple):
    """How many of these stand outside of texts."""

    objects: int
    arrays: int
    commas: int


def marks(text: bytes) -> Marks:
    """Count the marks that begin or separate values; those inside of strings are no values."""
    plain = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    objects = arrays = commas = is_inside = 0
    for at in range(0, len(plain), _WINDOW):
        pieces = plain[at : at + _WINDOW].split(b'"')
        outside = b"".join(pieces[is_inside::2])
        is_inside ^= (len(pieces) - 1) & 1
        objects += outside.count(b"{")
        arrays += outside.count(b"[")
        commas += outside.count(b",")
    return Marks(objects, arrays, commas)


def lone_surrogates(text: bytes) -> bool:
    """Whether a text may hold the escape of half a surrogate pair."""
    return _LONE.search(text) is not None


def mend_surrogates(text: bytearray) -> Iterator[None]:
    """Replace the escapes of half surrogate pairs by U+FFFD, as the mapper does; step by step.

    Senders cut texts inside of an emoji.
    """
    for count, found in enumerate(_LONE.finditer(text)):
        if _is_escape(text, found.start()):
            text[found.start() : found.end()] = _REPLACEMENT
        if count % _PAUSE == _PAUSE - 1:
            yield


def _is_escape(text: bytearray, at: int) -> bool:
    """Whether the backslash there is not itself escaped by one before it."""
    start = at
    while start and text[start - 1] == ord("\\"):
        start -= 1
    return (at - start) % 2 == 0
