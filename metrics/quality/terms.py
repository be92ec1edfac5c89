"""What does a sentence say that a source may have: words, amounts, names, months, addresses?"""

import re
from functools import cache

from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.known import Known
from metrics.quality.lexicon import AMBIGUOUS_MONTHS, MONTH_NAMES, STOPWORDS
from metrics.quality.number_reader import has_number_words
from metrics.quality.quantities import Quantity, quantities

_TOP_DOMAIN = r"com|org|net|edu|gov|io|ai|dev|app|info|co\.uk|de|fr|nl|ch|eu"
_ADDRESS = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|(?:https?://|\bwww\.)[^\s<>()\[\]\"'|]+"
    r"|\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\."
    rf"(?:{_TOP_DOMAIN})\b(?:/[^\s<>()\[\]\"'|]*)?",
    re.IGNORECASE,
)
_DOMAIN_END = re.compile(rf"\.(?=\w)(?i:{_TOP_DOMAIN})(?:\b|(?=_))")  # the "_" may mark it bold
_DIGIT = re.compile(r"\d")
_MAY_BE_MONTH = "\x00"  # no token
_NO_WORDS = frozenset({"", _MAY_BE_MONTH})


class Terms(Struct, frozen=True):
    """What a claim needs to be supported: words, amounts, names, months, addresses."""

    words: frozenset[str] = frozenset()
    numbers: tuple[Quantity, ...] = ()
    names: frozenset[str] = frozenset()
    months: frozenset[int] = frozenset()
    addresses: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        """How many terms there are; names are words too."""
        return len(self.words) + len(self.numbers) + len(self.months) + len(self.addresses)


def terms_of(
    sentence: str, language: str, mark: str | None = None, *, addressed: bool = True
) -> Terms:
    """Return what a normalised sentence says; `mark` is the decimal mark if known.

    With `addressed` False there are no addresses in it, which is quicker.
    """
    addresses: frozenset[str] = frozenset()
    if addressed:
        sentence, addresses = addresses_in(sentence)
    tokens = texts.words(sentence)
    numbers: list[Quantity] = []
    spelt = has_number_words(map(str.casefold, tokens), language)
    if spelt or _DIGIT.search(sentence):
        numbers = quantities(sentence, language, mark, spelt=spelt)
        if any(not _is_bare(sentence[number.start : number.end]) for number in numbers):
            for number in reversed(numbers):
                # A digit keeps the place, so that what follows is not taken for the first word.
                sentence = f"{sentence[: number.start]} 0 {sentence[number.end :]}"
            tokens = texts.words(sentence)
    words, names, months = _words_in(tokens, language)
    return Terms(words, tuple(numbers), names, months, addresses)


def _is_bare(number: str) -> bool:
    """Whether a number is written in digits alone, and so is one token that is no word."""
    return not any(map(str.isalpha, number))


def address_form(address: str) -> str:
    """Return an e-mail address or URL as it is compared: case-folded, without scheme."""
    plain = address.casefold().removeprefix("https://").removeprefix("http://")
    return plain.removeprefix("www.").rstrip("./,;:!?*_")


def months_in(sentence: str, language: str) -> frozenset[int]:
    """Return the months (1 to 12) that a normalised sentence names."""
    month_names, tokens = MONTH_NAMES[language], texts.words(sentence)
    folded = ((place, token.casefold()) for place, token in enumerate(tokens))
    named = ((place, word) for place, word in folded if word in month_names)
    return frozenset(month_names[word] for place, word in named if _is_month(tokens, place))


def _words_in(
    tokens: list[str], language: str
) -> tuple[frozenset[str], frozenset[str], frozenset[int]]:
    word_of, name_of = _tables(language)
    words = set(map(word_of.__getitem__, tokens))
    names = set(map(name_of.__getitem__, [token for token in tokens[1:] if not token.islower()]))
    if tokens and word_of[tokens[0]] != _MAY_BE_MONTH:
        names.add(_name(tokens[0], 0, language))
    months: set[int] = set()
    if _MAY_BE_MONTH in words:
        month_names = MONTH_NAMES[language]
        for position, token in enumerate(tokens):
            if word_of[token] == _MAY_BE_MONTH:
                if _is_month(tokens, position):
                    months.add(month_names[token.casefold()])
                else:
                    words.add(_word(token, language))
                    names.add(_name(token, position, language))
    return frozenset(words - _NO_WORDS), frozenset(names - _NO_WORDS), frozenset(months)


@cache
def _tables(language: str) -> tuple[Known[str], Known[str]]:
    """Return what is known of tokens: the word and the name that each is, "" for none.

    The name is that of a token which is not the first of a sentence. A token that may be a month
    is none, and its word is `_MAY_BE_MONTH`.
    """
    month_names = MONTH_NAMES[language]

    def word(token: str) -> str:
        return _MAY_BE_MONTH if token.casefold() in month_names else _word(token, language)

    def name(token: str) -> str:
        return "" if token.casefold() in month_names else _name(token, 1, language)

    return Known(word), Known(name)


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
