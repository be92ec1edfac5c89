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
        return sum(
            weight != FAINT and (names or stem not in self.names)
            for stem, weight in self.weights.items()
        )


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
    words = sentence.split() if sentence.isascii() else texts.words(sentence)
    shown = [(place, word) for place, word in enumerate(words) if not word.islower()]
    stem_of = stemming.stems(language)
    found = set()
    for place, written in shown:
        for part in _PARTS.findall(written) if not written.isalpha() else (written,):
            if _is_name(part, first=place == 0, german=language == "german"):
                stem = stem_of[part.casefold()]
                if len(stem) > 1 and not stem[0].isdigit():
                    found.add(stem)
    return frozenset(found)


def _is_name(word: str, *, first: bool, german: bool) -> bool:
    if word.isalpha() and (word.istitle() or word.islower()):
        return word[0].isupper() and not first and not german
    if word != word.lower():
        return True
    return any(letter.isdigit() for letter in word[1:])
