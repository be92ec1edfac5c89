"""Does a source have the numbers, months and addresses of a claim, for the same things?

Most numbers stand in the source as they do in the claim, beside the same word; that is quickly
seen. The others are read with their signs, factors and units, and looked up context by context.
A number that the user's question gave is no invention, unless the contexts give another one for
the same thing.
"""

import re
from collections.abc import Set as AbstractSet

from msgspec import Struct

from metrics.quality import stems as stemming
from metrics.quality.lexicon import AMBIGUOUS_MONTHS
from metrics.quality.passages import Passage
from metrics.quality.quantities import Quantity, quantities
from metrics.quality.said import Said
from metrics.quality.sources import Source, is_signed
from metrics.quality.terms import months_in


class Figures(Struct, frozen=True):
    """How many figures of a claim the source lacks, and how many it has, but for other things."""

    missing: int = 0
    loose: int = 0
    held: bool = False  # the claim has figures, and the source has them all
    quoted: bool = False  # the claim stands in the source as it is


# A claim that shares fewer of its words with the source rarely has its numbers there otherwise.
_WORTH_READING = 0.4
_MAY_BE_DATE = re.compile(r"\d-\d\d-\d|\d/\d{1,2}/\d")
_NUMERIC_DATE = re.compile(r"\b\d{4}-(\d{2})-\d{2}\b|\b(\d{1,2})/(\d{1,2})/\d{4}\b")
_MONTHS = frozenset(map(str, range(1, 13)))
NO_FIGURES = Figures()
_QUOTED = Figures(quoted=True)


class Told(Struct, frozen=True):
    """What a claim tells beside its words: its text, its addresses, its decimal mark if known."""

    text: str
    addresses: AbstractSet[str] = frozenset()
    mark: str | None = None


def figures(told: Told, claim: Said, source: Source, given: Passage | None) -> Figures:
    """Compare the figures of a claim with those of a source; `given` has what the user said."""
    quoted = source.quotes(claim.stems)
    if not (claim.numbers or claim.months or told.addresses):
        return _QUOTED if quoted else NO_FIGURES
    missing = sum([not _has_address(address, source, given) for address in told.addresses])
    if claim.months:
        missing += _missing_months(told, claim, source)
    if not claim.numbers:
        return Figures(missing, 0, bool(told.addresses) and not missing, quoted)
    signed = is_signed(told.text)
    if quoted and not signed:
        return Figures(missing, 0, not missing, quoted)
    unlike = [
        place
        for place, stem in enumerate(claim.stems)
        if stem in claim.numbers and not _is_alike(claim.stems, place, source)
    ]
    if not unlike and not signed:
        return Figures(missing, 0, not missing, quoted)
    if not _is_worth_reading(claim, unlike, source):
        return Figures(missing + len(unlike), quoted=quoted)
    amounts = quantities(told.text, source.language, told.mark)
    months = _months_of_dates(told.text, amounts, source)
    missing += sum(
        amount.start not in months and not _is_held(amount, source, given) for amount in amounts
    )
    return Figures(missing, max(0, len(unlike) - missing), not missing, quoted)


def holds_amounts(told: Told, source: Source, given: Passage | None, owner: int) -> bool:
    """Whether one context has all amounts of a claim, or denies none that the user said."""
    passage = source.passages[owner]
    return all(
        passage.holds(amount)
        or (
            given is not None and given.amounts.gives(amount) and not passage.amounts.denies(amount)
        )
        for amount in quantities(told.text, source.language, told.mark)
    )


def _is_worth_reading(claim: Said, unlike: list[int], source: Source) -> bool:
    """Whether the source may have the figures: it has much of the words, or each of the digits."""
    if claim.share_in(source.places) >= _WORTH_READING:
        return True
    return all(claim.stems[place] in source.places for place in unlike)


def _missing_months(told: Told, claim: Said, source: Source) -> int:
    stem_of = stemming.stems(source.language)
    if all(_is_plainly_there(month, stem_of[month], told, source) for month in claim.months):
        return 0
    months = months_in(told.text, source.language)
    return sum(not _has_month(month, source) for month in months)


def _is_plainly_there(month: str, stem: str, told: Told, source: Source) -> bool:
    """Whether a month is in the source by name, or a word such as "may" is none in the claim."""
    if month not in AMBIGUOUS_MONTHS:
        return source.has(stem)
    name = month.capitalize()
    return name not in told.text or source.has_word(name)


def _is_alike(stems: list[str], place: int, source: Source) -> bool:
    """Whether a number stands beside the same words in the source, as far as they matter."""
    number = stems[place]
    if number not in source.places:
        return False
    after = stems[place + 1] if place + 1 < len(stems) else ""
    before = stems[place - 1] if place else ""
    if before == "$" and not source.has_pair(before, number):
        return False
    if after and after != stemming.END:
        return source.has_pair(number, after)
    if before and before not in {stemming.NEGATION, stemming.END}:
        return source.has_pair(before, number)
    return True


def _is_held(amount: Quantity, source: Source, given: Passage | None) -> bool:
    if any(passage.holds(amount) for passage in source.passages):
        return True
    if given is None or not given.amounts.gives(amount):
        return False
    return not all(passage.amounts.denies(amount) for passage in source.passages)


def _months_of_dates(text: str, amounts: list[Quantity], source: Source) -> set[int]:
    """Return where numbers of a numeric date stand that are months which the source has by name."""
    if not _MAY_BE_DATE.search(text):
        return set()
    places = {amount.start: amount for amount in amounts}
    found = set()
    for date in _NUMERIC_DATE.finditer(text):
        # Of "3/5/2020" either may be the month: the first that the source has is it.
        starts = [date.start(group) for group in (1, 2, 3) if date.group(group)]
        for start in [place for place in starts if place in places][::-1]:
            month = places[start].readings[0]
            if month in _MONTHS and _has_month(int(month), source):
                found.add(start)
                break
    return found


def _has_month(month: int, source: Source) -> bool:
    return any(passage.has_month(month) for passage in source.passages)


def _has_address(address: str, source: Source, given: Passage | None) -> bool:
    if given is not None and given.has_address(address):
        return True
    return any(passage.has_address(address) for passage in source.passages)
