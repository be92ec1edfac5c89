"""Street addresses: a word that names a kind of street, with a house number beside it.

The forms: "12 Main Street", "12 rue de Rivoli", "Calle Mayor 7", "Hauptstraße 5", "PO Box 9".
Only a line's nearest words are looked at, so the work per candidate is bounded.
"""

import re
from collections.abc import Sequence

_AFTER_NAME = (
    "street|avenue|road|boulevard|lane|drive|court|terrace|highway|parkway|crescent|place|square|"
    "way|st|ave|rd|blvd|ln|dr|ct|pl|sq|hwy|pkwy"
)
_BEFORE_NAME = (
    "rue|avenue|boulevard|place|chemin|allée|impasse|quai|calle|avenida|paseo|plaza|via|viale|"
    "corso|piazza|rua|praça"
)
_GLUED_ON = r"straße|strasse|str\.|weg|platz|allee|gasse|straat|laan"
# RE2 finds the kind of street; what stands around it decides.
CANDIDATE = rf"(?i)\b(?:{_AFTER_NAME}|{_BEFORE_NAME})\b|(?:{_GLUED_ON})|\bp\.? ?o\.? ?box\b"
# The same with the house number, which rules out most texts at once.
HINT = (
    rf"\d[A-Za-z]?\)?,?\s+(?:[^a-z\s]\S*\s+){{1,4}}(?i:{_AFTER_NAME})\b|"
    rf"\d[A-Za-z]?\)?,?\s+(?:bis |ter )?(?i:{_BEFORE_NAME})\b|"
    rf"(?i:\b(?:{_BEFORE_NAME})\s+(?:\S+\s+){{1,6}}(?:n[º°.])?\d)|"
    rf"(?i:(?:{_GLUED_ON}) \d)|(?i:\bp\.? ?o\.? ?box \d)"
)

_WORD = re.compile(r"\S+")
_HOUSE = re.compile(r"\(?(\d{1,5}[A-Za-z]?),?")
_HOUSE_AFTER = re.compile(r"(?:n[º°.])?\d{1,4}[a-z]?\b")
_BOX = re.compile(r" \d{1,6}\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PARTICLES = frozenset(
    "de du des la le les l d del della dei di da do dos das van der den bis ter".split()  # noqa: SIM905 - a table
)
_GLUED = frozenset(_GLUED_ON.replace("\\", "").split("|"))
_NAME_FIRST = frozenset(_AFTER_NAME.split("|"))
_KIND_FIRST = frozenset(_BEFORE_NAME.split("|"))
# "take place Sunday, November 20", "on August 19 via Netflix": dates, not houses.
_CALENDAR = re.compile(
    r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|"
    r"apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?|sat|sun|fri"
)
_SENTENCE_WORDS = frozenset({"The", "A", "An", "In", "On", "At", "It", "He", "She", "They", "We"})
# What stands at or is called so is a building that is spoken of, not where somebody lives.
_BUILDING = re.compile(
    r"(?i)(?:\b(?:building|house|tower|library|museum|hotel|theat(?:er|re)|church|station|campus|"
    r"headquarters)\b[^.\n]{0,20}\b(?:at|on|as)|\bknown as|\bcalled) \Z"
)
_IS_ONE = re.compile(r",? (?:is|was) an? ")
_BEHIND, _AHEAD, _MAX_NAME = 60, 60, 4


def span_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the address around the kind of street at [start, end) stands, if it is one."""
    span = _span_around(text, start, end)
    if span is None or _IS_ONE.match(text, span[1]):
        return None
    return None if _BUILDING.search(text, max(0, span[0] - _BEHIND), span[0]) else span


def _span_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    kind = text[start:end].casefold()
    line_start = text.rfind("\n", max(0, start - _BEHIND), start) + 1 or max(0, start - _BEHIND)
    line_end = text.find("\n", end, end + _AHEAD)
    before = list(_WORD.finditer(text, line_start, start))
    after = list(_WORD.finditer(text, end, line_end if line_end >= 0 else end + _AHEAD))
    if kind.endswith("box"):
        box = _BOX.match(text, end)
        return (start, box.end()) if box else None
    if kind in _GLUED:
        return _number_after(text, before, start, end)
    if kind in _NAME_FIRST:
        number = _number_before(before)
        if number is not None:
            return number, end
    return _kind_first(before, after, start) if kind in _KIND_FIRST else None


def _number_before(before: Sequence[re.Match[str]]) -> int | None:
    """Walk back over one to four capitalised words to a house number."""
    for taken, word in enumerate(reversed(before)):
        if taken and _HOUSE.fullmatch(word.group()):
            return None if _is_dated(before, len(before) - 1 - taken) else word.start()
        plain = word.group()
        if taken >= _MAX_NAME or not _is_capitalised(plain) or plain in _SENTENCE_WORDS:
            return None
    return None


def _is_dated(before: Sequence[re.Match[str]], index: int) -> bool:
    """Whether the number is a year or a day: "in 2024 Wall Street", "Aug 24 Duo Highway"."""
    word = before[index - 1].group() if index > 0 else ""
    if _CALENDAR.fullmatch(word.strip(".,")):
        return True
    return _YEAR.fullmatch(before[index].group()) is not None and word.isalpha()


def _number_after(
    text: str, before: Sequence[re.Match[str]], start: int, end: int
) -> tuple[int, int] | None:
    """Take "Hauptstraße 5" or "Alte Gasse 5": a capitalised word, then the number."""
    number = _HOUSE_AFTER.match(text, end + 1) if text[end : end + 1] == " " else None
    if number is None:
        return None
    glued = before and before[-1].end() == start
    name_start = before[-1].start() if glued else start
    return (name_start, number.end()) if text[name_start].isupper() else None


def _kind_first(
    before: Sequence[re.Match[str]], after: Sequence[re.Match[str]], start: int
) -> tuple[int, int] | None:
    """Take "12 rue de Rivoli" or "Calle Mayor 7": a name behind, a number on either side."""
    named = 0
    for count, word in enumerate(after):
        number = _HOUSE_AFTER.match(word.group())
        if named and number:
            return start, word.start() + number.end()
        plain = word.group().strip(",.").replace("’", "'").rpartition("'")[2]
        if _CALENDAR.fullmatch(plain):
            return None
        if _is_capitalised(plain):
            named = named or word.start() + len(word.group().rstrip(",.;"))
        elif plain not in _PARTICLES or count > _MAX_NAME:
            break
    house = before[-1] if before else None
    if house and house.group() in {"bis", "ter"}:
        house = before[-2] if len(before) > 1 else None
    if (
        named
        and house
        and _HOUSE.fullmatch(house.group())
        and not _is_dated(before, len(before) - 1)
    ):
        return house.start(), named
    return None


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper()
