"""Typographic characters read as the plain ones that they stand for.

Word processors, chat clients and models write "4111\u2011 1111" with hyphens, spaces and digits
of other shapes, or put characters without width in between. Whoever reads the text sees the
same card number, so a detector must as well. Every replacement is one character for one;
characters without width are taken out, and then `places` tells where the others stood.
"""

import re
import unicodedata

from msgspec import Struct

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HYPHENS = "\u2010-\u2012\u2212\ufe58\ufe63"
_LONG_DASHES = "\u2013\u2014\u2015"  # after a word they part clauses
_WIDE = "\uff01-\uff5e"
_WIDTHLESS = (
    "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_TYPOGRAPHIC = re.compile(f"[{_SPACES}{_HYPHENS}{_LONG_DASHES}{_WIDE}]")
_INVISIBLE = re.compile(f"[{_WIDTHLESS}]")
_EITHER = re.compile(f"[{_SPACES}{_HYPHENS}{_LONG_DASHES}{_WIDE}{_WIDTHLESS}]")
# Neither Latin letters nor punctuation: only there can be digits of other scripts.
_OTHER_SCRIPT = re.compile("[^\x00-\u02ff\u1e00-\u1eff\u2000-\u22ff]")
_OTHER_DIGIT = re.compile(r"\d(?<![0-9])")
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


def fold(text: str) -> Folded:
    """Return the text with typographic spaces, dashes, wide characters and digits made plain.

    What cannot be encoded (a lone surrogate) becomes "?".
    """
    if text.isascii():
        return Folded(text)
    # A lone surrogate is no text that RE2 takes; "?" keeps every offset.
    text = text.encode("utf-8", "replace").decode()
    places = None
    if _EITHER.search(text):
        if _INVISIBLE.search(text):
            places = [i for i, character in enumerate(text) if not _INVISIBLE.match(character)]
            text = _INVISIBLE.sub("", text)
        text = _TYPOGRAPHIC.sub(_plain, text)
    if _OTHER_SCRIPT.search(text):
        text = _OTHER_DIGIT.sub(_digit, text)
    return Folded(text, places)


def _plain(match: re.Match[str]) -> str:
    character, start = match.group(), match.start()
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - _WIDE_OFFSET)
    if character in _LONG_DASHES:
        around = match.string[max(0, start - 1) : start + 2]
        joins = len(around) == 3 and around[0].isalnum() and around[2].isalnum()
        return "-" if joins and not around[0].islower() else character
    return " " if unicodedata.category(character) == "Zs" else "-"


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match.group()))
