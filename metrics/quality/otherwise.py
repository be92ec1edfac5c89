"""Which terms of a claim do contexts have in another form: its amounts, acronyms and names?

A context that writes "a dozen" for 12, or spells an acronym out, has what the claim says.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from metrics.quality.figures import Figures
from metrics.quality.said import Said
from metrics.quality.sources import Source
from metrics.quality.stems import stems

# Share of a claim's words that a sentence has, for its amounts to be asked for.
_WORTH_READING = 0.6
_NONE: frozenset[str] = frozenset()


class Otherwise:
    """What contexts have in another form of a claim.

    Each context is asked alone, whatever others have: one more never takes from it.
    """

    def __init__(
        self,
        claim: Said,
        source: Source,
        names: Mapping[int, AbstractSet[str]],
        numbers: frozenset[str],
        holds_amounts: Callable[[int], bool],
    ) -> None:
        self._source = source
        self._holds_amounts = holds_amounts
        self._names = names
        self._numbers = numbers
        self.all = numbers.union(*names.values())
        """Those that any context has."""
        self.most = sum(map(claim.weights.__getitem__, self.all))
        """What they weigh at most."""
        words = sum(claim.weights.values()) - sum(map(claim.weights.__getitem__, numbers))
        self._worth_reading = _WORTH_READING * words

    def known_to(self, owner: int, held: float) -> AbstractSet[str]:
        """Return what a context has otherwise, of which a sentence holds so much of the weight."""
        names = self._names.get(owner, _NONE)
        if held < self._worth_reading or self._has_numbers(owner):
            return names
        return names | self._numbers if self._holds_amounts(owner) else names

    def _has_numbers(self, owner: int) -> bool:
        """Whether a context has the numbers as the claim writes them, or the claim none."""
        places, owners = self._source.places, self._source.owners
        return all(
            any(owners[place] == owner for place in places.get(number, ()))
            for number in self._numbers
        )


def otherwise(
    claim: Said, source: Source, figures: Figures, holds_amounts: Callable[[int], bool]
) -> Otherwise | None:
    """Return which terms contexts have in another form, None if none has any."""
    names = _spelt(claim, source) if claim.names else {}
    numbers = claim.numbers if figures.held else _NONE
    return Otherwise(claim, source, names, numbers, holds_amounts) if names or numbers else None


def _spelt(claim: Said, source: Source) -> dict[int, set[str]]:
    """Return the names that each context spells out, or has an acronym of."""
    found: dict[int, set[str]] = {}
    for name in claim.names & source.spelt:
        if name in claim.weights and name.upper() in claim.text:
            for owner in source.spelling(name):
                found.setdefault(owner, set()).add(name)
    if len(claim.names) > 1:
        for words, owners in source.acronyms_spelt(claim.text):
            names = _named(words, claim, source.language)
            for owner in owners if names else ():
                found.setdefault(owner, set()).update(names)
    return found


def _named(words: Sequence[str], claim: Said, language: str) -> AbstractSet[str]:
    """Return the names of a claim among some of its words, none if it has but one."""
    names = claim.names & claim.weights.keys()
    if len(names) < 2:
        return _NONE
    stem_of = stems(language)
    return names.intersection([stem_of[word.casefold()] for word in words])
