"""Is a run of digits the number of a payment card?

Issuer, length and checksum decide what can be one; a tenth of all numbers pass the checksum,
so what is plainly a piece of something else is left out: the digits of a decimal number, of a
path, of an identifier in hexadecimal. Dots and a line break are taken as separators only where
the groups are those of a card.
"""

import re
from collections.abc import Iterator, Sequence

from stdnum import luhn

CANDIDATE = r"\d(?:(?: ?- ?| {1,2}|\.|\r?\n)?\d){11,30}"
HINT = r"(?:\d[ .\r\n-]{0,3}){12}"

_LENGTHS: Sequence[tuple[str, tuple[int, ...]]] = (
    (r"4", (13, 16, 19)),
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
    (r"3[47]", (15,)),
    (r"30[0-5]|3095|36|3[89]", (14, 16, 17, 18, 19)),
    (r"6011|64[4-9]|65|62|35(?:2[89]|[3-8])", (16, 17, 18, 19)),
    (r"2131|1800", (15,)),
    (r"5018|5020|5038|5893|6304|6759|676[1-3]|0604", (13, 14, 15, 16, 17, 18, 19)),
)
_ISSUERS = tuple((re.compile(prefix), lengths) for prefix, lengths in _LENGTHS)
# What a text calls a card may be one of the rarer kinds, too.
_RARE = re.compile(r"50|5[6-8]|6304|6390|67|0604|9792|8[12]")
_GROUPINGS = frozenset(
    {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 1), (4, 4, 4, 4, 2)}
)
_MAX_GROUPS, _MAX_DIGITS, _MIN_DIGITS = 6, 19, 12

_GROUP = re.compile(r"\d+")
# A comma is a decimal one behind a number that stands alone; else it parts the fields of a row.
_FRACTION_BEFORE = re.compile(r"\d\.\Z|(?:^|[\s(=:])[+-]?\d{1,3},\Z")
_FRACTION_AFTER = re.compile(r"\.\d|,\d{1,2}(?![\w,/]| \d)")
_IN_ROW = re.compile(r"[,;|\t]['\" ]?\Z")
_RUN_BEFORE = re.compile(r"[0-9A-Za-z]+-\Z")
_RUN_AFTER = re.compile(r"-[0-9A-Za-z]+")
_HEXADECIMAL = re.compile(r"-?(?:[0-9]*[A-Fa-f][0-9A-Fa-f]*|[0-9]{8,})-?")
_ANNOUNCED = re.compile(
    r"(?i)\b(?:card|visa|mastercard|maestro|amex|karte|carte|tarjeta|carta|cartão|kaart)\b"
    r"[^\d\n]{0,30}\Z"
)
# A tenth of all numbers pass the checksum: what stands behind such a word is one of those.
_IDENTIFIED = re.compile(
    r"(?i)\b(?:order|tracking|ticket|shipment|invoice|serial|sku|part|item|article|request|trace|"
    r"span|message|session|event|job|build|run|epoch|timestamp|parcel|case|ean|gtin|upc|imei|"
    r"isbn|pmid)s?"
    r"[ _.:#=-]*(?:(?:nos?|nr|num|number|ids?)\b)?[ \"'.:#=-]*(?:is |was )?\Z"
)
_CARRIED = re.compile(
    r"(?i)\b(?:usps|ups|fedex|dhl|hermes|tracking|parcel|shipment|consignment)\b[^\d\n]{0,16}\Z"
)
_NEAR, _PATH_LENGTH, _USUAL = 48, 200, 4


def card_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and digits of the card numbers within a candidate."""
    groups = [match.span() for match in _GROUP.finditer(text, start, end)]
    first = free = 0
    while first < len(groups):
        last = None if _goes_on(text, groups, first, free) else _last_group(text, groups, first)
        if last is not None:
            span = groups[first][0], groups[last][1]
            yield *span, _digits(text[slice(*span)])
            first, free = last, last + 1
        first += 1


def _goes_on(text: str, groups: Sequence[tuple[int, int]], first: int, free: int) -> bool:
    """Whether four digits in the same style stand before four: one longer number, no card."""
    if first == free or groups[first][1] - groups[first][0] != _USUAL:
        return False
    start, end = groups[first - 1]
    return end - start == _USUAL and text[end : groups[first][0]] == " "


def _last_group(text: str, groups: Sequence[tuple[int, int]], first: int) -> int | None:
    """Return the last group of a card number that starts with this group, if one does."""
    start = groups[first][0]
    for last in range(first, min(first + _MAX_GROUPS, len(groups))):
        end = groups[last][1]
        digits = _digits(text[start:end])
        if len(digits) > _MAX_DIGITS:
            return None
        is_rare = last == len(groups) - 1 and _is_rare(digits, text, start)
        if (is_rare or _is_card(digits)) and _stands_alone(text, start, end):
            return last
    return None


def _digits(written: str) -> str:
    return "".join(character for character in written if character.isdigit())


def _is_card(digits: str) -> bool:
    known = any(len(digits) in lengths and issuer.match(digits) for issuer, lengths in _ISSUERS)
    return known and len(set(digits)) > 1 and luhn.is_valid(digits)


def _is_rare(digits: str, text: str, start: int) -> bool:
    """Whether it is a number of the rarer kinds, and called a card."""
    if len(digits) < _MIN_DIGITS or not _RARE.match(digits):
        return False
    before = text[max(0, start - _NEAR) : start]
    return _ANNOUNCED.search(before) is not None and luhn.is_valid(digits)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - _NEAR) : start]
    if text[start:end].isdigit() and _is_fraction(text, before, end):
        return False
    pieces = (_RUN_BEFORE.search(before), _RUN_AFTER.match(text, end))
    if _CARRIED.search(before) or (text[start:end].isdigit() and _IDENTIFIED.search(before)):
        return False
    if any(piece and _HEXADECIMAL.fullmatch(piece.group()) for piece in pieces):
        return False
    return _is_grouped(text[start:end], before) and not _is_in_path(text, start)


def _is_fraction(text: str, before: str, end: int) -> bool:
    """Whether the digits are those before or behind a decimal sign."""
    if _FRACTION_BEFORE.search(before):
        return True
    return _FRACTION_AFTER.match(text, end) is not None and not _IN_ROW.search(before)


def _is_grouped(written: str, before: str) -> bool:
    """Whether the separators are spaces, or the groups are those of a card."""
    if "." not in written and "\n" not in written:
        return (
            "-" not in written or _lengths(written) in _GROUPINGS or bool(_ANNOUNCED.search(before))
        )
    plain = written.replace("\r", "")
    if plain.count("\n") > 1 or ("." in plain and (" " in plain or "-" in plain)):
        return False
    whole = plain.replace("\n", "")
    if whole.isdigit():  # two lines of eight digits are rather two numbers
        return _ANNOUNCED.search(before) is not None
    return any(_lengths(form) in _GROUPINGS for form in (plain, whole))


def _lengths(written: str) -> tuple[int, ...]:
    return tuple(len(group) for group in _GROUP.findall(written))


def _is_in_path(text: str, start: int) -> bool:
    """Whether the digits are a piece of a path or of a URL before its query."""
    words = text[max(0, start - _PATH_LENGTH) : start].split()
    if text[start - 1 : start].isspace() or not words or not start:
        return False
    return words[-1].endswith("/") or ("://" in words[-1] and "?" not in words[-1])
