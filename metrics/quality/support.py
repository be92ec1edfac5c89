"""How well a source supports a claim: a share from 0 to 1, and what speaks against it.

Support is what share of the claim's weight occurs in the source, what share within two
neighbouring sentences of it, and how far it keeps the order there. What is decisive takes its
part of that: a number or a name that is missing, and what the nearest sentence contradicts (see
`contradiction`). Each context is asked alone, and the best one counts; so another context never
lowers the support.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

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


def support_of(claim: Said, source: Source, figures: Figures = NO_FIGURES) -> Support:
    """Return how well a source supports a claim whose figures have been looked up."""
    if figures.quoted and not figures.missing:
        return Support(1.0)
    found = _found(source, claim.weights)
    if found.missing and (figures.held or not claim.names.isdisjoint(found.missing)):
        known = _known_otherwise(claim, source, found.missing, figures)
        if known:
            weights = {stem: weight for stem, weight in claim.weights.items() if stem not in known}
            found = _found(source, weights)
            # Which number stands in their place is no contradiction: they have been looked up.
            claim = replace(claim, numbers=claim.numbers - known)
    best, why = 0.0, ""
    for most, owner in _by_context(found, source):
        share = min(1.0, (_REACH * most + found.everywhere) / found.total)
        if ANYWHERE * found.anywhere + TOGETHER * share + ORDER <= best:
            break
        near = _near(found, source, owner, most)
        value, contrary = _in_context(claim, source, found, near, best)
        if value > best:
            best, why = value, contrary
    if not found.held:
        best = ANYWHERE * found.anywhere + TOGETHER * found.everywhere / found.total
    left, against = _left(claim, found.missing, figures)
    if why:
        against.append(why)
    return Support(best * left, tuple(dict.fromkeys(against)))


def _found(source: Source, weights: Mapping[str, float]) -> _Found:
    held: dict[int, float] = defaultdict(float)
    everywhere = anywhere = 0.0
    missing = []
    for stem, weight in weights.items():
        places = source.places.get(stem)
        if places is None:
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


def _known_otherwise(
    claim: Said, source: Source, missing: tuple[str, ...], figures: Figures
) -> set[str]:
    """Return the missing terms that the source has in another form: figures, acronyms, names."""
    known = claim.numbers.intersection(missing) if figures.held else set()
    names = claim.names.intersection(missing)
    for name in names:
        if len(name) <= _LONGEST_ACRONYM and name.upper() in claim.text and source.spells(name):
            known |= {name}
    if len(names) > 1:
        stem_of = stems(source.language)
        for words in source.acronyms_spelt(claim.text):
            known |= names.intersection([stem_of[word.casefold()] for word in words])
    return set(known)


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
