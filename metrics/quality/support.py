"""How well a source supports a claim: a share from 0 to 1, and what speaks against it.

Support is what share of the claim's weight occurs in the source, what share within two
neighbouring sentences of it, and how far it keeps the order there. What is decisive takes its
part of that: a number or a name that is missing, and what the nearest sentence contradicts (see
`contradiction`). Each context is asked alone, and the best one counts; so another context never
lowers the support.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from metrics.quality.contradiction import PARTLY, contradiction
from metrics.quality.figures import NO_FIGURES, Figures
from metrics.quality.said import FAINT, Said
from metrics.quality.sources import MAX_POSTINGS, Source
from metrics.quality.stems import stems

ANYWHERE, TOGETHER, ORDER = 0.35, 0.5, 0.15
# What is left of the support for each thing that is missing, or for a contradiction.
NUMBER_LEFT, NAME_LEFT, LOOSE_LEFT, WORD_LEFT = 0.4, 0.6, 0.85, 0.94
CONTRADICTED_LEFT = 0.4
_MAX_COUNTED = 4
_MAX_WINDOWS = 32
_LONGEST_ACRONYM = 6
_REACH = 2.0  # two sentences hold at most twice what the better one does
_ROUNDING = 1e-9
_WORTH_READING = (
    0.6  # share of a claim's words that a sentence has, for its amounts to be asked for
)
_NONE: frozenset[str] = frozenset()
_AS_NEAR = 0.1  # sentences whose share is less by at most this are as near as the nearest


class Support(Struct, frozen=True):
    """The share that is supported, and what speaks against the claim."""

    value: float
    against: tuple[str, ...] = ()


class _Found(Struct, frozen=True):
    """What each sentence holds of the weight of a claim; what is everywhere, and nowhere."""

    weights: Mapping[str, float]
    held: dict[int, float]
    everywhere: float
    total: float
    anywhere: float
    missing: tuple[str, ...]


def support_of(
    claim: Said,
    source: Source,
    figures: Figures = NO_FIGURES,
    holds_amounts: Callable[[int], bool] = lambda _: False,
) -> Support:
    """Return how well a source supports a claim whose figures have been looked up.

    `holds_amounts` tells whether a context, by its place, has all amounts of the claim.
    """
    if figures.quoted and not figures.missing:
        return Support(1.0)
    others = _Otherwise(claim, source, figures, holds_amounts)
    found = _found(source, claim.weights, others.all)
    best, why = 0.0, ""
    for most, owner in _by_context(found, source):
        share = min(1.0, (_REACH * most + found.everywhere + others.most) / found.total)
        if ANYWHERE * found.anywhere + TOGETHER * share + ORDER <= best:
            break
        near = _near(found, source, owner, most)
        value, contrary = _in_context(claim, source, found, near, best)
        if value > best:
            best, why = value, contrary
        if best < 1 and (known := others.known_to(owner, most + found.everywhere)):
            value, contrary = _without(known, claim, source, owner, best)
            if value > best:
                best, why = value, contrary
    if not found.held:
        best = ANYWHERE * found.anywhere + TOGETHER * found.everywhere / found.total
    left, against = _left(claim, found.missing, figures)
    if why:
        against.append(why)
    return Support(best * left, tuple(dict.fromkeys(against)))


class _Otherwise:
    """Which terms of a claim contexts have in another form: figures, acronyms, names.

    Each context is asked alone, whatever others have: one more never takes from it.
    """

    def __init__(
        self, claim: Said, source: Source, figures: Figures, holds_amounts: Callable[[int], bool]
    ) -> None:
        self._claim = claim
        self._source = source
        self._holds_amounts = holds_amounts
        self._names: dict[int, set[str]] = {}
        for name, owner in self._spelt():
            self._names.setdefault(owner, set()).add(name)
        self._numbers = claim.numbers & claim.weights.keys() if figures.held else _NONE
        self.all = self._numbers.union(*self._names.values())
        """Those that any context has."""
        self.most = sum(map(claim.weights.__getitem__, self.all))
        """What they weigh at most."""
        words = sum(claim.weights.values()) - sum(map(claim.weights.__getitem__, self._numbers))
        self._worth_reading = _WORTH_READING * words

    def _spelt(self) -> Iterator[tuple[str, int]]:
        claim, source = self._claim, self._source
        names = claim.names & claim.weights.keys()
        for name in names:
            if len(name) <= _LONGEST_ACRONYM and name.upper() in claim.text:
                yield from ((name, owner) for owner in source.spelling(name))
        if len(names) > 1:
            stem_of = stems(source.language)
            for words, owners in source.acronyms_spelt(claim.text):
                for name in names.intersection([stem_of[word.casefold()] for word in words]):
                    yield from ((name, owner) for owner in owners)

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


def _without(
    known: AbstractSet[str], claim: Said, source: Source, owner: int, best: float
) -> tuple[float, str]:
    """Return the support by a context that has some terms in another form, as `_in_context`."""
    weights = {stem: weight for stem, weight in claim.weights.items() if stem not in known}
    found = _found(source, weights, _NONE)
    owners = source.owners
    most = max((held for place, held in found.held.items() if owners[place] == owner), default=0.0)
    if not most:
        return 0.0, ""
    # Which number stands in their place is no contradiction: they have been looked up.
    claim = replace(claim, numbers=claim.numbers - known)
    return _in_context(claim, source, found, _near(found, source, owner, most), best)


def _found(source: Source, weights: Mapping[str, float], known: AbstractSet[str]) -> _Found:
    """Look the terms of a claim up; `known` are those that are there in another form."""
    held: dict[int, float] = defaultdict(float)
    everywhere = anywhere = 0.0
    missing = []
    for stem, weight in weights.items():
        places = source.places.get(stem)
        if places is None:
            if stem in known:
                anywhere += weight
            else:
                missing.append(stem)
            continue
        anywhere += weight
        if len(places) > MAX_POSTINGS or weight == FAINT:
            everywhere += weight
        else:
            for place in places:
                held[place] += weight
    total = sum(weights.values()) or 1.0
    return _Found(weights, held, everywhere, total, anywhere / total, tuple(missing))


def _by_context(found: _Found, source: Source) -> list[tuple[float, int]]:
    """Return the most that a sentence of each context holds, and its context, best first."""
    most: dict[int, float] = {}
    owners = source.owners
    for place, weight in found.held.items():
        owner = owners[place]
        if weight > most.get(owner, 0.0):
            most[owner] = weight
    return sorted(((weight, owner) for owner, weight in most.items()), reverse=True)


def _near(found: _Found, source: Source, owner: int, most: float) -> list[int]:
    """Return the sentences of a context that hold about as much as the one that holds most."""
    least, owners = most - _AS_NEAR * found.total, source.owners
    near = [
        place for place, weight in found.held.items() if weight >= least and owners[place] == owner
    ]
    return near[:_MAX_WINDOWS]


def _in_context(
    claim: Said, source: Source, found: _Found, near: Sequence[int], best: float
) -> tuple[float, str]:
    """Return the support by one context, and what it contradicts; 0 if it is `best` at most.

    `near` are the sentences of the context that hold most.
    """
    value = ANYWHERE * found.anywhere
    least = (best - ORDER - value) / TOGETHER - _ROUNDING
    share, first, second = _window(source, found, near, least)
    value += TOGETHER * share
    if value + ORDER <= best:
        return 0.0, ""
    value += ORDER * _order(claim, source, first, second)
    if value <= best:
        return 0.0, ""
    left, why = _left_by(claim, source, found, near)
    return value * left, why


def _window(
    source: Source, found: _Found, near: Sequence[int], least: float
) -> tuple[float, int, int]:
    """Return the most that a sentence and the nearer of its neighbours hold, and these two.

    What is not above `least` is not looked for.
    """
    held, total = found.held, found.total
    best, first, second = least, 0, 0
    for place in near:
        before, after = held.get(place - 1, 0.0), held.get(place + 1, 0.0)
        share = held[place] + found.everywhere
        other = place
        if before or after:
            # What the neighbour adds is at most what it holds.
            if min(1.0, (share + max(before, after)) / total) + _ROUNDING <= best:
                continue
            other = place + 1 if after >= before else place - 1
            share = min(1.0, (share + _added(source, found, place, other)) / total)
        else:
            share /= total
        if share > best:
            best, first, second = share, place, other
    return best, first, second


def _added(source: Source, found: _Found, place: int, other: int) -> float:
    """Return how much of the weight only the other of two sentences holds."""
    there = source.words(other) - source.words(place)
    return sum(
        [w for stem, w in found.weights.items() if stem in there and w != FAINT] if there else []
    )


def _left_by(claim: Said, source: Source, found: _Found, near: Sequence[int]) -> tuple[float, str]:
    """Return what is left by the sentence that contradicts least, and what it contradicts."""
    left, why = 0.0, ""
    for place in near:
        share = (found.held[place] + found.everywhere) / found.total
        contrary = ""
        if share >= PARTLY:
            contrary = contradiction(claim, source.sentence(place), share, source.language)
        kept = CONTRADICTED_LEFT if contrary else 1.0
        if kept > left:
            left, why = kept, contrary
        if left == 1:
            break
    return left, why


def _left(claim: Said, missing: tuple[str, ...], figures: Figures) -> tuple[float, list[str]]:
    """Return what is left of the support for what is missing, and what that is."""
    lacking = [stem for stem in missing if stem not in claim.given and stem not in claim.numbers]
    names = len(claim.names.intersection(lacking))
    words = len(lacking) - names
    against = ["name"] * bool(names) + ["number"] * bool(figures.missing)
    left = NAME_LEFT ** min(names, _MAX_COUNTED) * WORD_LEFT ** min(words, 2 * _MAX_COUNTED)
    left *= NUMBER_LEFT ** min(figures.missing, _MAX_COUNTED)
    return left * LOOSE_LEFT ** min(figures.loose, _MAX_COUNTED), against


def _order(claim: Said, source: Source, first: int, second: int) -> float:
    """Return how much of what a claim and two sentences share stands in the same order."""
    first, second = min(first, second), max(first, second)
    known = source.words(first)
    if second != first:
        known = known | source.words(second)
    shared = [stem for stem in claim.stems if stem in known]
    if len(shared) < 2:
        return float(len(shared))
    places = dict.fromkeys(shared, 0)
    both = source.sentence(first) + (source.sentence(second) if second != first else [])
    theirs = [stem for stem in both if stem in places]
    for place, stem in enumerate(theirs):
        places[stem] |= 1 << place
    full = (1 << len(theirs)) - 1
    row = full
    # The longest common subsequence, a bit for each place (Hyyrö 2004).
    for stem in shared:
        match = row & places[stem]
        row = ((row + match) | (row - match)) & full
    return (len(theirs) - row.bit_count()) / len(shared)
