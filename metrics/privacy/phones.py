"""Is a run of digits a phone number?

A number with a country code is one when the numbering plan says it can be; one without is
one by its shape (the North American 3-3-4, test numbers such as 555-0123 included), or by a
word beside it that announces a phone.
"""

import re

import phonenumbers

# Seven and more digits in groups of at most five, with separators, parentheses, an extension.
CANDIDATE = (
    r"(?:\+|\b00)?\(?\d{1,5}\)?(?:[ ./-]{0,2}\(?\d{1,5}\)?){1,6}(?:(?i: ?x| ?ext\.?) ?\d{1,6})?"
)

_EXTENSION = re.compile(r" ?(?:x|ext\.?) ?\d{1,6}$", re.IGNORECASE)
_NORTH_AMERICAN = re.compile(
    r"(?:^|(?<= ))(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?=$| )"
)
_TEST_NUMBER = re.compile(r"555[ .-]\d{4}")
# Eight and more digits that start with a trunk zero, or with an area code in parentheses.
_GROUPED = re.compile(
    r"\(?0\d{1,5}\)?(?:[ /-]\d{2,5}){1,4}|\(\d{2,5}\) ?\d{2,5}(?:[ -]\d{2,5}){1,3}"
)
_DATE = re.compile(
    r"(?:19|20)\d\d[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d\b"
)
_SSN_SHAPE = re.compile(r"\d{3}[ -]\d{2}[ -]\d{4}")
_WORDS = (
    r"phone|tel|telephone|mobile?|cell|fax|whatsapp|sms|hotline|desk|office|telefon|handy|"
    r"téléphone|tél|portable|teléfono|móvil|telefono|cellulare|telefone|celular|telefoon"
)
_BEFORE = re.compile(
    rf"\b(?:{_WORDS}|call|contact|reach|dial|ring|anrufen|appele[rz]|llam[ae]\w{{0,4}})\b"
    r"[^\d\n]{0,20}$",
    re.IGNORECASE,
)
_NUMBERED = r"(?:nos?|nr|num|núm|numéro|número|numero|nummer|number|code|ids?)\b"
_END = r"[ .:#=-]*(?:(?:is|was|ist|est|es)\b[ :]*)?\Z"
# "part no. 555-123-4567": the words in front name the thing whose number it is.
_LABELLED = re.compile(
    r"\b(?:part|model|item|product|article|order|invoice|ticket|case|claim|policy|tracking|"
    r"shipment|serial|batch|lot|sku|isbn|ref|reference|transaction|confirmation|booking|"
    r"bestellung|artikel|rechnung|auftrag|sendung|commande|facture|pedido|factura|ordine|"
    rf"fattura|fatura|factuur|bestelling)s?\b[ .:#-]*(?:{_NUMBERED})?{_END}"
    r"|\b(?:customer|client|member|account|user|employee|bestell|artikel|rechnungs|auftrags|"
    rf"kunden|sendungs|serien|teile)[ .:#-]*{_NUMBERED}{_END}",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?:\b(?:nos?|nr|ids?)\b|[#№])[ .:#=-]*\Z", re.IGNORECASE)
_AFTER = re.compile(rf"[ -]{{0,2}}\(?(?:{_WORDS})\b", re.IGNORECASE)
_BOUND_BEFORE = re.compile(r"\d[.:]$|\w[-/]$|[$€£#]$")
_BOUND_AFTER = re.compile(r"[-/:](?![^\W\d_]{3})\w|[.,]\d|%")
_LOOK_BACK = 40


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
    if _is_labelled(text, start):
        return 0.0
    if _NORTH_AMERICAN.search(number) or _TEST_NUMBER.fullmatch(number):
        return 0.9
    if _DATE.match(number) or _SSN_SHAPE.fullmatch(number):
        return 0.0
    if _is_announced(text, start, end):
        return 0.8
    if number.startswith("00") and _is_possible("+" + number[2:]):
        return 0.8
    return 0.6 if _GROUPED.fullmatch(number) else 0.0


def _is_announced(text: str, start: int, end: int) -> bool:
    before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    return bool(before or _AFTER.match(text, end))


def _is_labelled(text: str, start: int) -> bool:
    """Whether the words in front say that the number is that of a thing."""
    before = text[max(0, start - _LOOK_BACK) : start]
    if _LABELLED.search(before):
        return True
    return _COUNTED.search(before) is not None and _BEFORE.search(before) is None


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
