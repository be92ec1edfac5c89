"""AgentUnit's detectors of personal data, exactly, in linear time.

Word boundaries and digits are Unicode-aware, which RE2's are not, so these are patterns of
`re`; each has a bounded or a possessive-like shape. The e-mail pattern would be quadratic on
a long word without "@" and is therefore matched outward from every "@".
"""

import re
from collections.abc import Callable, Iterator, Mapping

DEFAULT_WEIGHTS: dict[str, float] = {
    "email": 0.5,
    "phone": 0.6,
    "ssn": 1.0,
    "credit_card": 1.0,
    "name": 0.3,
    "address": 0.7,
}
UNLISTED_WEIGHT = 0.5

CONFIDENCE: Mapping[str, float] = {
    "email": 0.95,
    "phone": 0.90,
    "ssn": 0.98,
    "credit_card": 0.85,
    "name": 0.60,
}

_LOCAL_START = re.compile(r"\b[A-Za-z0-9._%+-]")
_LOCAL_BACKWARDS = re.compile(r"[A-Za-z0-9._%+-]*+")
# The vertical bar in the last class is the original's accident.
_HOST = re.compile(r"@[A-Za-z0-9.-]+\.[A-Z|a-z]{2,}\b")
_PHONE = re.compile(r"\b\d{3}[-.]?\d{3}[-.]?\d{4}\b")
_SSN = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")
_CARD = re.compile(r"\b\d{4}[-\s]?\d{4}[-\s]?\d{4}[-\s]?\d{4}\b")
_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


def _count(pattern: re.Pattern[str]) -> Callable[[str], int]:
    return lambda text: sum(1 for _ in pattern.finditer(text))


def _count_emails(text: str) -> int:
    return sum(1 for _ in _emails(text))


def _emails(text: str) -> Iterator[tuple[int, int]]:
    backwards = text[::-1]
    reached = 0
    at = text.find("@")
    while at >= 0:
        run = _LOCAL_BACKWARDS.match(backwards, len(text) - at)
        start = at - len(run.group()) if run else at
        first = _LOCAL_START.search(text, max(start, reached), at)
        host = _HOST.match(text, at) if first else None
        if first and host:
            yield first.start(), host.end()
            reached = host.end()
        at = text.find("@", max(at + 1, reached))


_DETECTORS: Mapping[str, Callable[[str], int]] = {
    "email": _count_emails,
    "phone": _count(_PHONE),
    "ssn": _count(_SSN),
    "credit_card": _count(_CARD),
    "name": _count(_NAME),
}


def detections(text: str) -> list[str]:
    """Return the type of each finding, in the original's order of types."""
    return [kind for kind, count in _DETECTORS.items() for _ in range(count(text))]
