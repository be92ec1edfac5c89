"""Numbers in a text with what they count: "$1.5bn", "-5 °C", "three-year warranty".

A number is read by value: with its sign, in digits or words, multiplied by what follows it
("1.5 million"). Beside it stand the words that say what it counts, a unit first: behind it
("42 kg"), before it ("$42", "Weight (kg): 42"), or behind the next number of a range or list
("3 to 5 years"). Years have none but a unit, for "In 1999 sales rose" counts no sales.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from metrics.quality import text as texts
from metrics.quality.lexicon import MONTH_NAMES, STOPWORDS
from metrics.quality.number_reader import CURRENCY, Number, numbers_in
from metrics.quality.numerals import numerals
from metrics.quality.units import Unit, meanings, unit_of

_MAX_NOUNS = 3
_NEAR = 24  # characters looked at in front of a number
_LONGEST_LINK = 10  # characters between the numbers of a range

_SIGN = re.compile(r"(?:^|(?<!\d)[ \t]|[\n\r(\[{:=|,;/*`\"'$€£¥₹])[-–−][$€£¥₹]?\Z")
_SIGN_WORD = re.compile(r"(?i)\b(?:minus|negative|moins|menos|meno) \Z")
_MINUS = ("inus ", "tive ", "oins ", "enos ", "meno ")
_DASHES = frozenset("-–−")
_CURRENCY_ENDS = frozenset("$€£¥₹₩DRPYFL")
_LABEL_ENDS = frozenset(":=|\"'")
_LABEL = re.compile(r"([^\W\d_]+|[%€$£])[)\]\"']* ?[:=|] ?[\"']?\Z")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|ère|e|ème|eme|nde)\b")
_NEXT = re.compile(
    r"\)?[ -]{0,2}(%|‰|° ?[CFcf]\b|°|[$€£¥₹₩¢]|[\u3040-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:/[a-z]+)?)"
)
_PERCENT = re.compile(r" (?:per|pour|por) (?:cent|cento|ciento)\b")
_PARTITIVE = frozenset({"of", "de", "d", "di", "van", "von", "do", "da", "du", "des"})
_RANGE = re.compile(
    r" ?(?:[-–—,/(x\u00d7]|to|and|or|bis|und|oder|à|a|et|ou|y|o|u|e|tot|en|of|through) ?"
)
# A pattern that begins with a character is fast.
_AMBIGUOUS_STOP = re.compile(r"\.\d{3}(?!\d)(?<=\d.{4})")
_AMBIGUOUS_COMMA = re.compile(r",\d{3}(?!\d)(?<=\d.{4})")
_DECISIVE = re.compile(r"\d+([.,])(?:\d{1,2}|\d{4,})")
_NUMBER_BYTES = bytes(code if chr(code) in "0123456789.," else 32 for code in range(256))
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})")
_YEAR = re.compile(r"1\d{3}|20\d{2}")


class Quantity(Struct, frozen=True):
    """A number at `start` to `end`: what it may be read as, and what it counts (a unit first).

    `parts` are the numbers of a dotted date, which may also stand apart.
    """

    start: int
    end: int
    readings: tuple[str, ...]
    nouns: tuple[str, ...] = ()
    unit: Unit | None = None
    parts: tuple[str, ...] = ()


def quantities(text: str, language: str, mark: str | None = None) -> list[Quantity]:
    """Return the numbers of a normalised text in order; `mark` is its decimal mark if known."""
    return described(text, language, numbers_in(text, language, mark))


def described(text: str, language: str, numbers: Sequence[Number]) -> list[Quantity]:
    """Return the numbers of a text with what they count."""
    found = [_described(text, language, *number) for number in numbers]
    for place in range(len(found) - 2, -1, -1):
        here, after = found[place], found[place + 1]
        link = text[here.end : min(after.start, here.end + _LONGEST_LINK + 1)]
        alike = after.nouns and not here.nouns and not _YEAR.fullmatch(text, here.start, here.end)
        if alike and _RANGE.fullmatch(link):
            found[place] = replace(here, nouns=after.nouns, unit=after.unit)
    return found


def decimal_mark(text: str, language: str) -> str | None:
    """Return the decimal mark of a text in which "1.000" or "1,000" occurs, None if unsure.

    It is that of the language that its own words suggest, unless its other numbers disagree.
    """
    if not _AMBIGUOUS_COMMA.search(text) and not _AMBIGUOUS_STOP.search(text):
        return None
    own = texts.language_of(text, default=language)
    usual = {"english": ".", "spanish": None}.get(own, ",")
    numbers = set(text.encode().translate(_NUMBER_BYTES).decode().split())
    used = {match.group(1) for match in map(_DECISIVE.fullmatch, numbers) if match}
    return usual if used <= {usual} else None


def _described(
    text: str, language: str, start: int, end: int, readings: tuple[str, ...]
) -> Quantity:
    """Add sign, unit and nouns to a number."""
    before = text[max(0, start - _NEAR) : start]
    parts = date_parts(readings[0])
    if _is_negative(before):
        readings = tuple(f"-{reading}" for reading in readings)
    if text[end : end + 1].isalpha() and (ordinal := _ORDINAL.match(text, end)):
        end = ordinal.end()
    nouns, unit = _counted(text, end, language)
    if unit is None and _YEAR.fullmatch(text, start, end):
        nouns = ()
    labelled = _unit_before(before, labels=not nouns)
    if labelled is not None:
        nouns, unit = (labelled.name, *nouns), labelled
    return Quantity(start, end, readings, nouns, unit, parts)


def date_parts(reading: str) -> tuple[str, ...]:
    """Return the numbers of a dotted date, none for another number."""
    return tuple(texts.parts_of(reading)) if _DATE.fullmatch(reading) else ()


def _is_negative(before: str) -> bool:
    # Most numbers stand behind a plain space: the patterns are for the others.
    if not _DASHES.isdisjoint(before[-2:]):
        return _SIGN.search(before) is not None
    return before.endswith(_MINUS) and _SIGN_WORD.search(before) is not None


def _unit_before(before: str, *, labels: bool) -> Unit | None:
    """Return the currency in front of a number, else the unit of its label ("Weight (kg): 5")."""
    last = before.rstrip(" -–−")[-1:]
    label = None
    if last in _CURRENCY_ENDS:
        label = CURRENCY.search(before)
    if label is None and labels and last in _LABEL_ENDS:
        label = _LABEL.search(before)
    return unit_of(label.group(1)) if label else None


def _counted(text: str, end: int, language: str) -> tuple[tuple[str, ...], Unit | None]:
    """Return what stands behind a number: at most three nouns, a unit first."""
    if text[end : end + 2] == " p" and _PERCENT.match(text, end):
        return ("percent",), unit_of("%")
    place = end
    nouns: list[str] = []
    unit: Unit | None = None
    while len(nouns) < _MAX_NOUNS and (match := _NEXT.match(text, place)):
        token, place = match.group(1), match.end()
        found = _unit(token, language)
        if found is not None and unit is None and len(nouns) < _MAX_NOUNS - 1:
            unit = found
            nouns.insert(0, found.name)
        elif found is not None and unit is not None and found.name in meanings(unit.name):
            unit, nouns[0] = found, found.name  # "degrees Celsius"
        elif token.casefold() in _PARTITIVE:
            continue
        elif not _is_noun(token, language):
            break
        else:
            nouns.append(texts.stem(language, token.casefold()))
    return tuple(nouns), unit


def _unit(token: str, language: str) -> Unit | None:
    """Return the unit that a token is; the "an" that is a French year is an English article."""
    if len(token) > 1 and token.casefold() in STOPWORDS[language]:
        return None
    return unit_of(token.replace(" ", "")) or unit_of(token.partition("/")[0])


def _is_noun(token: str, language: str) -> bool:
    """Whether a word may be what a number counts; a name, or a month, is not."""
    word = token.casefold()
    if word in STOPWORDS[language] or word in MONTH_NAMES[language]:
        return False
    if word in numerals(language).all:
        return False
    if texts.is_unspaced(token):
        return True
    return len(token) > 1 and (token.islower() or language == "german")
