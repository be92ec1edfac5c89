"""Is a run of digits a phone number?

A number with a country code is one when the numbering plan says it can be one. One without is
one by its shape (the North American 3-3-4, test numbers such as 555-0123 included), by the
numbering plan of a country that writes its numbers just so, or by words near by that speak of
a phone: most numbers that people write down are valid in no plan.
"""

import re
from collections.abc import Iterator

import phonenumbers

from metrics.privacy.phone_words import is_announced, is_labelled, is_spoken_of

_SUFFIX = r"(?:(?i: ?x| ?ext\.?) ?\d{1,6})?"
# A stretch of seven and more digits; in it are the numbers.
CANDIDATE = rf"\+?\(?\d(?:[ ()./+-]{{0,4}}\d){{6,}}\)?{_SUFFIX}"
HINT = r"(?:\d[ ()./-]{0,4}){7}"
# Groups of at most five digits, with separators, parentheses, an extension; it never goes back.
_NUMBER = re.compile(
    rf"(?:\+|\b00)?\(?\d{{1,5}}+\)?(?:(?: ?[/-] ?|[ .]| {{2}})?\(?\d{{1,5}}+\)?){{1,6}}+{_SUFFIX}"
)

_EXTENSION = re.compile(r" ?(?:x|ext\.?) ?\d{1,6}$", re.IGNORECASE)
_NORTH_AMERICAN = re.compile(
    r"(?:^|(?<= ))(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}"
    r"(?: ?(?:x|ext\.?) ?\d{1,6})?(?=$| )"
)
_TEST_NUMBER = re.compile(r"555[ .-]\d{4}")
# Eight and more digits that start with a trunk zero, or with an area code in parentheses.
_GROUPED = re.compile(
    r"\(?0\d{1,5}\)?(?:[ /-]\d{2,5}){1,4}|\(0\d{1,4}\) ?\d{5,8}|"
    r"(?:\d )?\(\d{2,5}\)[ /]?\d{2,5}(?:[ -]\d{2,5}){1,3}"
)
_TRUNK = re.compile(r"\(?0\d{1,4}\)?[ /-]\d{4,9}")
_PAIRS = re.compile(r"\d{2,3}(?:[ -]\d{2}){3}|\d{2} \d{3} \d{2} \d{2}")
_DATE = re.compile(
    r"(?:19|20)\d\d[-/. ](\d{1,2})[-/. ](\d{1,2})\b|(\d{1,2})[-/.](\d{1,2})[-/.](?:19|20)?\d\d\b"
)
_YEARS = re.compile(r"(?:1[5-9]|20)\d\d ?[-/(] ?(?:1[5-9]|20)\d\d\)?")
_THOUSANDS = re.compile(r"\d{1,3}(?: \d{3})+")
_SSN_SHAPE = re.compile(r"\d{3}[ -]\d{2}[ -]\d{4}")
_BOUND_BEFORE = re.compile(r"\d[.:]$|\w[-/]$|[$€£#]$")
_BOUND_AFTER = re.compile(r"[-/:](?![^\W\d_]{3})\w|[.,]\d|%")
# Where a trunk zero is followed by long groups, and where numbers are written in pairs.
_TRUNK_REGIONS = ("DE", "GB", "NL", "IT", "AT", "FI", "SE", "CH", "JP", "IN")
_PAIR_REGIONS = ("ES", "DK", "NO", "PL")


def stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what may be a number within a candidate, in the order of the text."""
    for match in _NUMBER.finditer(text[start:end]):
        yield start + match.start(), start + match.end()


def numbers(text: str, start: int, end: int) -> Iterator[tuple[int, int, float]]:
    """Yield start, end and confidence of the phone numbers within a stretch."""
    whole = text[start:end]
    parts = [match.span() for match in _NORTH_AMERICAN.finditer(whole)]
    if not parts or whole.startswith("+") or _is_one(whole, *parts[0]):
        parts = [(0, len(whole))]
    for first, last in parts:
        sure = confidence(text, start + first, start + last)
        if sure:
            yield start + first, start + last, sure


def _is_one(whole: str, first: int, last: int) -> bool:
    """Whether what stands before the North American groups is their country code."""
    return last == len(whole) and 0 < first <= 4 and "-" not in whole and "." not in whole


def confidence(text: str, start: int, end: int) -> float:
    """Return how sure it is that text[start:end] is a phone number, 0.0 if it is none."""
    number = _EXTENSION.sub("", text[start:end])
    digits = sum(character.isdigit() for character in number)
    if not 7 <= digits <= 15:
        return 0.0
    if number.startswith("+"):
        return 0.95 if _is_possible(number) else 0.0
    return 0.0 if _is_bound(text, start, end) else _by_shape(text, start, end, number)


def national(number: str) -> str:
    """Return the last ten digits without extension: equal with and without country code."""
    digits = "".join(c for c in _EXTENSION.sub("", number) if c.isdigit())
    return digits[-10:]


def _by_shape(text: str, start: int, end: int, number: str) -> float:
    if is_labelled(text, start):
        return 0.0
    if _NORTH_AMERICAN.search(number) or _TEST_NUMBER.fullmatch(number):
        return 0.9
    if _is_date(number) or _SSN_SHAPE.fullmatch(number):
        return 0.0
    is_abroad = number.startswith("00") and _is_possible("+" + number[2:])
    if is_abroad or is_announced(text, start, end):
        return 0.8
    if is_spoken_of(text, start, is_grouped=_is_grouped(number)):
        return 0.7
    return 0.6 if _GROUPED.fullmatch(number) or _is_written_so(number) else 0.0


def _is_grouped(number: str) -> bool:
    """Whether there are groups, and others than those of a large number."""
    return not (number.isdigit() or _THOUSANDS.fullmatch(number))


def _is_date(number: str) -> bool:
    """Whether the number begins like a date, or is a span of years."""
    if _YEARS.fullmatch(number):
        return True
    found = _DATE.match(number)
    if found is None:
        return False
    first, second = sorted(int(part) for part in found.groups() if part)
    return 1 <= first <= 12 and second <= 31


def _is_bound(text: str, start: int, end: int) -> bool:
    """Whether the number is a piece of a date, an id, a price or the like."""
    before = _BOUND_BEFORE.search(text, max(0, start - 2), start)
    return bool(before or _BOUND_AFTER.match(text, end))


def _is_possible(number: str) -> bool:
    try:
        parsed = phonenumbers.parse(number, None)
    except phonenumbers.NumberParseException:
        return False
    return bool(phonenumbers.is_possible_number(parsed))


def _is_written_so(number: str) -> bool:
    """Whether a country with such a number writes it in these groups."""
    if _TRUNK.fullmatch(number):
        return any(_is_valid(number, region) for region in _TRUNK_REGIONS)
    return _PAIRS.fullmatch(number) is not None and any(
        _is_valid(number, region) for region in _PAIR_REGIONS
    )


def _is_valid(number: str, region: str) -> bool:
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    return bool(phonenumbers.is_valid_number_for_region(parsed, region))
