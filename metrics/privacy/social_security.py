"""Is it a social security number of the United States?

By its groups, or nine digits behind a word that says so. Areas, groups and serials that are
never given are left out, and so is what a text calls the number of an order or a part.
"""

import re

from metrics.privacy.labels import Label
from metrics.privacy.phone_words import is_announced

_SAID = (
    r"(?i:\bssn|social[ _]?sec(?:urity)?\.?(?:[ _]?(?:number|num|no\.?))?|"
    r"\bsocial(?: is|:| ?#))[^\d\n]{0,40}\n?[ \t]{0,8}"
)
CANDIDATE = (
    rf"\d{{3}}-\d{{2}}-\d{{4}}|\d{{3}} \d{{2}} \d{{4}}|\d{{3}} - \d{{2}} - \d{{4}}|"
    rf"{_SAID}\d{{3}}\.?\d{{2}}\.?\d{{4}}"
)
HINT = r"\d{3} ?- ?\d{2} ?- ?\d|\d{3} \d{2} \d|(?i:ssn|social[ _]?sec|social(?: is|:| ?#))"

_PARTS = re.compile(r"(\d{3})( - |[- .]?)(\d{2})\2(\d{4})$")
_NEAR = 40


def span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the number in a candidate stands, if it is one."""
    found = _PARTS.search(text[start:end])
    if found is None:
        return None
    area, _, group, serial = found.groups()
    if area in {"000", "666"} or area[0] == "9" or group == "00" or serial == "0000":
        return None
    first = start + found.start()
    if found.start() == 0 and _is_else(text, first, end):
        return None
    return first, end


def _is_else(text: str, start: int, end: int) -> bool:
    """Whether it is called the number of a thing or of a phone."""
    label = Label(text[max(0, start - _NEAR) : start])
    return label.is_thing or is_announced(text, start, end)
