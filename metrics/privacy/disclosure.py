"""Does a text hold a known value of the user, however it is written?"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import accumulate, islice
from typing import Any

from metrics.privacy.folding import fold

MAX_KEYS = 50
MIN_LENGTH = 4  # shorter values stand in any text by chance
_MAX_VALUES = 10
_MAX_VALUE = 1_000
_MAX_DEPTH = 4
_MAX_DIGITS = 40
_MIN_DIGITS = 7  # with fewer, a number with separators is as likely a date or a count
_SUBSCRIBER = 9  # the last digits of a phone number, without country code or trunk prefix
_PREFIX = 4
_RUN = re.compile(r"\d+(?:[ ().+/-]{1,3}\d+)*")
_NUMBER = re.compile(r"[+(]?\d[\d ().+/-]*")
_DIGITS = re.compile(r"\d+")


def values_of(given: Any) -> list[str]:
    """Return the first 10 texts and numbers in a value that are long enough to look for."""
    return list(islice((v for v in map(str.strip, _leaves(given)) if _fits(v)), _MAX_VALUES))


def normal(name: str) -> str:
    """Return the name of a key or category in lower case with one "_" between words."""
    return "_".join(re.findall(r"[^\W_]+", plain_words(name)))


def plain_words(text: str) -> str:
    """Return a text in lower case, with "e-mail" as one word."""
    return text.casefold().replace("e-mail", "email")


class Disclosed:
    """A text, prepared for looking up values in it.

    A value is there when it stands between the bounds of words, in any case and any typographic
    shape. One of 7 or more digits may be grouped in any way; a number that begins with "+" or
    "0" also counts without its country code or trunk prefix.
    """

    def __init__(self, text: str) -> None:
        self._text = _plain(text)

    def holds(self, value: str) -> bool:
        """Whether the value stands in the text."""
        wanted = _plain(value)
        return self._as_written(wanted) or self._as_number(wanted)

    def _as_written(self, wanted: str) -> bool:
        if not wanted or wanted not in self._text:  # nearly always, so this is quick
            return False
        before = r"(?<![\w.%+-])" if "@" in wanted else r"(?<![^\W_])"
        before = before if wanted[0].isalnum() else ""
        after = r"(?![^\W_])" if wanted[-1].isalnum() else ""
        return re.search(before + re.escape(wanted) + after, self._text) is not None

    def _as_number(self, wanted: str) -> bool:
        if not _NUMBER.fullmatch(wanted):
            return False
        digits = "".join(_DIGITS.findall(wanted))
        if not _MIN_DIGITS <= len(digits) <= _MAX_DIGITS:
            return False
        tail = digits[-_SUBSCRIBER:] if wanted[0] in "+(0" and len(digits) > _SUBSCRIBER else digits
        longest = len(digits) + (_PREFIX if tail != digits else 0)
        return any(number.ends_with(tail, longest) for number in self._numbers)

    @cached_property
    def _numbers(self) -> list["_Digits"]:
        """The digits that may belong together."""
        return [_Digits(run) for run in _RUN.findall(self._text)]


class _Digits:
    """The digits of groups that stand side by side."""

    def __init__(self, run: str) -> None:
        groups = _DIGITS.findall(run)
        self._digits = "".join(groups)
        self._ends = list(accumulate(map(len, groups)))
        self._starts = {0, *self._ends}

    def ends_with(self, tail: str, longest: int) -> bool:
        """Whether whole groups in a row end with these digits, in `longest` digits at most."""
        if tail not in self._digits:
            return False
        return any(
            self._digits.endswith(tail, 0, end)
            and not self._starts.isdisjoint(range(max(0, end - longest), end - len(tail) + 1))
            for end in self._ends
        )


def _plain(text: str) -> str:
    return " ".join(fold(text).text.casefold().split())


def _fits(value: str) -> bool:
    return MIN_LENGTH <= len(value) <= _MAX_VALUE


def _leaves(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif depth < _MAX_DEPTH and isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item, depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, depth + 1)
