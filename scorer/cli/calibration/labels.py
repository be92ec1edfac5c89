"""Labels of samples: which value counts as bad, and labelled spans."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from scorer.cli.calibration.spans import TypedSpan
from scorer.errors import PermanentError

_BAD = frozenset({"1", "true", "yes", "fail", "bad"})
_GOOD = frozenset({"0", "false", "no", "pass", "good"})
# A label of this form is shown in an error; a longer one may be a text with anything in it.
_WORDS = re.compile(r"[A-Za-z][A-Za-z _-]{0,39}|-?\d{0,3}\.?\d{1,3}")
# The usual names of types in labelled data, and what our findings call them.
ALIASES: Mapping[str, str] = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "US_SSN": "ssn",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
}


def field_of(document: Mapping[str, Any], path: str) -> Any:
    """Return a field of a sample, `a.b` inside objects; None when it is not there."""
    if path in document:
        return document[path]
    value: Any = document
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def is_bad(value: Any, bad_values: Collection[str] = ()) -> bool:
    """Return what a label says; `bad_values` replaces the usual words (1, true, yes, fail, bad).

    Raises:
        PermanentError: the value is no label.
    """
    text = _plain(value)
    if bad_values:
        return text in bad_values
    if text.casefold() in _BAD:
        return True
    if text.casefold() in _GOOD:
        return False
    shown = f"the label {text!r}" if _WORDS.fullmatch(text) else "the label"
    raise PermanentError(
        f"{shown} is neither 0/1 nor true/false; --bad VALUE,.. says which are bad"
    )


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, str | int | float) else type(value).__name__


def spans_of(value: Any, types: Mapping[str, str], length: int) -> list[TypedSpan]:
    """Return labelled spans `{type, start, end}` of a text, with their types renamed.

    Raises:
        PermanentError: it is no list of spans, or one of them is not within the text.
    """
    spans: list[TypedSpan] = []
    for item in value if isinstance(value, list) else [value]:
        try:
            kind, start, end = item["type"], item["start"], item["end"]
        except (TypeError, KeyError):
            raise PermanentError("a labelled span is {type, start, end}") from None
        if not isinstance(kind, str) or type(start) is not int or type(end) is not int:
            raise PermanentError("a labelled span has a text as type, and whole offsets")
        if not 0 <= start < end <= length:
            raise PermanentError(
                f"the span {start} to {end} is not within the answer, which has {length} characters"
            )
        spans.append((types.get(kind, kind.lower()), start, end))
    return spans
