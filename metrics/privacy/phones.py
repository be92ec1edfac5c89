"""Is a run of digits a phone number?

A number with a country code is one when the numbering plan says it can be one. One without is
one by its shape (the North American 3-3-4, test numbers such as 555-0123 included), by the
numbering plan of a country that writes its numbers just so, or by words near by that speak of
a phone: most numbers that people write down are valid in no plan.
"""

import re
from collections.abc import Iterator

import phonenumbers

from metrics.privacy.columns import title
from metrics.privacy.phone_words import (
    is_announced,
    is_initialled,
    is_labelled,
    is_spoken_of,
    names_phones,
)

_EXTENDED = r"(?i:,? ?(?:x|ext\.?:?|extn\.?|extension)| #) ?\d{1,6}"
_SUFFIX = rf"(?:{_EXTENDED})?"
# A stretch of seven and more digits; in it are the numbers.
# "1-800-FLOWERS": the letters on the keys stand for digits.
_TOLL_FREE = r"8(?:00|33|44|55|66|77|88)\)?[ .-]"
_LETTERED = (
    rf"(?:\+?1[ .-]?)?\(?{_TOLL_FREE}"
    r"(?:\d{1,3}-?)?[A-Z][A-Z0-9]{0,8}(?:-[A-Z0-9]{1,6}){0,2}"
)
CANDIDATE = rf"(?:{_LETTERED})|\(?\+?\(?\d(?:[ ()./+-]{{0,4}}\d){{6,}}\)?{_SUFFIX}"
HINT = rf"(?:\d[ ()./-]{{0,4}}){{7}}|{_TOLL_FREE}(?:\d{{1,3}}-?)?[A-Z]"
# Groups of at most five digits, with separators, parentheses, an extension; it never goes back.
_NUMBER = re.compile(
    r"(?:\(?\+|\b00)?\(?\d{1,5}+\)?(?:(?: ?[/-] ?|[ .]| {2})?\(?\d{1,5}+\)?){1,6}+"
    rf"{_SUFFIX}"
)

_EXTENSION = re.compile(rf"{_EXTENDED}$")
_NORTH_AMERICAN = re.compile(
    r"(?:^|(?<= ))(?:1[ .-])?"
    r"(?:(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]|\(\d{3}\) ?\d{3}|\d{3}/\d{3}-|"
    r"\d{3} - \d{3} - )\d{4}"
    rf"{_SUFFIX}(?=$| )"
)
_TEST_NUMBER = re.compile(r"555[ .-]\d{4}")
# Eight and more digits that start with a trunk zero, or with an area code in parentheses.
_GROUPED = re.compile(
    r"\(?0\d{1,5}\)?(?:[ /-]\d{2,5}){1,4}|\(0\d{1,4}\) ?\d{5,8}|"
    r"(?:\d )?\(\d{2,5}\)[ /]?\d{2,5}(?:[ -]\d{2,5}){1,3}|\(0\) ?\d{2,5}(?:[ /-]\d{2,5}){1,3}|"
    r"0\d(?:\.\d\d){4}|0\d{1,3}\.\d{3}[.-]\d{4}|1[38]00 \d{3} \d{3}"
)
# Nine and more digits in groups behind a plus; the plans are not asked, for people err.
_ABROAD = re.compile(
    r"\+(?=(?:\D*\d){9})\d{1,3}(?:[ .-]?\(\d{1,4}\)|[ .-]\d{1,4})(?:[ .-]?\d{2,8}){1,4}"
)
_TRUNK = re.compile(r"\(?0\d{1,4}\)?[ /-]\d{4,9}")
_PAIRS = re.compile(r"\d{2,3}(?:[ -]\d{2}){3}|\d{2} \d{3} \d{2} \d{2}")
_DATE = re.compile(
    r"(?:19|20)\d\d[-/. ](\d{1,2})[-/. ](\d{1,2})\b|"
    r"(\d{1,2})[-/.](\d{1,2})[-/.](?:19|20)?\d\d\b(?![.-]\d)"
)
_YEARS = re.compile(r"(?:1[5-9]|20)\d\d ?[-/(] ?(?:1[5-9]|20)\d\d\)?")
_THOUSANDS = re.compile(r"\d{1,3}(?: \d{3})+")
_SSN_SHAPE = re.compile(r"\d{3}[ -]\d{2}[ -]\d{4}")
_BOUND_BEFORE = re.compile(r"\d[.:]$|\w[-/]$|::$|#$|[$€£¥] ?$")
_BOUND_AFTER = re.compile(r"[-/:](?![^\W\d_]{3})\w|\.\d|%| ?°")
_DECIMALS = re.compile(r",\d")  # behind a number in groups, the comma parts two values
_IN_PATH = re.compile(r"(?:\d|://)[^\s,;|\"'()]*/[^\s,;|\"'()]*$")
_PATH_LENGTH = 100
_LINKED = re.compile(r"(?:wa\.me/|phone=)\+?\Z")
_DECIMAL = re.compile(r"\d+\.\d{4,}")
_SURELY_LONG, _LINK = 9, 8
_PLACES = 10  # with the code
_LETTERS = re.compile(_LETTERED)
_KEYS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "22233344455566677778889999")
# Where a trunk zero is followed by long groups, and where numbers are written in pairs.
_TRUNK_REGIONS = ("DE", "GB", "NL", "IT", "AT", "FI", "SE", "CH", "JP", "IN")
_PAIR_REGIONS = ("ES", "DK", "NO", "PL")


def stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what may be a number within a candidate, in the order of the text."""
    if _is_lettered(text[start:end]):
        yield start, end
        return
    for match in _NUMBER.finditer(text[start:end]):
        yield start + match.start(), start + match.end()


def numbers(text: str, start: int, end: int) -> Iterator[tuple[int, int, float]]:
    """Yield start, end and confidence of the phone numbers within a stretch."""
    whole = text[start:end]
    if _is_lettered(whole):
        if whole.startswith(("1", "+1")) or is_announced(text, start, end):
            yield start, end, 0.8
        return
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
    if number.lstrip("(").startswith("+"):
        if _is_possible(number):
            return 0.95
        is_so_written = _ABROAD.fullmatch(number) is not None and _is_grouped(number[1:])
        return 0.8 if is_so_written or is_announced(text, start, end) else 0.0
    if _LINKED.search(text, max(0, start - _LINK), start):
        return 0.9
    return 0.0 if _is_bound(text, start, end) else _by_shape(text, start, end, number)


def national(number: str) -> str:
    """Return the last ten digits without extension: equal with and without country code."""
    plain = number.translate(_KEYS) if _is_lettered(number) else _EXTENSION.sub("", number)
    return "".join(c for c in plain if c.isdigit())[-10:]


def _is_lettered(number: str) -> bool:
    """Whether the seven places behind a toll-free code, or a few more, hold letters."""
    if not _LETTERS.fullmatch(number):
        return False
    return _PLACES <= sum(map(str.isalnum, number.lstrip("+1 .-("))) <= _PLACES + 2


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
    if not _DECIMAL.fullmatch(number):
        return _by_text(text, start, end, number)
    return 0.0


def _by_text(text: str, start: int, end: int, number: str) -> float:
    is_grouped = _is_grouped(number)
    if (is_grouped or len(number) >= _SURELY_LONG) and is_initialled(text, start):
        return 0.8
    if is_spoken_of(text, start, is_grouped=is_grouped):
        return 0.7
    if names_phones(title(text, start, end)):
        return 0.7
    if text[start - 1 : start] == "[" and text[end : end + 1] == "]":  # three numbers of a list
        return 0.0
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
    """Whether the number is a piece of a date, an id, a price, a path or the like."""
    if _BOUND_BEFORE.search(text, max(0, start - 3), start) or _BOUND_AFTER.match(text, end):
        return True
    if _DECIMALS.match(text, end) and not _is_grouped(text[start:end]):
        return True
    return _IN_PATH.search(text, max(0, start - _PATH_LENGTH), start) is not None


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
