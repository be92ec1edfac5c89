"""Is a text around an at sign a mailbox, and where does it begin and end?

Also those that are written so that machines do not read them: "ann [at] example [dot] com",
"ann%40example.com", and "ann at example dot com" where the sentence speaks of mail.
"""

import re
from collections.abc import Iterator

from metrics.privacy.folding import is_unspaced

_AT = r"(?:@|%40|&#64;|&#x40;| ?[\[({<] ?(?i:at|@) ?[\])}>] ?)"
_DOT = r"(?:\.| ?[\[({<] ?(?i:dot|\.) ?[\])}>] ?)"
_TOP = r"(?:(?i:xn--[a-z0-9-]+)|[\p{L}\p{M}]{2,})"
_SPOKEN = (
    r"[A-Za-z0-9._-]+ (?i:at) [A-Za-z0-9-]+(?: (?i:dot) [A-Za-z0-9-]+){0,3} (?i:dot) [A-Za-z]{2,6}"
)
_HOST = (
    rf"(?:[\p{{L}}\p{{M}}\p{{N}}.-]+\.{_TOP}|"
    rf"[\p{{L}}\p{{N}}-]+(?:{_DOT}[\p{{L}}\p{{N}}-]+){{0,3}}{_DOT}{_TOP})"
)
CANDIDATE = rf"(?:\"[^\"\\\n]+\"|[\p{{L}}\p{{N}}.!#$%&'*+/=?^_`{{|}}~-]+){_AT}{_HOST}|{_SPOKEN}"
HINT = r"@|%40|&#x?[46]|[\[({<] ?(?i:at) ?[\])}>]|(?i: at [a-z0-9-]+ dot | dot com\b)"

_SIGN = re.compile(r"@|%40|&#64;|&#x40;|\s*[\[({<]\s*(?:at|@)\s*[\])}>]\s*| at ", re.IGNORECASE)
_PERIOD = re.compile(r"\s*[\[({<]\s*(?:dot|\.)\s*[\])}>]\s*| dot ", re.IGNORECASE)
# "ann@example.eduPhone": two words that lost the space between them.
_RUN_ON = re.compile(r"\.[a-z]{2,}(?=[A-Z][a-z])(?!\S*\.)")
_PARTINGS = "=|/`{}"  # a mailbox may hold them, but next to none does
_MARKS = frozenset("'`*/{|~-#!?$%&^")
_IMAGE_SUFFIXES = frozenset({"png", "jpg", "jpeg", "gif", "svg", "webp"})
_LOGIN = re.compile(r"://[^\s/@]*\Z")
_OF_MAIL = re.compile(r"(?i)\be?-?mail(?:s|ed|box)?\b|\bwrite\b|\breach\b|\bcontact\b|\baddress\b")
_NOBODY = frozenset(
    {"me", "us", "him", "her", "them", "you", "it", "look", "shop", "is", "address"}
)
_NEAR = 60


def spans(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and normal form of the mailbox in a candidate, if it is one."""
    sign = list(_SIGN.finditer(text, start, end))[-1]
    cut = _RUN_ON.search(text, sign.end(), end)
    end = cut.end() if cut else _latin_end(text, end)
    start = _start(text, start, sign.start())
    local, host = text[start : sign.start()], _PERIOD.sub(".", text[sign.end() : end])
    if not _is_mailbox(local, host) or _LOGIN.search(text, max(0, start - _NEAR), start):
        return
    if sign.group() == " at " and not _is_of_mail(text, start, end, local):
        return
    if local == "git" and text[end : end + 1] == ":":  # a repository, not a mailbox
        return
    yield start, end, f"{local}@{host}".casefold()


def _is_mailbox(local: str, host: str) -> bool:
    labels = host.split(".")
    if not local or len(local) > 64 or len(host) > 253:
        return False
    if local[0] != '"' and (".." in local or local.strip(".") != local):
        return False
    if any(not label or len(label) > 63 or label.strip("-") != label for label in labels):
        return False
    return labels[-1].casefold() not in _IMAGE_SUFFIXES  # "icon@2x.png"


def _is_of_mail(text: str, start: int, end: int, local: str) -> bool:
    """Whether "ann at example dot com" is an address: it looks like one, or mail is spoken of."""
    if local.casefold() in _NOBODY:
        return False
    around = text[max(0, start - _NEAR) : start] + text[end : end + _NEAR]
    return not local.isalpha() or _OF_MAIL.search(around) is not None


def _start(text: str, start: int, at: int) -> int:
    """Return where the mailbox starts: behind "to=", and behind marks that stand around it."""
    if text[start] == '"':
        return start
    for mark in _PARTINGS:
        start = max(start, text.rfind(mark, start, at) + 1)
    start = _latin_start(text, start, at)
    while start < at and text[start] in _MARKS:
        start += 1
    return start


def _latin_start(text: str, start: int, at: int) -> int:
    """Return where the Latin name begins that stands behind letters of an unspaced script."""
    if is_unspaced(text[at - 1]):
        return start
    return max((i + 1 for i in range(start, at) if is_unspaced(text[i])), default=start)


def _latin_end(text: str, end: int) -> int:
    """Return where a Latin top-level domain ends that an unspaced script runs on behind."""
    top = text.rfind(".", 0, end) + 1
    if is_unspaced(text[top]):
        return end
    return next((i for i in range(top, end) if is_unspaced(text[i])), end)
