"""Sentences and tokens of text in any language; shared by the lexical metrics.

All of it is linear in the length of the text: the patterns have no nested repetition, and
those that could start anew inside a run of the same characters are kept from doing so.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise

import snowballstemmer

from metrics.quality.known import Known
from metrics.quality.lexicon import ABBREVIATIONS, MONTHS, STOPWORDS

# Scripts without spaces between words, and Korean with its glued particles: their tokens are
# pairs of neighbouring characters.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_FIRST_UNSPACED = _UNSPACED[0]
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+"
    r"|\d+(?:[.,'’\u00a0\u202f]\d+)*"
    rf"|[^\W\d_{_UNSPACED}](?:[^\W{_UNSPACED}])*"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
# The same, for a piece of a text without scripts of the former kind.
_SPACED_TOKEN = re.compile(r"\d+(?:[.,'’]\d+)*|[^\W\d_]\w*")
# The signs within a number, while all others become spaces; no token reaches over a space.
_JOINTS = {"\x01": ".", "\x02": ",", "\x03": "'"}
_JOINED = [
    (sign, re.compile(rf"{re.escape(sign)}(?<=\d.)(?=\d)"), joint)
    for joint, sign in _JOINTS.items()
]
_GAP = "\x04"  # between two texts
_PIECE_BYTES = bytes(
    ord(_JOINTS.get(sign, sign if sign.isalnum() or sign in {"_", _GAP} else " "))
    for sign in map(chr, range(128))
) + bytes(range(128, 256))
_SEPARATOR = re.compile(r"[.,'’\s]")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_ASCII = bytes(range(128))
_THIN_SPACES = "\u00a0\u2009\u202f"
_THIN_SPACE = re.compile(rf"[{_THIN_SPACES}](?<=\d.)(?=\d{{3}}(?!\d))")
_OTHER_DIGIT = re.compile(r"\d(?<![0-9])")
_SURROGATES = "surrogatepass"  # how to encode a text that may have some
_SURROGATE = re.compile("[\ud800-\udfff]")
_ARABIC_MARKS = {"\u066a": "%", "\u066b": ".", "\u066c": ","}
# Where a sentence may end within a line, by the mark that the pattern begins with, which is quickly
# found. The mark is the first of its run.
_ENDS = {
    **{
        mark: re.compile(rf"{re.escape(mark)}(?<![.!?…]{{2}})[.!?…]*+[\"'”’»)\]]*+(?=\s)")
        for mark in ".!?…"
    },
    **{mark: re.compile(rf"{mark}(?<![。！？]{{2}})[。！？]*+[」』”’）]*+") for mark in "。！？"},
}
_SAMPLE_LENGTH = 600  # characters; enough for some forty function words
_MARKS = {language: str(number) for number, language in enumerate(STOPWORDS)}
# The marks of the languages in which each word is a function word.
_LANGUAGES = {
    word: "".join(mark for language, mark in _MARKS.items() if word in STOPWORDS[language])
    for word in frozenset().union(*STOPWORDS.values())
}
# Of the bytes of a text it leaves words, in lower case where they are ASCII, and spaces.
_WORD_BYTES = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)
) + bytes(range(128, 256))


def normalise(text: str) -> str:
    """Return the text in NFKC, with the digits of any script as ASCII ones."""
    if text.isascii():
        return text
    signs = set(_beyond_ascii(text))
    if not signs.isdisjoint(_THIN_SPACES):
        # A space inside a number would part it; NFKC makes a plain space of a thin one.
        text = _THIN_SPACE.sub("'", text)
    changed = {sign: form for sign in signs if (form := _FORMS[sign]) != sign}
    if "" in changed.values():
        return _normal(text)
    for sign, form in changed.items():
        text = text.replace(sign, form)
    return text


def _beyond_ascii(text: str) -> str:
    """Return the characters of a text that are not ASCII."""
    return text.encode(errors=_SURROGATES).translate(None, _ASCII).decode(errors=_SURROGATES)


def _form(sign: str) -> str:
    """Return what a character is in a normal text, "" if what stands beside it matters too."""
    form = _normal(sign)
    joins = unicodedata.category(form[0])[0] == "M" or "\u1100" <= form[0] <= "\u11ff"
    return "" if joins else form


def _normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", _SURROGATE.sub("?", text))
    for mark, plain in _ARABIC_MARKS.items():
        text = text.replace(mark, plain)
    return _OTHER_DIGIT.sub(_ascii_digit, text)


def _ascii_digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match.group()))


_FORMS = Known(_form)


def words(text: str) -> list[str]:
    """Return the tokens of a normalised text: words, numbers, pairs of unspaced characters."""
    return words_of([text])[0]


def words_of(normal_texts: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each normalised text; to cut many at once costs less."""
    text = _GAP.join([text.replace(_GAP, " ") for text in normal_texts])
    if not text.isascii() and has_unspaced(text):
        return [list(_any_words(text)) for text in normal_texts]
    for sign, joined, joint in _JOINED:
        if sign in text:
            text = joined.sub(joint, text)
    bare = text.encode(errors="replace").translate(_PIECE_BYTES).decode()
    return [_spaced_words(part.split()) for part in bare.split(_GAP)]


def _spaced_words(pieces: list[str]) -> list[str]:
    if "".join(pieces).isalpha():
        return pieces
    return list(chain.from_iterable(map(_TOKENS.__getitem__, pieces)))


# Most pieces are one token.
_TOKENS = Known(lambda piece: tuple(_SPACED_TOKEN.findall(piece)))


def _any_words(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if is_unspaced(token):
            yield from (token[i : i + 2] for i in range(max(1, len(token) - 1)))
        else:
            yield token


def folded_words(text: str) -> list[str]:
    """Return the tokens of a normalised text, case-folded."""
    # Folding first is faster, but where a sign becomes two it can split a word ("İ").
    folded = text.casefold()
    if len(folded) == len(text):
        return words(folded)
    return [word.casefold() for word in words(text)]


def is_unspaced(token: str) -> bool:
    """Whether a token is of a script without spaces between words."""
    return token[0] >= _FIRST_UNSPACED and _IS_UNSPACED.match(token) is not None


def has_unspaced(text: str) -> bool:
    """Whether some word of a text is of a script without spaces between words."""
    return _IS_UNSPACED.search(_beyond_ascii(text)) is not None


def readings(number: str, mark: str | None = None) -> tuple[str, ...]:
    """Return what a number in digits may mean: "1.000" is a thousand in Berlin, one in Boston.

    `mark` is the decimal mark where it is known; then there is one meaning. Each is canonical:
    no separators of thousands, no leading or trailing zeros. What is no number after all
    ("1.2.3", "24.12.2025") stands for itself.
    """
    parts = _SEPARATOR.split(number)
    whole = canonical("".join(parts), "")
    if len(parts) == 1:
        return (whole,)
    if all(len(part) == 3 for part in parts[1:]):
        return _of_thousands(number, parts, whole, mark)
    if _INDIAN.fullmatch(number):
        return (whole,)
    if len(parts) == 2 or _is_grouped(number, parts):
        return (canonical("".join(parts[:-1]), parts[-1]),)
    return (number,)


def _of_thousands(
    number: str, parts: Sequence[str], whole: str, mark: str | None
) -> tuple[str, ...]:
    separator = number[len(parts[0])]
    if len(parts) > 2 or separator not in ".,":
        return (whole,)
    decimal = canonical(parts[0], parts[1])
    if mark is None:
        return (whole, decimal)
    return (decimal,) if separator == mark else (whole,)


def parts_of(number: str) -> list[str]:
    """Return the numbers inside a date or a version ("24.12.2025"), none for a plain number."""
    parts = _SEPARATOR.split(number)
    if len(parts) == 1 or readings(number) != (number,):
        return []
    return [canonical(part, "") for part in parts]


def _is_grouped(number: str, parts: Sequence[str]) -> bool:
    """Whether the groups before the last separator, which is another one, are thousands."""
    marks = _SEPARATOR.findall(number)
    return marks[-1] not in marks[:-1] and all(len(part) == 3 for part in parts[1:-1])


def canonical(whole: str, fraction: str) -> str:
    """Return a number without leading and trailing zeros."""
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


@lru_cache(maxsize=8)
def language_of(*texts: str, default: str = "english") -> str:
    """Guess the language from the function words at the beginning; the default wins a tie."""
    named = "".join([_named(text[:_SAMPLE_LENGTH]) for text in texts])
    counts = {language: named.count(mark) for language, mark in _MARKS.items()}
    most = max(counts.values())
    if counts[default] == most:
        return default
    return next(language for language, count in counts.items() if count == most)


# The decimal mark of a text depends on its language too.
@lru_cache(maxsize=8)
def _named(text: str) -> str:
    """Return the marks of the languages of each function word in a text."""
    pieces = text.encode(errors=_SURROGATES).translate(_WORD_BYTES).decode(errors=_SURROGATES)
    return "".join(map(_NAMED.__getitem__, pieces.split()))


def _named_in(piece: str) -> str:
    """Return the same for what stands between two ASCII signs: one word as a rule."""
    return "".join([_LANGUAGES.get(word, "") for word in folded_words(normalise(piece))])


_NAMED = Known(_named_in)


def stem(language: str, word: str) -> str:
    """Return the stem of a lower-case word."""
    return stems(language)[word]


@cache
def stems(language: str) -> Known[str]:
    """Return the stem of each lower-case word of a language."""

    def stemmed(word: str) -> str:
        # A stemmer keeps state while it works, so each call has its own.
        return str(snowballstemmer.stemmer(language).stemWord(word))

    return Known(stemmed)


def sentences(text: str) -> list[str]:
    """Split a text into sentences; a line that starts anew is one of its own."""
    marks = [(mark, pattern) for mark, pattern in _ENDS.items() if mark in text]
    found: list[str] = []
    for line in _lines(text):
        ends = [
            end.span() for mark, pattern in marks if mark in line for end in pattern.finditer(line)
        ]
        start = 0
        for place, end in sorted(ends):
            if not _goes_on(line, start, place, end):
                found.append(line[start:end])
                start = end
        found.append(line[start:])
    return [sentence for item in found if (sentence := item.strip())]


def _lines(text: str) -> list[str]:
    """Return the lines of a text; one that begins in lower case belongs to the one before."""
    lines = text.split("\n")
    if len(lines) == 1:
        return lines
    wrapped = [line.lstrip(" \t")[:1].islower() for line in lines]
    starts = [
        place
        for place, goes_on in enumerate(wrapped)
        if not (place and goes_on and lines[place - 1])
    ]
    if len(starts) == len(lines):
        return lines
    return ["\n".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def _goes_on(line: str, start: int, place: int, end: int) -> bool:
    """Whether the sentence that starts there goes on after these marks."""
    if end - place > 1 or line[place] != ".":
        return False
    last = line[max(start, place - 24) : place].rsplit(None, 1)
    if not last:
        return False
    following = line[end : end + 40].lstrip()
    if following[:1].islower():
        return True
    if not _SHORTENED[last[-1]]:
        return False
    ordinal = last[-1].lstrip(_OPENERS).isdigit()
    return not ordinal or _first_word(following) in MONTHS


def _is_shortened(word: str) -> bool:
    """Whether a word before a stop is an abbreviation, or may be an ordinal ("3.")."""
    word = word.lstrip(_OPENERS)
    if word.isdigit():
        return len(word) <= 2
    initial = len(word) == 1 and word.isupper()
    return initial or "." in word.strip(".") or word.casefold() in ABBREVIATIONS


_OPENERS = "(\"'"
_SHORTENED = Known(_is_shortened)


def _first_word(text: str) -> str:
    found: Sequence[str] = text.split(maxsplit=1)
    return found[0].strip(".,;").casefold() if found else ""
