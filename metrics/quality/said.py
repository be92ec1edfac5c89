"""What a sentence says, as terms that weigh: names and numbers most, then long words."""

import re
from collections.abc import Container, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain, filterfalse
from typing import NamedTuple

from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.known import Known
from metrics.quality.lexicon import MONTH_NAMES, STOPWORDS
from metrics.quality.stems import END, NEGATION, tokens_of
from metrics.quality.stems import stems as stem_of

NAME_WEIGHT = NUMBER_WEIGHT = 1.5  # no other word weighs as much
FAINT = 0.25  # a function word that has an opposite: "more", "before"
_GIVEN = 0.1  # what the user said himself
_LONG = 8  # letters; longer words are no rarer
_SHORT = 6  # with fewer tokens a sentence may be a courtesy
_SCOPE = 3  # words that a negation reaches over
_EDGES = ".,;:!?\"'()[]"  # no name begins or ends with one of them
_PARTS = re.compile(r"[^\W_][\w&]*(?:[.'][\w&]+)*")
_NO_TERMS = ("$", "%", END, NEGATION)
_NONE: frozenset[str] = frozenset()
_Names = tuple[str, ...]


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


class _Known(NamedTuple):
    """What is known of the words of a language."""

    weight: Known[float]
    names: Known[_Names]
    first_names: Known[_Names]
    months: frozenset[str]


class Heard(Struct, frozen=True):
    """A plain sentence, cut: its tokens, and the stem of each ("" for a function word)."""

    text: str
    tokens: list[str]
    stems: list[str]


def heard(sentences: Sequence[str], language: str) -> list[Heard]:
    """Cut plain sentences, which is quicker than one by one."""
    stem = stem_of(language).__getitem__
    cut = zip(sentences, tokens_of(sentences), strict=True)
    return [Heard(text, tokens, list(map(stem, tokens))) for text, tokens in cut]


def said(sentence: str, language: str, given: AbstractSet[str] = frozenset()) -> Said:
    """Read a plain sentence; what the question (`given`, in stems) says weighs little."""
    return said_of(heard([sentence], language)[0], language, given)


def say_plainly(sentences: Sequence[Heard], language: str) -> list[bool]:
    """Return which sentences of some length say anything, and name no month."""
    silent, months = _silent(language), _known(language).months
    return [
        len(sentence.stems) >= _SHORT
        and not silent.issuperset(sentence.stems)
        and months.isdisjoint(sentence.tokens)
        for sentence in sentences
    ]


def terms_in(stems: Sequence[str], language: str) -> frozenset[str]:
    """Return the terms that are no function words."""
    return frozenset(stems) - _silent(language)


def said_of(sentence: Heard, language: str, given: AbstractSet[str]) -> Said:
    """Read a sentence that has been cut."""
    known = _known(language)
    text, tokens, stems = sentence.text, sentence.tokens, sentence.stems
    terms = list(filter(None, stems))  # most that is left out is a function word
    weights = dict(zip(terms, map(known.weight.__getitem__, terms), strict=True))
    reached = negated(stems) if NEGATION in weights else _NONE
    for mark in _NO_TERMS:
        weights.pop(mark, None)
    numbers = _NONE
    if NUMBER_WEIGHT in weights.values():
        numbers = frozenset([stem for stem in weights if weights[stem] == NUMBER_WEIGHT])
    names = _names(text, known)
    for stem in names:
        if stem in weights:
            weights[stem] = NAME_WEIGHT
    told = _NONE
    if given:
        told = frozenset(given & weights.keys())
        for stem in told:
            weights[stem] *= _GIVEN
    months = known.months.intersection(tokens)
    return Said(text, stems, weights, names, numbers, reached, told, months)


@cache
def _known(language: str) -> _Known:
    return _Known(
        _weights(language),
        _names_of(language, first=False),
        _names_of(language, first=True),
        frozenset(MONTH_NAMES[language]),
    )


@cache
def _silent(language: str) -> frozenset[str]:
    """Return the stems that say nothing by themselves."""
    return STOPWORDS[language].union(("", *_NO_TERMS))


def _weights(language: str) -> Known[float]:
    """Return what each stem weighs that is no name."""
    stopwords = STOPWORDS[language]

    def weight(stem: str) -> float:
        if stem[:1].isdigit():
            return NUMBER_WEIGHT
        return FAINT if stem in stopwords else 0.6 + 0.4 * min(len(stem), _LONG) / _LONG

    return Known(weight)


def negated(stems: list[str], scope: int = _SCOPE) -> frozenset[str]:
    """Return the stems that a negation reaches."""
    if NEGATION not in stems:
        return frozenset()
    reached: set[str] = set()
    for place, stem in enumerate(stems):
        if stem == NEGATION:
            after = [other for other in stems[place + 1 : place + 8] if other and other != END]
            reached.update(after[:scope])
    return frozenset(reached - {NEGATION})


def _names(sentence: str, known: _Known) -> frozenset[str]:
    """Return the stems of the names.

    Words with an upper-case letter, but for a sentence's first word, unless it holds more than
    one capital or a digit. German capitalises every noun: there only the latter count.
    """
    words = sentence.split() if sentence.isascii() else texts.words(sentence)
    if not words:
        return _NONE
    first = known.first_names[words[0]]
    words[0] = "a"
    shown = filterfalse(str.islower, words)
    return frozenset(chain(first, *map(known.names.__getitem__, shown)))


def _names_of(language: str, *, first: bool) -> Known[_Names]:
    """Return the stems of the names in each written word, as the first of a sentence or not."""
    known = stem_of(language)

    def names(word: str) -> _Names:
        if word.islower():
            return ()
        written = word.strip(_EDGES)
        parts = [written] if written.isalpha() else _PARTS.findall(written)
        named = (part for part in parts if _is_name(part, first=first, german=language == "german"))
        stems = (known[part.casefold()] for part in named)
        return tuple(stem for stem in stems if len(stem) > 1 and not stem[0].isdigit())

    return Known(names)


def _is_name(word: str, *, first: bool, german: bool) -> bool:
    if word.isalpha() and (word.istitle() or word.islower()):
        return word[0].isupper() and not first and not german
    if word != word.lower():
        return True
    return any(letter.isdigit() for letter in word[1:])
