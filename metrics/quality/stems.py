"""Texts as lists of stems, quickly: what most of grounding works on.

A token becomes its stem in a language, a number word its digits, a negation `NEGATION`, the end
of a sentence `END`, and a function word "". Each form is worked out once and looked up after
that, so that a text costs little more than splitting it.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

import re2

from metrics.quality import text as texts
from metrics.quality.contrasts import opposed_words
from metrics.quality.known import Known
from metrics.quality.lexicon import STOPWORDS
from metrics.quality.negations import is_negation
from metrics.quality.numerals import numerals
from metrics.quality.units import UNITS

END = "\x02"
NEGATION = "\x15"
_GAP = "\x03"  # between two texts

# Typography that would make a text other than ASCII.
_PLAIN = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2013": "-",
    "\u2014": " - ",
    "\u2026": ". ",
    "\u00a0": " ",
}
# "century.First": a space is missing. It starts with the mark, which is quickly found.
_MARKS = re.compile(r"[.,;:](?=[A-Z])(?:(?<=[a-z]{2}.)|(?<=[0-9].))")
_IS_MARKED = re2.compile(r"(?:[a-z]{2}|[0-9])[.,;:][A-Z]")  # quicker where there is none
# What parts words beyond ASCII: no letter or digit, which the table below would leave.
_OTHER_SIGN = re.compile(r"[^\x00-\x7f\w]")
# It folds the case too, and leaves of other signs a space.
_TABLE = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) in ".,'_$%\x02\x03" else 32
    for code in range(128)
) + bytes(range(128, 256))
# Where a sentence ends, each with a character that a text without it lacks. A pattern finds ". "
# faster than `str.replace` does.
_ENDS = (
    (".", re.compile(r"\. ")),
    ("!", re.compile(r"! ")),
    ("?", re.compile(r"\? ")),
    ("\n", re.compile(r"\n")),
    ('"', re.compile(r'\." ')),
    (")", re.compile(r"\.\) ")),
)
_COMMA = re.compile(", ")
_SIGNS = {END: END, "$": "$", "%": "percent"}
_PASSIVE = frozenset({"by", "von", "par", "por", "da", "door"})
_LAST = " \t\r\n.!?"
_EDGES = ".,'_"
# What loses its vowel before another word: "l'eau", "dell'acqua", "d'água".
_ELIDED = frozenset(
    "c d j l m n s t qu jusqu lorsqu puisqu quoiqu un all dall dell nell sull quest bell".split()  # noqa: SIM905 - a table
)
_NO_NUMBERS = frozenset({"one", "second", "ein", "eine", "un", "une", "uno", "una", "um", "uma"})


class _Stemmer:
    """Works out the stem of a token in a language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._stopwords = STOPWORDS[language]
        self._opposed = opposed_words(language)
        self._numbers = {
            word: str(value)
            for word, value in numerals(language).values.items()
            if word not in _NO_NUMBERS
        }

    def stem(self, token: str) -> str:
        if token in _SIGNS:
            return _SIGNS[token]
        word = token.strip(_EDGES)
        if is_negation(word, self._language):
            return NEGATION
        if "'" in word:
            word = self._joined(word)
        if word[:1].isdigit():
            return _number(word)
        return self._numbers[word] if word in self._numbers else self._word(word)

    def _joined(self, word: str) -> str:
        """Return a word without its apostrophes."""
        before, _, after = word.partition("'")
        if self._language != "english" and before in _ELIDED:
            word = after
        return word.removesuffix("'s").replace("'", "")

    def _word(self, word: str) -> str:
        known = word in self._stopwords or len(word) < 2
        if word in self._opposed or word in _PASSIVE:
            return texts.stem(self._language, word)
        if word in UNITS and not known:
            return UNITS[word].name
        if known and word.isascii():
            return ""
        return texts.stem(self._language, word.replace(".", ""))


@cache
def stems(language: str) -> Known[str]:
    """Return the stem of each token of a language."""
    return Known(_Stemmer(language).stem)


# Several metrics read the same contexts.
@lru_cache(maxsize=4)
def read(written: tuple[str, ...], language: str) -> tuple[Sequence[str], list[list[str]]]:
    """Return plain texts, with spaces between their sentences, and the stems of each."""
    stem_of = stems(language).__getitem__
    plain_texts = parted(list(map(plain, written)))
    return plain_texts, [list(map(stem_of, tokens)) for tokens in tokens_of(plain_texts)]


def plain(text: str) -> str:
    """Return a text in NFKC with plain quotes, dashes and digits."""
    if text.isascii():
        return text
    for mark, other in _PLAIN.items():
        text = text.replace(mark, other)
    return texts.normalise(text)


def parted(plain_texts: Sequence[str]) -> Sequence[str]:
    """Return plain texts with the spaces that are missing between their sentences."""
    # One search in all of them is cheaper than one in each.
    if not _IS_MARKED.search(_GAP.join(plain_texts)):
        return plain_texts
    return [_MARKS.sub(". ", text) for text in plain_texts]


def tokens_of(plain_texts: Sequence[str]) -> list[list[str]]:
    """Return the case-folded tokens of each plain text, `END` after each sentence but the last.

    To cut many at once costs less.
    """
    spaced = list(map(_spaced, plain_texts))
    cut = [text.rstrip(_LAST).replace(_GAP, "\x04") for text in spaced if text is not None]
    found = map(str.split, _bare(_GAP.join(cut)).split(_GAP))
    return [
        _unspaced_tokens(text) if bare is None else next(found)
        for text, bare in zip(plain_texts, spaced, strict=True)
    ]


def _spaced(text: str) -> str | None:
    """Return a text whose table is that of ASCII, None if its words are not parted by spaces.

    Beyond ASCII its letters are case-folded, and its signs are spaces.
    """
    if text.isascii():
        return text
    return None if texts.has_unspaced(text) else _OTHER_SIGN.sub(" ", text).casefold()


def _bare(text: str) -> str:
    """Return a text of nothing but tokens, in lower case, and spaces."""
    for sign, end in _ENDS:
        if sign in text:
            text = end.sub(" \x02 ", text)
    for sign in "$%":
        if sign in text:
            text = text.replace(sign, f" {sign} ")
    return _COMMA.sub(" ", text).encode().translate(_TABLE).decode()


def _unspaced_tokens(text: str) -> list[str]:
    found: list[str] = []
    for sentence in texts.sentences(text):
        if found:
            found.append(END)
        found += texts.folded_words(sentence)
    return found


def _number(word: str) -> str:
    """Return a number in digits as one of its readings; what follows the digits stays."""
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    rest = word[len(digits) :]
    if not digits.isascii():
        return word
    ordinal = rest in {"st", "nd", "rd", "th"}
    value = texts.readings(digits.strip(".,"))[0]
    return value if ordinal else value + rest
