"""Word and character error rates of a transcript, by jiwer.

Both sides are made alike first: case, punctuation, typographic shape, apostrophes, and numbers,
which are read by value ("twenty-one", "21").
"""

import re
from itertools import pairwise
from typing import Final

from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.agreement import tokens

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


def error_rates(reference: str, transcript: str) -> ErrorRates | None:
    """Compare a transcript with its reference; None when that holds no word."""
    import jiwer  # noqa: PLC0415 - few services measure transcripts

    said, heard = texts.normalise(reference), texts.normalise(transcript)
    if _is_unspaced(said):
        return ErrorRates(wer=None, cer=float(jiwer.cer(_characters(said), _characters(heard))))
    language = texts.language_of(said, heard)
    wanted, got = _words(said, language), _words(heard, language)
    if not wanted:
        return None
    return ErrorRates(wer=float(jiwer.wer(wanted, got)), cer=float(jiwer.cer(wanted, got)))


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
    return "".join([character for character in text.casefold() if character.isalnum()])
