"""Complete a JSON text that an attribute length limit has cut.

The text is scanned once; the last place where a value was complete is remembered,
everything after it is dropped and the brackets still open are closed. A half string is
dropped rather than kept: half a text must never be judged as if it were whole.
"""

import re
from typing import Any

from scorer.dialects.values import parse_json

LIMIT = 65_536  # characters looked at; attribute limits are far below
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+("?)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_CLOSE = {"{": "}", "[": "]"}
_STARTS = ('{"', '[{"', '["', '[["', '[[{"')


def looks_cut(text: str) -> bool:
    """Tell cheaply whether a text starts like a JSON document but does not end like one."""
    return text.startswith(_STARTS) and text[-1] not in "}]"


def salvage(text: str) -> Any:
    """Return what can be read of a JSON text that does not parse; None when it is no such text."""
    if not text.startswith(_STARTS):
        return None
    whole = complete(text)
    try:
        return None if whole is None else parse_json(whole)
    except ValueError:
        return None


def complete(text: str) -> str | None:
    """Return the longest complete prefix of a cut JSON text, closed; None when there is none."""
    text = text[:LIMIT]
    brackets: list[str] = []
    best: tuple[int, str] | None = None
    expect_value = False
    for match in _TOKEN.finditer(text):
        piece, end = match.group(), match.end()
        if match.group(1) == "":
            break  # the string in which the text was cut
        if piece in _CLOSE:
            brackets.append(piece)
        elif piece in {"}", "]"}:
            if not brackets:
                break
            brackets.pop()
            best = end, "".join(brackets)
        elif piece not in {":", ","}:
            whole = piece[0] == '"' or end < len(text)  # a bare word at the end may be half one
            if whole and (expect_value or brackets[-1:] == ["["]):
                best = end, "".join(brackets)
        expect_value = piece == ":"
    if best is None:
        return None
    return text[: best[0]] + "".join(_CLOSE[bracket] for bracket in reversed(best[1]))
