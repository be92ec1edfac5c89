"""Word and character error rates of a transcript, by jiwer.

Both sides are made alike first: case, punctuation, typographic shape, apostrophes, and numbers,
which are read by value ("twenty-one", "21").
"""

import re
import unicodedata
from itertools import pairwise
from typing import Final

from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.agreement import tokens
from scorer.api import Unscored

TOO_LONG: Final = Unscored("transcript_too_long", "skipped")
# The work grows with the product of the lengths: 0.6 s. An hour of speech is as much.
_MAX_LENGTH: Final = 50_000

_INSIDE_WORD: Final = re.compile(r"(?<=[^\W\d_])['’\u02bc](?=[^\W\d_])")
# Of these the number reader knows none: as words they are something else too.
_SMALL: Final = {
    "one": "1",
    "eins": "1",
    "zero": "0",
    "null": "0",
    "zéro": "0",
    "cero": "0",
    "nul": "0",
}


class ErrorRates(Struct, frozen=True):
    """How much of a reference a transcript gets wrong; above 1 where it says much more.

    `wer` is None for a language without spaces between words.
    """

    wer: float | None
    cer: float

    @property
    def rate(self) -> float:
        """The rate that counts for the language."""
        return self.cer if self.wer is None else self.wer


def error_rates(reference: str, transcript: str) -> ErrorRates | Unscored:
    """Compare a transcript with its reference; both must hold at most 50,000 characters."""
    import jiwer  # noqa: PLC0415 - few services measure transcripts

    if is_too_long(reference, transcript):
        return TOO_LONG
    said, heard = texts.normalise(reference), texts.normalise(transcript)
    unspaced = _is_unspaced(said)
    if unspaced:
        wanted, got = _characters(said), _characters(heard)
    else:
        language = texts.language_of(said, heard)
        wanted, got = _words(said, language), _words(heard, language)
    if not wanted:
        return Unscored("no_reference")
    if is_too_long(wanted, got):  # one sign can stand for a whole phrase
        return TOO_LONG
    wer = None if unspaced else float(jiwer.wer(wanted, got))
    return ErrorRates(wer=wer, cer=float(jiwer.cer(wanted, got)))


def is_too_long(*given: str | None) -> bool:
    """Whether one of the texts is too long to compare."""
    return any(len(text or "") > _MAX_LENGTH for text in given)


def _words(text: str, language: str) -> str:
    found = tokens(_INSIDE_WORD.sub("", text), language)
    return " ".join(
        [
            _SMALL.get(word, word)
            for word, after in pairwise([*found, ""])
            if not (word == "one" and _is_hundreds(after))
        ]
    )


def _is_hundreds(word: str) -> bool:
    """Whether a number is at least a hundred: "one hundred" is read as "one", "100"."""
    return len(word) > 2 and word.isdigit()


def _is_unspaced(text: str) -> bool:
    """Whether most letters of a text are of scripts without spaces between words."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(map(texts.is_unspaced, letters)) > len(letters)


def _characters(text: str) -> str:
    return "".join([sign for sign in text.casefold() if unicodedata.category(sign)[0] in "LMN"])
