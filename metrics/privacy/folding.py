"""Typographic characters read as the plain ones that they stand for.

Word processors, chat clients and models write "4111\u2011 1111" with hyphens, spaces and digits
of other shapes, or put characters without width in between. Whoever reads the text sees the
same card number, so a detector must as well. Every replacement is one character for one;
characters without width are taken out, and then `places` tells where the others stood.
"""

import re
import unicodedata
from functools import lru_cache

from msgspec import Struct

_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_HYPHEN = re.compile("[\u2010-\u2012\u2212\ufe58\ufe63]")
# After a word it parts clauses. A pattern of one character is found much sooner than one of three.
_LONG_DASHES = {dash: re.compile(dash) for dash in "\u2013\u2014\u2015"}
_WIDTHLESS = (
    "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_INVISIBLE = re.compile(f"[{_WIDTHLESS}]")
# All but ASCII, and the letters of scripts that have neither digits nor such marks.
_NOTABLE = re.compile("[^\x00-\x7f\u00c0-\u052f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ASCII = bytes(range(128))
# A line break or a mark of a text inside a JSON text.
_ESCAPED = re.compile(r"\\(?:[nrt]|u00[2-7][0-9A-Fa-f])")
_ESCAPES = {"n": " \n", "r": " \n", "t": " \t"}
# Thai, Lao and Khmer; kana and Chinese; Korean, whose particles follow a number at once.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_WIDE_OFFSET = 0xFF01 - 0x21


class Folded(Struct, frozen=True):
    """A text in plain characters; `places` are their offsets in the original, None = the same."""

    text: str
    places: list[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end` (not empty) stood."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def is_unspaced(character: str) -> bool:
    """Whether it is of a script that leaves no space between a word and a number."""
    return character > "\u0dff" and _UNSPACED.match(character) is not None


def fold(text: str) -> Folded:
    """Return the text with typographic spaces, dashes, wide characters and digits made plain.

    What cannot be encoded (a lone surrogate) becomes "?".
    """
    if "\\" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if text.isascii():
        return Folded(text)
    # A lone surrogate is no text that RE2 takes; "?" keeps every offset.
    data = text.encode("utf-8", "replace")
    text = data.decode()
    # Most of a text is ASCII, and a pattern would walk through it slowly.
    notable = "".join(sorted(set(_NOTABLE.findall(data.translate(None, _ASCII).decode()))))
    places = None
    if _INVISIBLE.search(notable):
        places = [i for i, character in enumerate(text) if not _INVISIBLE.match(character)]
        text = _INVISIBLE.sub("", text)
    for character in notable:
        plain = _plain(character)
        if plain:
            text = text.replace(character, plain)
    for dash, pattern in _LONG_DASHES.items():
        if dash in notable:
            text = pattern.sub(_dash, text)
    return Folded(text, places)


def _unescaped(match: re.Match[str]) -> str:
    """Return as many characters as the escape has."""
    written = match.group()
    return _ESCAPES.get(written[1:]) or chr(int(written[-2:], 16)).rjust(len(written))


@lru_cache(maxsize=1024)
def _plain(character: str) -> str:
    """Return what a character stands for, "" for itself."""
    if _SPACE.match(character):
        return " "
    if _HYPHEN.match(character):
        return "-"
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - _WIDE_OFFSET)
    return str(unicodedata.decimal(character)) if character.isdecimal() else ""


def _dash(match: re.Match[str]) -> str:
    start = match.start()
    around = match.string[max(0, start - 1) : start + 2]
    joins = len(around) == 3 and around[0].isalnum() and around[2].isalnum()
    return "-" if joins and not around[0].islower() else match.group()
