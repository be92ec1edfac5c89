"""How well a source supports a claim: a share from 0 to 1, and what speaks against it.

Support is what share of the claim's weight occurs in the source, what share within two
neighbouring sentences of it, and how far it keeps the order there. What is decisive takes its
part of that: a number or a name that is missing, and what the nearest sentence contradicts (see
`contradiction`). Each context is asked alone, and the best one counts; so another context never
lowers the support.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from metrics.quality.contradiction import PARTLY, contradiction
from metrics.quality.figures import NO_FIGURES, Figures
from metrics.quality.otherwise import Otherwise, otherwise
from metrics.quality.said import FAINT, Said
from metrics.quality.sources import MAX_POSTINGS, Source

ANYWHERE, TOGETHER, ORDER = 0.35, 0.5, 0.15
# What is left of the support for each thing that is missing, or for a contradiction.
NUMBER_LEFT, NAME_LEFT, LOOSE_LEFT, WORD_LEFT = 0.4, 0.6, 0.85, 0.94
CONTRADICTED_LEFT = 0.4
_MAX_COUNTED = 4
_MAX_WINDOWS = 32
_REACH = 2.0  # two sentences hold at most twice what the better one does
_ROUNDING = 1e-9
_NONE: frozenset[str] = frozenset()
_AS_NEAR = 0.1  # sentences whose share is less by at most this are as near as the nearest


class Support(Struct, frozen=True):
    """The share that is supported, and what speaks against the claim."""

    value: float
    against: tuple[str, ...] = ()


class _Found(Struct, frozen=True):
    """What each sentence holds of the weight of a claim; what is everywhere, and nowhere.

    `terms` are those that the source has, but for the faint ones.
    """

    weights: Mapping[str, float]
    terms: list[str]
    held: dict[int, float]
    everywhere: float
    total: float
    anywhere: float
    missing: list[str]


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
    others = otherwise(claim, source, figures, holds_amounts)
    found = _found(source, claim.weights, others.all if others else _NONE)
    if found.held:
        best, why = _best(claim, source, found, others)
    else:
        best = ANYWHERE * found.anywhere + TOGETHER * found.everywhere / found.total
        why = ""
    left, against = _left(claim, found.missing, figures)
    if why and why not in against:
        against.append(why)
    return Support(best * left, tuple(against))


def _best(
    claim: Said, source: Source, found: _Found, others: Otherwise | None
) -> tuple[float, str]:
    """Return the support by the context that supports most, and what that contradicts."""
    best, why = 0.0, ""
    elsewhere = found.everywhere + (others.most if others else 0.0)
    for most, owner, reach in _by_context(found, source):
        if best:
            share = (reach + elsewhere) / found.total if reach + elsewhere < found.total else 1.0
            if ANYWHERE * found.anywhere + TOGETHER * share + ORDER <= best:
                continue
        value, contrary = _in_context(claim, source, found, (most, owner), best)
        if value > best:
            best, why = value, contrary
        if others and best < 1 and (known := others.known_to(owner, most + found.everywhere)):
            value, contrary = _without(known, claim, source, owner, best)
            if value > best:
                best, why = value, contrary
    return best, why


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
    return _in_context(claim, source, found, (most, owner), best)


def _found(source: Source, weights: Mapping[str, float], known: AbstractSet[str]) -> _Found:
    """Look the terms of a claim up; `known` are those that are there in another form."""
    index = source.places
    terms, missing = [], []
    held: dict[int, float] = {}
    everywhere = anywhere = 0.0
    for stem, weight in weights.items():
        if stem not in index:
            if stem in known:
                anywhere += weight
            else:
                missing.append(stem)
            continue
        anywhere += weight
        places = index[stem]
        if weight == FAINT:
            everywhere += weight
            continue
        terms.append(stem)
        if len(places) > MAX_POSTINGS:
            everywhere += weight
            continue
        for place in places:
            if place in held:
                held[place] += weight
            else:
                held[place] = weight
    total = sum(weights.values()) or 1.0
    return _Found(weights, terms, held, everywhere, total, anywhere / total, missing)


def _by_context(found: _Found, source: Source) -> list[tuple[float, int, float]]:
    """Return the most that a sentence of each context holds, and its context, best first.

    The third is the most that it may hold with a neighbour.
    """
    most: dict[int, float] = {}
    several = set()
    owners = source.owners
    for place, weight in found.held.items():
        owner = owners[place]
        known = most.get(owner, 0.0)
        if known:
            several.add(owner)
        if weight > known:
            most[owner] = weight
    ranked = [
        (weight, owner, _REACH * weight if owner in several else weight)
        for owner, weight in most.items()
    ]
    if len(ranked) > 1:
        ranked.sort(reverse=True)
    return ranked


def _in_context(
    claim: Said, source: Source, found: _Found, where: tuple[float, int], best: float
) -> tuple[float, str]:
    """Return the support by one context, and what it contradicts; 0 if it is `best` at most.

    `where` is the most that a sentence of the context holds, and the context.
    """
    value = ANYWHERE * found.anywhere
    least = (best - ORDER - value) / TOGETHER - _ROUNDING
    near = _near(found, source, *where)
    share, first, second = _window(source, found, near, least)
    value += TOGETHER * share
    if value + ORDER <= best:
        return 0.0, ""
    value += ORDER * _order(claim, source, first, second)
    if value <= best:
        return 0.0, ""
    left, why = _left_by(claim, source, found, near)
    return value * left, why


def _near(found: _Found, source: Source, most: float, owner: int) -> list[int]:
    """Return the sentences of a context that hold about as much as the one that holds most."""
    least, owners = most - _AS_NEAR * found.total, source.owners
    near = []
    for place, weight in found.held.items():
        if weight >= least and owners[place] == owner:
            near.append(place)
    return near[:_MAX_WINDOWS]


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
            other, most = (place + 1, after) if after >= before else (place - 1, before)
            # What the neighbour adds is at most what it holds.
            if (share + most) / total + _ROUNDING <= best:
                continue
            share += _added(source, found, place, other)
        share = share / total if share < total else 1.0
        if share > best:
            best, first, second = share, place, other
    return best, first, second


def _added(source: Source, found: _Found, place: int, other: int) -> float:
    """Return how much of the weight only the other of two sentences holds."""
    here, there = source.words(place), source.words(other)
    added = 0.0
    for stem in found.terms:
        if stem in there and stem not in here:
            added += found.weights[stem]
    return added


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


def _left(claim: Said, missing: list[str], figures: Figures) -> tuple[float, list[str]]:
    """Return what is left of the support for what is missing, and what that is."""
    left, against = 1.0, []
    lacking: Collection[str] = missing
    if claim.given or claim.numbers:
        lacking = set(missing).difference(claim.given, claim.numbers)
    if lacking:
        names = len(claim.names.intersection(lacking))
        if names:
            against.append("name")
            left = _left_of(NAME_LEFT, names)
        left *= _left_of(WORD_LEFT, len(lacking) - names, 2 * _MAX_COUNTED)
    if figures.missing:
        against.append("number")
        left *= _left_of(NUMBER_LEFT, figures.missing)
    if figures.loose:
        left *= _left_of(LOOSE_LEFT, figures.loose)
    return left, against


def _left_of(left: float, count: int, most: int = _MAX_COUNTED) -> float:
    """Return what is left of each thing, of which so many are missing."""
    return left**count if count < most else left**most


def _order(claim: Said, source: Source, first: int, second: int) -> float:
    """Return how much of what a claim and two sentences share stands in the same order."""
    known = source.words(first)
    if second != first:
        known = known | source.words(second)
    shared = [stem for stem in claim.stems if stem in known]
    if len(shared) < 2:
        return float(len(shared))
    theirs = source.sentence(min(first, second))
    if second != first:
        theirs = theirs + source.sentence(max(first, second))
    if _is_within(shared, theirs):
        return 1.0
    # All of them are there: of two, each is in order by itself.
    return (_common(shared, theirs) if len(shared) > 2 else 1) / len(shared)


def _is_within(shared: list[str], theirs: list[str]) -> bool:
    """Whether all of the first stand among the second in the same order, which is common."""
    rest = iter(theirs)
    return all(stem in rest for stem in shared)  # each behind the one before


def _common(shared: list[str], theirs: list[str]) -> int:
    """Return the length of the longest common subsequence."""
    places = dict.fromkeys(shared, 0)
    for place, stem in enumerate(shared):
        places[stem] |= 1 << place
    full = (1 << len(shared)) - 1
    row = full
    # A bit for each place (Hyyrö 2004).
    for stem in theirs:
        if stem in places:
            match = row & places[stem]
            row = ((row + match) | (row - match)) & full
    return len(shared) - row.bit_count()
