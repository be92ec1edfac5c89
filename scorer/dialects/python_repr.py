"""Read Python reprs, which some instrumentations put where JSON belongs.

A repr such as `ToolCall(name='f', arguments={'a': 1})` or `{'a': 1}` is parsed, never
evaluated: the syntax tree is walked and only literals and constructor calls are taken. A
call becomes a dict of its keyword arguments, with its name under `CLASS`. Enum members
(`<Role.USER: 'user'>`) become their value. Length and nesting are bounded, because the
parser's cost and recursion are not.
"""

import ast
import re
from functools import lru_cache
from typing import Any

CLASS = "__class__"
LIMIT = 16_384  # characters
_DEPTH = 60
_CALL = re.compile(r"[A-Z]\w{0,60}\(")
_ENUM = re.compile(r"<[A-Za-z_]\w*(?:\.\w+)+: ('[^'<>]{0,80}'|-?\d{1,12})>")
# What matters in the text of a Pydantic model: quoted text, brackets, and where a field begins.
_PIECE = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[(\[{]|[)\]}]|\s+([A-Za-z_]\w{0,60})=", re.DOTALL
)
_NAME = re.compile(r"([A-Za-z_]\w{0,60})=")
_FIELDS_START = re.compile(r"[A-Za-z_]\w{0,60}=\S")
_QUOTES = frozenset({"'", '"'})
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_OPEN = re.compile(r"[(\[{]")


class NotARepr(ValueError):  # noqa: N818 - reads as what it says
    """The text is no Python repr, or too large to look at."""


def is_repr(text: str) -> bool:
    """Tell whether a text begins like the repr of an object."""
    return _CALL.match(text) is not None


# A repr in an output is read twice: for the messages, and for the answer.
@lru_cache(maxsize=16)
def parse_repr(text: str) -> Any:
    """Return the structure behind a repr; raise NotARepr when there is none."""
    if len(text) > LIMIT or _too_deep(text):
        raise NotARepr("too large")
    try:
        tree = ast.parse(_ENUM.sub(r"\1", text.strip()), mode="eval")
        return _value(tree.body, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotARepr("not a Python repr") from error


def fields_in(text: str) -> dict[str, Any] | None:
    """Return the fields of the text of a Pydantic model (`a='x' b=1`), None for any other text.

    What is no literal stays text.
    """
    if len(text) > LIMIT or _FIELDS_START.match(text) is None:
        return None
    starts = [match] if (match := _NAME.match(text)) else []
    depth = 0
    for piece in _PIECE.finditer(text, starts[0].end() if starts else 0):
        if piece.group(1) is not None and depth == 0:
            starts.append(piece)
        elif piece.group() in _OPENING:
            depth += 1
        elif piece.group() in _CLOSING:
            depth -= 1
    if len(starts) < 2:
        return None
    ends = [*(start.start() for start in starts[1:]), len(text)]
    values = [text[start.end() : end].strip() for start, end in zip(starts, ends, strict=True)]
    if any(value[:1] in _QUOTES and not _is_quoted(value) for value in values):
        return None
    return {
        start.group(1): _field_value(value) for start, value in zip(starts, values, strict=True)
    }


def _is_quoted(value: str) -> bool:
    whole = _PIECE.match(value)
    return whole is not None and whole.end() == len(value)


def _field_value(value: str) -> Any:
    try:
        return _value(ast.parse(value, mode="eval").body, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value


def _too_deep(text: str) -> bool:
    # Runs of prefix operators nest without brackets, so they count as well.
    return len(_OPEN.findall(text)) > 2_000 or any(run in text for run in ("----", "~~~~", "++++"))


def _value(node: ast.expr, depth: int) -> Any:
    if depth > _DEPTH:
        raise NotARepr("nested too deep")
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {
                str(_value(key, depth + 1)): _value(value, depth + 1)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_value(item, depth + 1) for item in items]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Call(func=ast.Name(id=name), args=[], keywords=words):
            fields = {word.arg: _value(word.value, depth + 1) for word in words if word.arg}
            return {CLASS: name, **fields}
        case _:
            raise NotARepr("holds something that is no literal")
