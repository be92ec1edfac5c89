"""Street addresses: a word that names a kind of street, with a house number beside it.

The forms: "12 Main Street", "12 rue de Rivoli", "Calle Mayor 7", "Hauptstraße 5", "PO Box 9".
Only a line's nearest words are looked at, so the work per candidate is bounded.
"""

import re
from collections.abc import Sequence

# RE2 finds the kind of street; what stands around it decides.
CANDIDATE = (
    r"(?i)\b(?:street|avenue|road|boulevard|lane|drive|court|terrace|highway|parkway|crescent|"
    r"place|square|way|st|ave|rd|blvd|ln|dr|ct|pl|sq|hwy|pkwy|"
    r"rue|chemin|allée|impasse|quai|calle|avenida|paseo|plaza|via|viale|corso|piazza|rua|"
    r"praça)\b|(?:straße|strasse|str\.|weg|platz|allee|gasse|straat|laan)|\bp\.? ?o\.? ?box\b"
)

_WORD = re.compile(r"\S+")
_HOUSE = re.compile(r"\(?(\d{1,5}[A-Za-z]?),?")
_HOUSE_AFTER = re.compile(r"(?:n[º°.])?\d{1,4}[a-z]?\b")
_BOX = re.compile(r" \d{1,6}\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PARTICLES = frozenset(
    "de du des la le les l d del della dei di da do dos das van der den bis ter".split()  # noqa: SIM905 - a table
)
_GLUED = ("straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "straat", "laan")
_NAME_FIRST = frozenset(
    "street avenue road boulevard lane drive court terrace highway parkway crescent place square "  # noqa: SIM905 - a table
    "way st ave rd blvd ln dr ct pl sq hwy pkwy".split()
)
_KIND_FIRST = frozenset(
    "rue avenue boulevard place chemin allée impasse quai calle avenida paseo plaza via viale "  # noqa: SIM905 - a table
    "corso piazza rua praça".split()
)
_BEHIND, _AHEAD, _MAX_NAME = 60, 60, 4


def span_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the address around the kind of street at [start, end) stands, if it is one."""
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
            return None if _is_year(before, len(before) - 1 - taken) else word.start()
        if taken >= _MAX_NAME or not _is_capitalised(word.group()):
            return None
    return None


def _is_year(before: Sequence[re.Match[str]], index: int) -> bool:
    """Whether the number is rather a year: "in 2024 Wall Street"."""
    if not _YEAR.fullmatch(before[index].group()):
        return False
    return index > 0 and before[index - 1].group().isalpha()


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
        if _is_capitalised(plain):
            named = named or word.start() + len(word.group().rstrip(",.;"))
        elif plain not in _PARTICLES or count > _MAX_NAME:
            break
    house = before[-1] if before else None
    if house and house.group() in {"bis", "ter"}:
        house = before[-2] if len(before) > 1 else None
    if named and house and _HOUSE.fullmatch(house.group()):
        return house.start(), named
    return None


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper()
