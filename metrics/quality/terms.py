"""What does a text say that another may say too: words, amounts, names, months, addresses?"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import chain, repeat

from metrics.quality import text as texts
from metrics.quality.known import Known
from metrics.quality.lexicon import AMBIGUOUS_MONTHS, MONTH_NAMES, STOPWORDS
from metrics.quality.passages import Amounts, without_markup
from metrics.quality.quantities import Quantity, decimal_mark, quantities
from metrics.quality.units import UNITS, meanings

_TOP_DOMAIN = r"com|org|net|edu|gov|io|ai|dev|app|info|co\.uk|de|fr|nl|ch|eu"
_ADDRESS = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|(?:https?://|\bwww\.)[^\s<>()\[\]\"'|]+"
    r"|\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\."
    rf"(?:{_TOP_DOMAIN})\b(?:/[^\s<>()\[\]\"'|]*)?",
    re.IGNORECASE,
)
_DOMAIN_END = re.compile(rf"\.(?=\w)(?i:{_TOP_DOMAIN})(?:\b|(?=_))")  # the "_" may mark it bold
_NO_WORD = frozenset({""})
_NUMBER = "0"  # keeps the place of a number, and of a month; it is no word


class Terms:
    """What a text says, read as far as it is asked for.

    Its addresses are no words of it, but they are tokens.
    """

    def __init__(self, text: str, language: str) -> None:
        self.text = texts.normalise(text)
        self._language = language

    @cached_property
    def tokens(self) -> list[str]:
        """The case-folded tokens, each number as its value."""
        cut = self._folded
        if "++" in self.text or "#" in self.text:
            # The sign belongs to the name in "C++" and "C#".
            pieces = _between(self.text, self._quantities)
            named = [piece.replace("++", "_plusplus").replace("#", "_sharp") for piece in pieces]
            cut = _casefolded(texts.words_of(named))
        return _joined(cut, [number.readings[0] for number in self._quantities])

    @cached_property
    def numbers(self) -> list[Quantity]:
        """The numbers beside the addresses."""
        if not self.addresses:
            return self._quantities
        return quantities(self._apart[0], self._language, self._mark)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """The e-mail addresses and URLs, as they are compared."""
        return self._apart[1]

    @cached_property
    def months(self) -> frozenset[int]:
        """The months, from 1 to 12."""
        return frozenset(self._months_at.values())

    @cached_property
    def names(self) -> frozenset[str]:
        """The names, case-folded."""
        first, *others = self._unnumbered or [_NUMBER]
        names = map(_names_of(self._language).__getitem__, set(others))
        return frozenset([*names, _name(first, 0, self._language)]) - _NO_WORD

    @cached_property
    def words(self) -> frozenset[str]:
        """All words that claim something, case-folded; names are words too."""
        word_of = _words_of(self._language)
        return frozenset(map(word_of.__getitem__, set(self._unnumbered))) - _NO_WORD

    @cached_property
    def written(self) -> list[str]:
        """The tokens as they are written, but for numbers."""
        return _joined(self._cut, repeat(_NUMBER))

    @cached_property
    def folded(self) -> list[str]:
        """The same, case-folded."""
        return _joined(self._folded, repeat(_NUMBER))

    @cached_property
    def amounts(self) -> Amounts:
        """The numbers and what they count."""
        plain = without_markup(self.text)
        if plain == self.text:
            return Amounts(self._quantities)
        return Amounts(quantities(plain, self._language, self._mark))

    def has_any(self, words: Sequence[str]) -> bool:
        """Whether one of some words, or another form of it, occurs."""
        if not self._all_words.isdisjoint(words):
            return True
        stem_of = texts.stems(self._language)
        if not self._stems.isdisjoint(map(stem_of.__getitem__, words)):
            return True
        units = [UNITS[word].name for word in words if word in UNITS]
        return bool(units) and not self._units.isdisjoint(units)

    @cached_property
    def _apart(self) -> tuple[str, frozenset[str]]:
        return addresses_in(self.text)

    @cached_property
    def _mark(self) -> str | None:
        return decimal_mark(self.text, self._language)

    @cached_property
    def _quantities(self) -> list[Quantity]:
        return quantities(self.text, self._language, self._mark)

    @cached_property
    def _cut(self) -> list[list[str]]:
        return texts.words_of(_between(self.text, self._quantities))

    @cached_property
    def _folded(self) -> list[list[str]]:
        return _casefolded(self._cut)

    @cached_property
    def _told(self) -> list[str]:
        """The tokens beside the addresses, as they are written, but for numbers."""
        if not self.addresses:
            return self.written
        cut = texts.words_of(_between(self._apart[0], self.numbers))
        return _joined(cut, repeat(_NUMBER))

    @cached_property
    def _months_at(self) -> dict[int, int]:
        return _months_at(self._told, self._language)

    @cached_property
    def _unnumbered(self) -> list[str]:
        """The same, but for months."""
        months = self._months_at
        if not months:
            return self._told
        return [_NUMBER if place in months else token for place, token in enumerate(self._told)]

    @cached_property
    def _all_words(self) -> set[str]:
        """The case-folded tokens, those of numbers too."""
        spelt = " ".join([self.text[number.start : number.end] for number in self._quantities])
        return set(chain(texts.folded_words(spelt), *self._folded))

    @cached_property
    def _stems(self) -> set[str]:
        stem_of = texts.stems(self._language)
        return {stem_of[word] for word in self._all_words if not word[0].isdigit()}

    @cached_property
    def _units(self) -> set[str]:
        known = (self._all_words & UNITS.keys()) - STOPWORDS[self._language]
        found = {UNITS[word].name for word in known}
        found.update(UNITS[sign].name for sign in "$€£¥₹%" if sign in self.text)
        return {meaning for name in found for meaning in meanings(name)}


def _between(text: str, numbers: Sequence[Quantity]) -> list[str]:
    """Return what stands before, between and behind the numbers of a text."""
    starts = [0, *[number.end for number in numbers]]
    ends = [*[number.start for number in numbers], len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _casefolded(cut: Sequence[list[str]]) -> list[list[str]]:
    return [list(map(str.casefold, tokens)) for tokens in cut]


def _joined(cut: Sequence[list[str]], numbers: Iterable[str]) -> list[str]:
    """Return the tokens of a text from those between its numbers, and these."""
    found = cut[0][:]
    for number, tokens in zip(numbers, cut[1:], strict=False):
        found.append(number)
        found += tokens
    return found


def address_form(address: str) -> str:
    """Return an e-mail address or URL as it is compared: case-folded, without scheme."""
    plain = address.casefold().removeprefix("https://").removeprefix("http://")
    return plain.removeprefix("www.").rstrip("./,;:!?*_")


def months_in(sentence: str, language: str) -> frozenset[int]:
    """Return the months (1 to 12) that a normalised sentence names."""
    return frozenset(_months_at(texts.words(sentence), language).values())


def _months_at(tokens: list[str], language: str) -> dict[int, int]:
    """Return the place of each token that is a month, and which."""
    month_names = MONTH_NAMES[language]
    folded = list(map(str.casefold, tokens))
    if month_names.keys().isdisjoint(folded):
        return {}
    return {
        place: month_names[word]
        for place, word in enumerate(folded)
        if word in month_names and _is_month(tokens, place)
    }


@cache
def _words_of(language: str) -> Known[str]:
    """Return the word that each token is."""
    return Known(lambda token: _word(token, language))


@cache
def _names_of(language: str) -> Known[str]:
    """Return the name that each token is which is not the first of a text."""
    return Known(lambda token: _name(token, 1, language))


def _word(token: str, language: str) -> str:
    """Return a token as a word that claims something, "" for a number or a function word."""
    word = token.casefold()
    plain = token[0].isdigit() or word in STOPWORDS[language]
    return "" if plain or (len(word) == 1 and token.islower()) else word


def _name(token: str, position: int, language: str) -> str:
    """Return a token as a name, "" if it is none."""
    named = not token.islower() and _is_name(token, position, language)
    return _word(token, language) if named else ""


def _is_month(tokens: list[str], position: int) -> bool:
    token = tokens[position]
    if token.casefold() not in AMBIGUOUS_MONTHS:
        return True
    beside = tokens[max(0, position - 1) : position] + tokens[position + 1 : position + 2]
    return token[0].isupper() and (position > 0 or any(other[0].isdigit() for other in beside))


def _is_name(token: str, position: int, language: str) -> bool:
    """Whether a token that is not in lower case is a name."""
    if any(letter.isdigit() or letter.isupper() for letter in token[1:]):
        return True
    return position > 0 and language != "german" and token[0].isupper()


def addresses_in(sentence: str) -> tuple[str, frozenset[str]]:
    """Return a sentence without its e-mail addresses and URLs, and these as they are compared."""
    # Most sentences have none, and the pattern costs more than all of these.
    if not has_address_marks(sentence):
        return sentence, frozenset()
    shown: list[str] = []
    found: set[str] = set()
    reached = 0
    # There is no space in an address, and one of these marks inside.
    for chunk in [word for word in sentence.split() if "." in word or ":" in word]:
        if "." in chunk[:-1] or ":" in chunk[:-1]:
            start = sentence.index(chunk, reached)
            shown += [sentence[reached:start], _ADDRESS.sub(" ", chunk)]
            found.update(map(address_form, _ADDRESS.findall(chunk)))
            reached = start + len(chunk)
    return "".join([*shown, sentence[reached:]]), frozenset(found)


def has_address_marks(text: str) -> bool:
    """Whether a text may have an e-mail address or a URL."""
    return "@" in text or "://" in text or "www." in text or _DOMAIN_END.search(text) is not None
