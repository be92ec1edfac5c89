"""What a sentence says, as terms that weigh: names and numbers most, then long words."""

import re
from collections.abc import Container
from collections.abc import Set as AbstractSet
from functools import cache

from msgspec import Struct

from metrics.quality import stems as stemming
from metrics.quality import text as texts
from metrics.quality.lexicon import MONTH_NAMES, STOPWORDS

NAME_WEIGHT = NUMBER_WEIGHT = 1.5  # no other word weighs as much
FAINT = 0.25  # a function word that has an opposite: "more", "before"
_GIVEN = 0.1  # what the user said himself
_LONG = 8  # letters; longer words are no rarer
_SCOPE = 3  # words that a negation reaches over
_PARTS = re.compile(r"[^\W_][\w&]*(?:[.'][\w&]+)*")


class Said(Struct, frozen=True):
    """A sentence in stems.

    `stems` are all of them in order ("" for a function word), `weights` is what each term weighs,
    `names` and `numbers` are terms too; `negated` are the stems that a negation reaches, `given`
    those of the question, `months` the words that may be months.
    """

    text: str
    stems: list[str]
    weights: dict[str, float]
    names: frozenset[str]
    numbers: frozenset[str]
    negated: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()

    def share_in(self, known: Container[str]) -> float:
        """Return how much of the weight of the words (not the numbers) is that of known ones."""
        words = [
            (stem, weight) for stem, weight in self.weights.items() if stem not in self.numbers
        ]
        total = sum(weight for _, weight in words)
        return sum(weight for stem, weight in words if stem in known) / total if total else 1.0

    def count(self, *, names: bool = True) -> int:
        """Return how many terms are no function words, with or without the names."""
        terms = len(self.weights) - list(self.weights.values()).count(FAINT)
        return terms if names else terms - len(self.names & self.weights.keys())


def said(sentence: str, language: str, given: AbstractSet[str] = frozenset()) -> Said:
    """Read a plain sentence; what the question (`given`, in stems) says weighs little."""
    tokens = stemming.tokens(sentence)
    found = list(map(stemming.stems(language).__getitem__, tokens))
    weight_of = _weights(language)
    weights = {stem: weight for stem in found if (weight := weight_of[stem])}
    numbers = frozenset(
        [stem for stem, weight in weights.items() if weight == NUMBER_WEIGHT]
        if NUMBER_WEIGHT in weights.values()
        else ()
    )
    names = _names(sentence, language)
    for stem in weights.keys() & names:
        weights[stem] = NAME_WEIGHT
    told = given & weights.keys()
    for stem in told:
        weights[stem] *= _GIVEN
    months = _months(language).intersection(tokens)
    return Said(sentence, found, weights, names, numbers, negated(found), frozenset(told), months)


@cache
def _weights(language: str) -> stemming.Known[float]:
    """Return what each stem weighs that is no name; what is no term weighs nothing."""
    stopwords = STOPWORDS[language]

    def weight(stem: str) -> float:
        if not stem or stem in "\x02\x15$%":
            return 0.0
        if stem[0].isdigit():
            return NUMBER_WEIGHT
        return FAINT if stem in stopwords else 0.6 + 0.4 * min(len(stem), _LONG) / _LONG

    return stemming.Known(weight)


@cache
def _months(language: str) -> frozenset[str]:
    return frozenset(MONTH_NAMES[language])


def negated(stems: list[str], scope: int = _SCOPE) -> frozenset[str]:
    """Return the stems that a negation reaches."""
    if stemming.NEGATION not in stems:
        return frozenset()
    reached: set[str] = set()
    for place, stem in enumerate(stems):
        if stem == stemming.NEGATION:
            after = [
                other for other in stems[place + 1 : place + 8] if other and other != stemming.END
            ]
            reached.update(after[:scope])
    return frozenset(reached - {stemming.NEGATION})


def _names(sentence: str, language: str) -> frozenset[str]:
    """Return the stems of the names.

    Words with an upper-case letter, but for a sentence's first word, unless it holds more than
    one capital or a digit. German capitalises every noun: there only the latter count.
    """
    words = sentence.split() if sentence.isascii() else texts.words(sentence)
    if not words:
        return frozenset()
    names_of = _names_of(language, first=False)
    shown = [word for word in words[1:] if not word.islower()]
    first = _names_of(language, first=True)[words[0]]
    return frozenset(first).union(*map(names_of.__getitem__, shown))


@cache
def _names_of(language: str, *, first: bool) -> stemming.Known[tuple[str, ...]]:
    """Return the stems of the names in each written word, as the first of a sentence or not."""
    stem_of = stemming.stems(language)

    def names(written: str) -> tuple[str, ...]:
        if written.islower():
            return ()
        parts = [written] if written.isalpha() else _PARTS.findall(written)
        named = (part for part in parts if _is_name(part, first=first, german=language == "german"))
        stems = (stem_of[part.casefold()] for part in named)
        return tuple(stem for stem in stems if len(stem) > 1 and not stem[0].isdigit())

    return stemming.Known(names)


def _is_name(word: str, *, first: bool, german: bool) -> bool:
    if word.isalpha() and (word.istitle() or word.islower()):
        return word[0].isupper() and not first and not german
    if word != word.lower():
        return True
    return any(letter.isdigit() for letter in word[1:])
