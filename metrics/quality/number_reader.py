"""Reading the numbers of a text, in digits and in words, by value.

"1.5 million", "two hundred and fifty thousand", "soixante-dix-sept", "25k": what multiplies or
continues a number belongs to it. Signs, units and what is counted are read by `quantities`.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache

import re2

from metrics.quality import text as texts
from metrics.quality.known import Known
from metrics.quality.numerals import DOZENS, numerals

Number = tuple[int, int, tuple[str, ...]]  # start, end, and what it may be read as

_MAX_DIGITS = 40  # beyond it is an identifier, not an amount
_NEAR = 24  # characters looked at in front of a number
_LONGEST_LINK = 10  # characters between the words of a number

_DIGITS = r"\d+(?:[.,'’]\d+)*"
# Thousands parted by spaces; in English they are rare, and two numbers in a row are not.
_SPACED = r"\d{1,3}(?: \d{3})+(?![0-9A-Za-z_])"
_DIGITS_OR_ZEROS = r"\d+(?:[.,'’]\d+| 000(?![0-9A-Za-z_]))*"
_DIGIT_BYTES = bytes(48 if chr(code) in "0123456789" else 32 for code in range(256))
CURRENCY = re.compile(
    r"(\b(?:US|C|A)\$|[$€£¥₹₩]|\b(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|BRL|KRW)) ?[-–−]?\Z"
)
_GLUED = re.compile(r"(?:[kKMB]|bn|mn|Mio|Mrd|千|万|萬|億|亿|兆|만|억|조)(?![^\W\d_\u0e00-\uffff])")
_GLUED_VALUES = {
    **dict.fromkeys("kK千", 10**3),
    **dict.fromkeys("万萬만", 10**4),
    **dict.fromkeys(("M", "mn", "Mio"), 10**6),
    **dict.fromkeys("億亿억", 10**8),
    **dict.fromkeys(("B", "bn", "Mrd"), 10**9),
    **dict.fromkeys("兆조", 10**12),
}
_MONEY_GLUED = re.compile(r"[mb]\b")
_MONEY_VALUES = {"m": 10**6, "b": 10**9}
_PERCENT_BEFORE = re.compile(r"\b(?:per|pour|por) \Z")
_ONE_MORE = re.compile(r"[- ](?:(?:et|y|e)[- ])?(?:one|un|une|uno|una|um|uma)\b")


def numbers_in(text: str, language: str, mark: str | None) -> list[Number]:
    """Return the numbers of a normalised text in order; `mark` is its decimal mark if known."""
    return _Reader(text, language, mark).numbers()


class _Reader:
    """Reads the numbers of a text, digits and words, from left to right."""

    def __init__(self, text: str, language: str, mark: str | None) -> None:
        self._text = text
        self._words = numerals(language)
        self._readings = _readings(mark)
        self._atoms = list(_digits_in(text, language))
        words = list(_words_in(text, language))
        self._spelt = bool(words)
        if words:
            self._atoms = sorted([*self._atoms, *words])
        self._next = 0

    def numbers(self) -> list[Number]:
        """Return start, end and readings of each number."""
        found = []
        while self._next < len(self._atoms):
            start, end = self._atoms[self._next]
            self._next += 1
            if self._is_inside_word(start, end):
                continue
            digits = self._text[start].isdigit()
            number = self._digits(start, end) if digits else self._in_words(start, end)
            if number is not None:
                found.append(number)
        return found

    def _is_inside_word(self, start: int, end: int) -> bool:
        text = self._text
        before = text[start - 1 : start]
        if before and (before.isalnum() or before == "_") and not texts.is_unspaced(before):
            return True
        return text[start].isalpha() and text[end : end + 1].isalnum()

    def _digits(self, start: int, end: int) -> Number:
        readings = self._readings[self._text[start:end]]
        end, factor = self._factor(start, end)
        if factor > 1 and len(readings[0]) <= _MAX_DIGITS:
            readings = tuple([_times(reading, factor) for reading in readings])
        return start, end, readings

    def _factor(self, start: int, end: int) -> tuple[int, int]:
        """Return where the words and letters that multiply a number end, and their product."""
        factor = 1
        if self._spelt:
            while (word := self._following(end, (" ", "-"))) in self._words.factors:
                factor *= self._words.factors[word]
                end = self._atoms[self._next][1]
                self._next += 1
        if factor > 1 or not self._text[end : end + 1].isalpha():
            return end, factor
        glued, values = _GLUED.match(self._text, end), _GLUED_VALUES
        if glued is None and CURRENCY.search(self._text[max(0, start - _NEAR) : start]):
            glued, values = _MONEY_GLUED.match(self._text, end), _MONEY_VALUES
        return (glued.end(), values[glued.group()]) if glued else (end, 1)

    def _following(self, end: int, links: Sequence[str]) -> str:
        """Return the next number word if only a link stands before it, else ""."""
        if self._next >= len(self._atoms):
            return ""
        start, stop = self._atoms[self._next]
        if start - end > _LONGEST_LINK or self._text[end:start] not in links:
            return ""
        word = self._text[start:stop].casefold()
        return word if word in self._words.all and not self._text[stop : stop + 1].isalnum() else ""

    def _in_words(self, start: int, end: int) -> Number | None:
        word = self._text[start:end].casefold()
        value = self._words.values.get(word)
        if value is None or _PERCENT_BEFORE.search(self._text[max(0, start - 6) : start]):
            return None
        sum_ = _Sum(value)
        while word := self._following(end := self._one_hundred(end, sum_), self._words.links):
            linked = self._text[end : self._atoms[self._next][0]] not in (" ", "-")
            if word in DOZENS:
                sum_.dozen()
            elif not sum_.take(self._words.all[word], linked=linked):
                break
            end = self._atoms[self._next][1]
            self._next += 1
        if sum_.takes_one and (one := _ONE_MORE.match(self._text, end)):
            sum_.take(1, linked=False)
            end = one.end()
        return start, end, (str(sum_.total),)

    def _one_hundred(self, end: int, sum_: "_Sum") -> int:
        """Take the "one" of "ten thousand one hundred", and return where it ends."""
        one = _ONE_HUNDRED.match(self._text, end)
        return one.end() if one and sum_.take(1, linked=True) else end


_ONE_HUNDRED = re.compile(r"[- ](?:and[- ])?one(?=[- ]hundred\b)")


class _Sum:
    """The value of number words, one after the other: "two hundred thousand and twelve"."""

    def __init__(self, value: int) -> None:
        self._done = 0
        self._open = 0
        self.take(value, linked=False)

    @property
    def total(self) -> int:
        """The value so far."""
        return self._done + self._open

    @property
    def takes_one(self) -> bool:
        """Whether "one" can follow: after the tens."""
        return self._open % 10 == 0 and self._open % 100 >= 20

    def dozen(self) -> None:
        """Take the word for twelve times."""
        self._open *= 12

    def take(self, value: int, *, linked: bool) -> bool:
        """Take the next word; False if it starts another number."""
        if value >= 1000:
            self._multiply(value)
        elif value == 100 and 0 < self._open < 100:
            self._open *= 100
        elif self._adds(value, linked):
            self._open += 76 if (self._open % 100, value) == (4, 20) else value  # quatre-vingts
        else:
            return False
        return True

    def _multiply(self, value: int) -> None:
        if self._open:
            self._done += self._open * value
        elif 0 < self._done < value:  # "cinco mil millones"
            self._done *= value
        else:
            self._done += value
        self._open = 0

    def _adds(self, value: int, linked: bool) -> bool:
        tens = self._open % 100
        if not self._open:
            return not linked or bool(self._done)
        if not tens:
            return value < 100
        if (tens, value) == (4, 20):
            return not linked
        if tens % 10 == 0 and tens > 10 and value < 10:
            return True
        if tens in (60, 80) and 10 <= value < 20:  # soixante-dix, soixante et onze
            return True
        return not linked and tens % 20 == 10 and 7 <= value <= 9  # dix-sept


def _digits_in(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where each number in digits starts and ends."""
    pattern = _digits_of(language)
    # A byte is found much faster than what a pattern may begin with.
    marked = text.encode("ascii", "replace").translate(_DIGIT_BYTES)
    start = marked.find(b"0")
    while start >= 0 and (match := pattern.match(text, start)):
        yield match.span()
        start = marked.find(b"0", match.end())


@cache
def _digits_of(language: str) -> re.Pattern[str]:
    return re.compile(_DIGITS_OR_ZEROS if language == "english" else f"{_SPACED}|{_DIGITS}")


def _words_in(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where each number word starts and ends, also where another word begins with it."""
    # In bytes, for in a string every search would count the characters of it.
    encoded, plain = text.encode(errors="replace"), text.isascii()
    read = place = 0  # how many bytes are how many characters
    for match in _words_of(language).finditer(encoded):
        start, end = match.span()
        if not plain:
            place += len(encoded[read:start].decode())
            read, start, end = start, place, place + len(encoded[start:end].decode())
        yield start, end


@cache
def _words_of(language: str) -> re2._Regexp:
    words = sorted(numerals(language).all, key=len, reverse=True)
    return re2.compile(rf"(?i)\b(?:{'|'.join(words)})".encode())


@cache
def _readings(mark: str | None) -> Known[tuple[str, ...]]:
    """Return what each number in digits may be read as."""

    def readings(digits: str) -> tuple[str, ...]:
        number = digits.replace(" ", "'")
        return (number,) if len(number) > _MAX_DIGITS else texts.readings(number, mark)

    return Known(readings)


def _times(reading: str, factor: int) -> str:
    if factor == 1 or not reading.replace(".", "", 1).isdigit():
        return reading
    whole, _, fraction = f"{Decimal(reading) * factor:f}".partition(".")
    return texts.canonical(whole, fraction)
