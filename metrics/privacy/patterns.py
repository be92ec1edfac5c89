"""Finding personal data in a text: RE2 candidates, then validation in Python.

Typographic characters are read as the plain ones that they stand for (`folding`); offsets are
those of the text as it was. One RE2 set says in a single pass which kinds can occur at all;
only those are searched. RE2 runs in linear time whatever the text, and no text makes a
validation more than linear: what a pattern can match is bounded, and so is the number of
candidates. Boundaries are checked in Python because RE2's are ASCII only. Where two kinds claim
the same characters, the one that validates more strictly wins (the order of `KINDS`).
"""

import ipaddress
import re
from collections.abc import Callable, Iterator, Sequence

import re2
from msgspec import Struct
from msgspec.structs import replace
from stdnum import iban as iban_numbers

from metrics.privacy import (
    addresses,
    cards,
    mailboxes,
    national_ids,
    phones,
    secrets,
    social_security,
)
from metrics.privacy.folding import Folded, fold, is_unspaced

_VERSION = re.compile(
    r"(?i)\b(?:v|ver|versions?|release[sd]?|build|firmware|revision|section|chapter|clause|oid|"
    r"table|figure|fig|article|para|paragraph|item|step|annex|appendix|requirement)"
    r"[ .:=]{0,2}\Z"
)
_PRODUCT = re.compile(r"(?:^|[\s(\"])[A-Za-z][\w.-]*/\Z")  # "nginx/1.25.3.1"
_IBAN_START = re.compile(r"[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])")
_IBAN_PART = re.compile(r"[^ -]+")
_OWN = frozenset({"127.0.0.1", "127.0.1.1", "::1", "::"})  # the machine itself
_NOBODYS = frozenset({0, 255})  # "any address", netmasks

MAX_CANDIDATES = 10_000


class Finding(Struct, frozen=True):
    """Personal data at `start` to `end` of a text; `value` is its normal form, for comparing.

    `value` never leaves the metric.
    """

    kind: str
    start: int
    end: int
    value: str
    confidence: float


class _Detector(Struct, frozen=True):
    """`check` gets the text and the span of a candidate and yields findings within it.

    `hint` matches wherever `pattern` does, at a fraction of its size: a set of the patterns
    themselves would outgrow RE2's memory and then silently match nothing.
    """

    hint: str
    pattern: str
    check: Callable[[str, int, int], Iterator[Finding]]


def _emails(text: str, start: int, end: int) -> Iterator[Finding]:
    for first, last, value in mailboxes.spans(text, start, end):
        yield Finding("email", first, last, value, 0.95)


def _cards(text: str, start: int, end: int) -> Iterator[Finding]:
    if not _touches(text, start, end, also="+"):
        for card_start, card_end, digits in cards.card_spans(text, start, end):
            yield Finding("credit_card", card_start, card_end, digits, 0.99)


def _ssns(text: str, start: int, end: int) -> Iterator[Finding]:
    found = social_security.span(text, start, end)
    if found and not _touches(text, *found, also="+-"):
        digits = "".join(c for c in text[slice(*found)] if c.isdigit())
        yield Finding("ssn", *found, digits, 0.98)


def _ibans(text: str, start: int, end: int) -> Iterator[Finding]:
    # The candidate may begin with another word, and run on into those behind the number.
    for begin in _IBAN_START.finditer(text, start, end):
        first = begin.start()
        if first < start:
            continue
        for part in _IBAN_PART.finditer(text, first, end):
            compact = re.sub("[ -]", "", text[first : part.end()]).upper()
            if len(compact) > 34:
                break
            is_long = len(compact) >= 15 and not _touches(text, first, part.end())
            if is_long and iban_numbers.is_valid(compact):
                yield Finding("iban", first, part.end(), compact, 0.99)
                start = part.end()
                break


def _ips(text: str, start: int, end: int) -> Iterator[Finding]:
    if _touches(text, start, end) or _is_numbering(text, start, end):
        return
    value = text[start:end]
    value = value if value.endswith("::") else value.rstrip(".:")
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return
    is_nobodys = address.version == 4 and address.packed[0] in _NOBODYS
    if is_nobodys or address.compressed in _OWN:
        return
    if ":" in value and _is_code(value):
        return
    yield Finding("ip", start, start + len(value), address.compressed, 0.9)


def _is_code(value: str) -> bool:
    """Whether what reads as an IPv6 address is rather `dead::beef`, or a slice as `[1::2]`."""
    groups = [group for group in value.split(":") if group]
    is_short = len(groups) < 3 and len(value.partition(":")[0]) < 3
    return (is_short and "." not in value) or not any(map(str.isdigit, value))


def _is_numbering(text: str, start: int, end: int) -> bool:
    """Whether the number is that of a version or a section, or goes on in more parts."""
    before = text[max(0, start - 16) : start]
    after = text[end : end + 2]
    return bool(
        (before[-1:] == "." and before[-2:-1].isdigit())
        or (after[:1] == "." and after[1:].isdigit())
        or _VERSION.search(before)
        or (after[:1] != ":" and _PRODUCT.search(before))
    )


def _addresses(text: str, start: int, end: int) -> Iterator[Finding]:
    span = addresses.span_around(text, start, end)
    if span:
        value = " ".join(text[slice(*span)].casefold().split())
        yield Finding("address", *span, value, 0.7)


def _phones(text: str, start: int, end: int) -> Iterator[Finding]:
    for stretch in phones.stretches(text, start, end):
        if _touches(text, *stretch):
            continue
        for first, last, confidence in phones.numbers(text, *stretch):
            yield Finding("phone", first, last, phones.national(text[first:last]), confidence)


def _secrets(text: str, start: int, end: int) -> Iterator[Finding]:
    for first, last in secrets.secret_spans(text, start, end):
        yield Finding("secret", first, last, text[first:last], 0.95)


def _national_ids(text: str, start: int, end: int) -> Iterator[Finding]:
    written = text[start:end]
    if not _touches(text, start, end, also="+#-") and national_ids.is_id(written):
        value = re.sub("[ .-]", "", written).upper()
        yield Finding("national_id", start, end, value, 0.8)


def _names(text: str, start: int, end: int) -> Iterator[Finding]:
    if not _touches(text, start, end):
        yield Finding("name", start, end, text[start:end].casefold(), 0.6)


def _moved(finding: Finding, folded: Folded) -> Finding:
    start, end = folded.span(finding.start, finding.end)
    return replace(finding, start=start, end=end)


def _touches(text: str, start: int, end: int, also: str = "") -> bool:
    """Whether a candidate is a piece of a longer word or number."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return any((c.isalnum() and not is_unspaced(c)) or c == "_" or c in also for c in around)


_DETECTORS: dict[str, _Detector] = {
    "secret": _Detector(secrets.HINT, secrets.CANDIDATE, _secrets),
    "iban": _Detector(
        r"[A-Za-z]{2}\d{2}[ -]?[A-Za-z0-9]", r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}", _ibans
    ),
    "credit_card": _Detector(cards.HINT, cards.CANDIDATE, _cards),
    "ssn": _Detector(social_security.HINT, social_security.CANDIDATE, _ssns),
    "email": _Detector(mailboxes.HINT, mailboxes.CANDIDATE, _emails),
    "ip": _Detector(
        r"\d\.\d{1,3}\.\d|:[0-9a-fA-F]{0,4}:",
        r"\d{1,3}(?:\.\d{1,3}){3}|"
        r"[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){1,6}:\d{1,3}(?:\.\d{1,3}){3}|"
        r"[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}",
        _ips,
    ),
    "phone": _Detector(phones.HINT, phones.CANDIDATE, _phones),
    "national_id": _Detector(national_ids.HINT, national_ids.CANDIDATE, _national_ids),
    "address": _Detector(addresses.HINT, addresses.CANDIDATE, _addresses),
    "name": _Detector(r"[^\x00-@] ", r"\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)? \p{Lu}\p{Ll}+", _names),
}
# Their patterns name characters beyond ASCII; the others see a "?" there.
_WORDED = frozenset({"secret", "email", "address", "name"})
KINDS: tuple[str, ...] = tuple(_DETECTORS)
_ON_REQUEST = frozenset({"name", "national_id"})
DEFAULT_KINDS: tuple[str, ...] = tuple(kind for kind in KINDS if kind not in _ON_REQUEST)


class Finder:
    """Finds the chosen kinds of personal data in texts.

    Raises:
        ValueError: a kind is unknown.
    """

    def __init__(self, kinds: Sequence[str] = DEFAULT_KINDS) -> None:
        unknown = sorted(set(kinds) - set(KINDS))
        if unknown:
            raise ValueError(f"unknown kinds {unknown}; known: {list(KINDS)}")
        self._kinds = [kind for kind in KINDS if kind in kinds]
        self._patterns = [re2.compile(_DETECTORS[kind].pattern) for kind in self._kinds]
        self._worded = {i for i, kind in enumerate(self._kinds) if kind in _WORDED}
        self._any = re2.Set.SearchSet()
        for kind in self._kinds:
            self._any.Add(_DETECTORS[kind].hint)
        self._any.Compile()

    def may_find(self, text: str) -> bool:
        """Whether anything hints at a finding; False is sure, also for any part of the text."""
        return bool(self._kinds) and bool(self._any.Match(fold(text).text))

    def find(self, text: str) -> list[Finding]:
        """Return the findings in a text, by kind, then by place; none overlaps another."""
        if not self._kinds:
            return []
        folded = fold(text)
        safe = folded.text
        # One byte a character spares RE2 the counting of characters.
        plain = safe.encode("ascii", "replace")
        data = plain if safe.isascii() else safe
        hints = self._any.Match(data)
        if not hints:
            return []
        found: list[Finding] = []
        taken = bytearray(len(safe))
        for index in sorted(hints):
            for finding in self._of_kind(index, safe, data if index in self._worded else plain):
                if not any(taken[finding.start : finding.end]):
                    found.append(finding)
                    taken[finding.start : finding.end] = b"\1" * (finding.end - finding.start)
        return found if folded.places is None else [_moved(item, folded) for item in found]

    def _of_kind(self, index: int, text: str, data: str | bytes) -> Iterator[Finding]:
        check = _DETECTORS[self._kinds[index]].check
        for count, candidate in enumerate(self._patterns[index].finditer(data)):
            if count >= MAX_CANDIDATES:
                return
            yield from check(text, *candidate.span())
