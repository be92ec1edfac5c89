"""How well a source supports a claim: a share from 0 to 1, and what speaks against it.

Support is what share of the claim's weight occurs in the source, what share within two
neighbouring sentences of it, and how far it keeps the order there. What is decisive takes its
part of that: a number or a name that is missing, and what the nearest sentence contradicts (see
`contradiction`). Each context is asked alone, and the best one counts; so another context never
lowers the support.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from metrics.quality.contradiction import contradiction
from metrics.quality.figures import NO_FIGURES, Figures
from metrics.quality.said import Said
from metrics.quality.sources import MAX_POSTINGS, Source

ANYWHERE, TOGETHER, ORDER = 0.35, 0.5, 0.15
# What is left of the support for each thing that is missing, or for a contradiction.
NUMBER_LEFT, NAME_LEFT, LOOSE_LEFT, WORD_LEFT = 0.4, 0.6, 0.85, 0.94
CONTRADICTED_LEFT = 0.4
_MAX_COUNTED = 4
_MAX_WINDOWS = 32
_AS_NEAR = 0.1  # sentences whose share is less by at most this are as near as the nearest


class Support(Struct, frozen=True):
    """The share that is supported, and what speaks against the claim."""

    value: float
    against: tuple[str, ...] = ()


class _Window(Struct, frozen=True):
    """A sentence and the nearer of its neighbours; the share that both hold, and that it holds."""

    sentence: int
    other: int
    share: float
    alone: float


class _Found(Struct, frozen=True):
    """Where the terms of a claim are: by sentence, as a sum of weights and as a mask of terms."""

    weights: tuple[float, ...]
    held: dict[int, float]
    masks: dict[int, int]
    everywhere: float
    total: float
    anywhere: float
    missing: tuple[str, ...]


def support_of(claim: Said, source: Source, figures: Figures = NO_FIGURES) -> Support:
    """Return how well a source supports a claim whose figures have been looked up."""
    found = _found(source, claim.weights)
    best, why = 0.0, ""
    for windows in _by_context(found, source):
        value, contrary = _in_context(claim, source, found, windows, best)
        if value > best:
            best, why = value, contrary
    if not found.held:
        best = ANYWHERE * found.anywhere + TOGETHER * found.everywhere / found.total
    left, against = _left(claim, source, found.missing, figures)
    if why:
        against.append(why)
    return Support(best * left, tuple(dict.fromkeys(against)))


def _found(source: Source, weights: Mapping[str, float]) -> _Found:
    held: dict[int, float] = {}
    masks: dict[int, int] = {}
    everywhere = anywhere = 0.0
    missing = []
    bit = 1
    for stem, weight in weights.items():
        places = source.places.get(stem)
        if places is None:
            missing.append(stem)
        elif len(places) > MAX_POSTINGS:
            everywhere += weight
            anywhere += weight
        else:
            anywhere += weight
            for place in places:
                held[place] = held.get(place, 0.0) + weight
                masks[place] = masks.get(place, 0) | bit
        bit <<= 1
    total = sum(weights.values()) or 1.0
    return _Found(tuple(weights.values()), held, masks, everywhere, total, anywhere / total, tuple(missing))


def _by_context(found: _Found, source: Source) -> Iterable[list[int]]:
    """Yield the best sentences of each context, the best context first."""
    groups: dict[int, list[int]] = {}
    held = found.held
    for place in sorted(held, key=lambda place: (-held[place], place)):
        groups.setdefault(source.owners[place], []).append(place)
    return groups.values()


def _in_context(
    claim: Said, source: Source, found: _Found, places: list[int], beaten: float
) -> tuple[float, str]:
    """Return the support by one context, and what it contradicts; 0.0 if it is not above `beaten`."""
    windows = [_window(found, place) for place in places[:_MAX_WINDOWS]]
    best = max(window.share for window in windows)
    if ANYWHERE * found.anywhere + TOGETHER * best + ORDER <= beaten:
        return 0.0, ""
    value, left, why = 0.0, 0.0, ""
    for window in windows:
        if window.alone >= windows[0].alone - _AS_NEAR and left < 1:
            near = source.sentence(window.sentence)
            contrary = contradiction(claim, near, window.alone, source.language)
            kept = CONTRADICTED_LEFT if contrary else 1.0
            if kept > left:
                left, why = kept, contrary
    window = max(windows, key=lambda window: window.share)
    value = ANYWHERE * found.anywhere + TOGETHER * window.share
    return (value + ORDER * _order(claim, source, window)) * left, why


def _window(found: _Found, place: int) -> _Window:
    held, masks = found.held, found.masks
    alone = held[place] + found.everywhere
    before, after = held.get(place - 1, 0.0), held.get(place + 1, 0.0)
    if not before and not after:
        return _Window(place, place, alone / found.total, alone / found.total)
    other = place + 1 if after >= before else place - 1
    more = masks[other] & ~masks[place]
    added = 0.0
    while more:
        last = more & -more
        added += found.weights[last.bit_length() - 1]
        more ^= last
    return _Window(place, other, (alone + added) / found.total, alone / found.total)


def _left(
    claim: Said, source: Source, missing: tuple[str, ...], figures: Figures
) -> tuple[float, list[str]]:
    names = words = 0
    for stem in missing:
        if stem in claim.given:
            continue
        if stem in claim.names:
            names += not _is_alias(stem, source)
        elif stem not in claim.numbers:
            words += 1
    against = []
    if names:
        against.append("name")
    if figures.missing:
        against.append("number")
    left = NAME_LEFT ** min(names, _MAX_COUNTED) * WORD_LEFT ** min(words, 2 * _MAX_COUNTED)
    left *= NUMBER_LEFT ** min(figures.missing, _MAX_COUNTED)
    return left * LOOSE_LEFT ** min(figures.loose, _MAX_COUNTED), against


def _is_alias(name: str, source: Source) -> bool:
    """Whether a name that does not occur is the acronym of one that does."""
    return 2 <= len(name) <= 6 and name in source.acronyms


def _order(claim: Said, source: Source, window: _Window) -> float:
    """Return how much of what both share stands in the same order."""
    first, second = sorted((window.sentence, window.other))
    theirs = source.sentence(first)
    if second != first:
        theirs = theirs + source.sentence(second)
    places: dict[str, int] = {}
    for place, stem in enumerate(theirs):
        if stem:
            places[stem] = places.get(stem, 0) | (1 << place)
    shared = [places[stem] for stem in claim.stems if stem in places]
    if not shared:
        return 0.0
    full = (1 << len(theirs)) - 1
    row = full
    # The longest common subsequence, a bit for each place (Hyyrö 2004).
    for mask in shared:
        both = row & mask
        row = ((row + both) | (row - both)) & full
    return (len(theirs) - row.bit_count()) / len(shared)
