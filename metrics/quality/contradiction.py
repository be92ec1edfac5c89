"""Does a sentence that is nearly a claim say something else in the decisive place?

The two are compared by stem: a negation that only one of them has, a word whose opposite the
other has, another number in the same slot ("June 1950" for "March 1950", "4 months" for
"4 years"), two names that have changed places about the same word. Whatever the two word
differently otherwise is no contradiction.
"""

from functools import cache
from itertools import pairwise

from metrics.quality.contrasts import opposite_in
from metrics.quality.lexicon import AMBIGUOUS_MONTHS, MONTH_NAMES
from metrics.quality.said import Said, negated
from metrics.quality.stems import END, NEGATION, stems
from metrics.quality.units import UNITS

_UNIT_STEMS = frozenset(unit.name for unit in UNITS.values()) | {"million", "billion", "thousand"}


PARTLY = 0.6  # share of a claim that a sentence must have to give another figure for it
_ALIKE = 0.75  # the same for a negation or an opposite
_NEARLY_ALL = 0.9  # the same where only the order differs


def contradiction(claim: Said, near: list[str], share: float, language: str) -> str:
    """Return what a sentence has otherwise than a claim: "" if nothing that is decisive.

    `share` is how much of the claim the sentence holds.
    """
    if share < PARTLY:
        return ""
    theirs = set(near)
    lacking = [stem for stem in claim.weights if stem not in theirs]
    if lacking and _has_other_figure(claim, near, theirs, lacking, language):
        return "number"
    if share < _ALIKE:
        return ""
    if _denies(claim, near, theirs):
        return "negation"
    if lacking and _opposes(claim, theirs, lacking, language):
        return "opposite"
    # Where no word is known, the order may be free.
    ordered = share >= _NEARLY_ALL and claim.names and (claim.text.isascii() or "" in claim.stems)
    return "order" if ordered and _swaps(claim, near, theirs) else ""


def _opposes(claim: Said, theirs: set[str], lacking: list[str], language: str) -> bool:
    """Whether a word of the claim is missing, and the sentence has its opposite instead."""
    others = theirs.difference(claim.weights)
    return any(opposite_in(stem, others, language) for stem in lacking)


def _denies(claim: Said, near: list[str], theirs: set[str]) -> bool:
    """Whether one side denies what the other says."""
    here = claim.negated
    there = NEGATION in theirs
    if not here:
        return there and not negated(near, 2).isdisjoint(claim.weights)
    if not there:
        return True
    denied = negated(near, 2)
    return denied.isdisjoint(here) and not here.isdisjoint(theirs)


def _has_other_figure(
    claim: Said, near: list[str], theirs: set[str], lacking: list[str], language: str
) -> bool:
    """Whether a number or month of the claim has another one, or another unit, in its place."""
    if claim.months and _has_other_month(claim, theirs, language):
        return True
    if claim.numbers.isdisjoint(lacking) and _UNIT_STEMS.isdisjoint(lacking):
        return False
    return bool(claim.numbers) and _has_other_number(claim, near, theirs)


def _has_other_number(claim: Said, near: list[str], theirs: set[str]) -> bool:
    stems = claim.stems
    for place, stem in enumerate(stems):
        if stem not in claim.numbers:
            continue
        before = stems[place - 1] if place else ""
        after = stems[place + 1] if place + 1 < len(stems) else ""
        if stem in theirs:
            if _other_unit(stem, after, near, theirs):
                return True
        elif _other_beside(stem, before, 1, claim, near) or _other_beside(
            stem, after, -1, claim, near
        ):
            return True
    return _other_single(claim, theirs)


def _other_unit(number: str, unit: str, near: list[str], theirs: set[str]) -> bool:
    if not unit or unit not in _UNIT_STEMS or unit in theirs:
        return False
    return any(first == number and second in _UNIT_STEMS for first, second in pairwise(near))


def _other_beside(number: str, word: str, step: int, claim: Said, near: list[str]) -> bool:
    """Whether a number that the claim has not stands beside a word in the sentence."""
    if not word or word in {END, NEGATION, "$", "%"}:
        return False
    for place, stem in enumerate(near):
        if stem == word and 0 <= place + step < len(near):
            other = near[place + step]
            if other not in claim.numbers and _is_of_kind(number, other):
                return True
    return False


def _is_of_kind(number: str, other: str) -> bool:
    """Whether both are numbers of about as many digits, and not the long and short of a year."""
    if not other[:1].isdigit():
        return False
    longer, shorter = max(len(number), len(other)), min(len(number), len(other))
    return longer == shorter or (longer < 4 and longer - shorter == 1) or shorter > 4


def _other_single(claim: Said, theirs: set[str]) -> bool:
    """Whether each side has one number that the other has not, of as many digits."""
    ours = [stem for stem in claim.numbers if stem not in theirs]
    if len(ours) != 1:
        return False
    others = [stem for stem in theirs if stem[:1].isdigit() and stem not in claim.numbers]
    return len(others) == 1 and len(others[0]) == len(ours[0]) == 4


def _has_other_month(claim: Said, theirs: set[str], language: str) -> bool:
    """Whether the claim has a month that the sentence has not, and the sentence another one."""
    months = _months(language)
    here, there = months.intersection(claim.weights), months & theirs
    return bool(here - there) and bool(there - here)


@cache
def _months(language: str) -> frozenset[str]:
    names = MONTH_NAMES[language].keys() - AMBIGUOUS_MONTHS
    return frozenset(stems(language)[name] for name in names)


def _swaps(claim: Said, near: list[str], theirs: set[str]) -> bool:
    """Whether two names stand the other way round about a word that both share."""
    stems = claim.stems
    first = next((stem for stem in stems if stem), "")
    named = theirs.intersection(claim.names)
    if first in theirs:
        named.add(first)
    if len(named) < 2:
        return False
    names = list(dict.fromkeys([stem for stem in stems if stem in named]))
    places = list(map(near.index, names))
    if places == sorted(places):
        return False
    for (one, theirs_one), (other, theirs_other) in pairwise(zip(names, places, strict=True)):
        if theirs_one < theirs_other:
            continue
        here = stems[stems.index(one) + 1 : stems.index(other)]
        between = near[theirs_other + 1 : theirs_one]
        shared = [stem for stem in here if stem and stem in between and stem not in claim.names]
        if shared and ("by" in here) == ("by" in between):
            return True
    return False
