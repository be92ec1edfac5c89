"""What a sentence says, as terms that weigh: names and numbers most, then long words."""

import re
from collections.abc import Container
from collections.abc import Set as AbstractSet

from msgspec import Struct

from metrics.quality import stems as stemming
from metrics.quality import text as texts
from metrics.quality.lexicon import MONTH_NAMES, STOPWORDS

NAME_WEIGHT = 1.5
FAINT = 0.25  # a function word that has an opposite: "more", "before"
_GIVEN = 0.1  # what the user said himself
_LONG = 8  # letters; longer words are no rarer
_SCOPE = 3  # words that a negation reaches over
_CAPITAL = re.compile(r"[A-Z][\w&]*(?:[.'][\w&]+)*|\b[a-z]+[A-Z0-9]\w*")


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

    @property
    def content(self) -> frozenset[str]:
        """The terms that are no function words."""
        return frozenset(stem for stem, weight in self.weights.items() if weight != FAINT)


def said(sentence: str, language: str, given: AbstractSet[str] = frozenset()) -> Said:
    """Read a plain sentence; what the question (`given`, in stems) says weighs little."""
    stem_of = stemming.stems(language)
    tokens = stemming.tokens(sentence)
    found = list(map(stem_of.__getitem__, tokens))
    names = _names(sentence, language)
    stopwords = STOPWORDS[language]
    weights: dict[str, float] = {}
    numbers = set()
    for stem in found:
        if not stem or stem in weights or stem in "\x02\x15$%":
            continue
        if stem[0].isdigit():
            weights[stem] = NAME_WEIGHT
            numbers.add(stem)
        elif stem in names:
            weights[stem] = NAME_WEIGHT
        elif stem in stopwords:
            weights[stem] = FAINT
        else:
            weights[stem] = 0.6 + 0.4 * min(len(stem), _LONG) / _LONG
    months = frozenset(MONTH_NAMES[language].keys() & tokens)
    told = given & weights.keys()
    for stem in told:
        weights[stem] *= _GIVEN
    return Said(
        sentence, found, weights, names, frozenset(numbers), negated(found), frozenset(told), months
    )


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
    stem_of = stemming.stems(language)
    if sentence.isascii():
        words = _CAPITAL.findall(sentence)
        first = sentence.startswith(tuple(words[:1]), 0) or sentence[1:2].isupper()
    else:
        words = texts.words(sentence)
        first = True
    found = set()
    for word in words:
        plain = word.isalpha() and word[1:].islower()
        if plain and (first or language == "german" or not word[0].isupper()):
            first = False
            continue
        first = False
        if (not plain and word.islower()) or (word == word.lower() and word.isalpha()):
            continue
        stem = stem_of[word.casefold()]
        if len(stem) > 1 and not stem[0].isdigit():
            found.add(stem)
    return frozenset(found)
