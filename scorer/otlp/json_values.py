"""JSON values to the values of protobuf fields, by the rules of OTLP/JSON.

A value that does not fit its field raises `InvalidError`, whose text names field and value
(cut to a bounded length).
"""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.json_text import marks

_ID_BYTES = {"trace_id": 16, "span_id": 8, "parent_span_id": 8}
_SMALL = 1024 * 1024
_MIN_PER_OBJECT = 6
_MAX_DIGITS = 400  # the largest double has 309
# What may be shown of a document in an error: a name such as "SPAN_KIND_CLIENT", no content.
_NAME = re.compile(r"[A-Za-z][A-Za-z_.]{0,39}[0-9]{0,3}")
_NUMBER = re.compile(r"-?[0-9]{1,32}(\.[0-9]{1,32})?([eE][+-]?[0-9]{1,4})?")


class InvalidError(ValueError):
    """A value that does not fit its field."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"key {shown(twice)} stands twice in one object")
    return found


def _no_constant(text: str) -> None:
    raise ValueError(f'{text} is no JSON; OTLP/JSON writes "{text}"')


def _any_integer(text: str) -> float:
    """Read an integer of any length; beyond every double it is an infinity, as 1e999 is."""
    return int(text) if len(text) <= _MAX_DIGITS else float(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
# It calls back for every integer, which takes four times as long.
_PATIENT_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_any_integer
)

_T = TypeVar("_T")


def _decode(read: Callable[[json.JSONDecoder], _T]) -> _T:
    try:
        return read(_DECODER)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python refuses integers of thousands of digits; or a key stands twice
        return read(_PATIENT_DECODER)


def parse_json(body: bytes | str) -> Any:
    """Parse one JSON document: strict, in UTF-8, without duplicate keys.

    Raises:
        PermanentError: It is none, has a duplicate key, or nests too deeply.
        TooLargeError: It is made of tiny objects that would take far more memory.
    """
    with _json_errors():
        text = body.decode("utf-8-sig") if isinstance(body, bytes) else body
        _refuse_hollow(text)
        return _decode(lambda decoder: decoder.decode(text))


def iter_json(body: bytes) -> Iterator[Any]:
    """Parse the JSON documents that stand one after the other in a text.

    Raises:
        PermanentError: As `parse_json`, when the generator comes to the bad document.
    """
    with _json_errors():
        text = body.decode("utf-8-sig")
    _refuse_hollow(text)
    at = _skip_space(text, 0)
    while at < len(text):
        with _json_errors():
            document, at = _decode(partial(_next, text, at))
        yield document
        at = _skip_space(text, at)


def _next(text: str, at: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    return decoder.raw_decode(text, at)


def _refuse_hollow(text: str) -> None:
    # An empty object of three characters becomes seventy bytes. Real requests have one object
    # in twenty characters or more.
    most = len(text) // _MIN_PER_OBJECT
    if len(text) <= _SMALL or text.count("{") + text.count("[") <= most:
        return
    found = marks(text.encode(errors="replace"))
    if found.objects + found.arrays > most:
        raise TooLargeError(f"too many tiny objects in JSON of {len(text)} characters")


def _skip_space(text: str, at: int) -> int:
    while text.startswith((" ", "\t", "\r", "\n"), at):
        at += 1
    return at


@contextmanager
def _json_errors() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise PermanentError(f"the JSON is not UTF-8 (at byte {error.start})") from error
    except ValueError as error:
        raise PermanentError(f"this is no JSON: {error}") from error
    except RecursionError as error:
        raise PermanentError("the JSON nests too deeply") from error


def converter(field: FieldDescriptor) -> Callable[[Any], Any]:
    """Return what turns a JSON value into the value of a scalar field, or raises InvalidError."""
    if field.type == FieldDescriptor.TYPE_BYTES:
        if (size := _ID_BYTES.get(field.name)) is not None:
            return partial(_hex, field.name, size)
        return partial(_base64, field.name)
    by_type: dict[int, Callable[[str, Any], Any]] = {
        FieldDescriptor.CPPTYPE_STRING: _string,
        FieldDescriptor.CPPTYPE_BOOL: _bool,
        FieldDescriptor.CPPTYPE_DOUBLE: _double,
        FieldDescriptor.CPPTYPE_ENUM: _enum,
    }
    return partial(by_type.get(field.cpp_type, _integer), field.name)


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidError(f"{name} is a string, not {json_kind(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair: a sender cut a text inside an emoji
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _hex(name: str, size: int, value: Any) -> bytes:
    text = _string(name, value)
    try:
        raw = binascii.unhexlify(text)
    except ValueError as error:
        raise InvalidError(f"{name} is {2 * size} hex digits, not {shown(text)}") from error
    if raw and len(raw) != size:
        raise InvalidError(f"{name} has {len(raw)} bytes, not {size}")
    return raw


def _base64(name: str, value: Any) -> bytes:
    text = _string(name, value).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError as error:
        raise InvalidError(f"{name} is base64: {error}") from error


def _bool(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidError(f"{name} is true or false, not {json_kind(value)}")


def _double(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InvalidError(f"{name} is a number, not {json_kind(value)}")
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise InvalidError(f"{name} is a number, not {shown(value)}") from error


def _enum(name: str, value: Any) -> int:
    if isinstance(value, str):
        raise InvalidError(f"{name} is an integer in OTLP/JSON, not the name {shown(value)}")
    return _integer(name, value)


def _integer(name: str, value: Any) -> int:
    """Take an integer, or a number or text that is integral; protobuf checks the range."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) <= 20:
        return int(value)
    if isinstance(value, float) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        number = Decimal(value)
        # The bound keeps a text like 1e999999999 from becoming an integer of that length.
        if abs(number) < 2**64 and number == int(number):
            return int(number)
    raise InvalidError(f"{name} is an integer, not {shown(value)}")


def shown(value: Any) -> str:
    """Return a value for an error text: names and broken numbers; of all else what it is."""
    if isinstance(value, str):
        return repr(value) if _NAME.fullmatch(value) else f"a text of {len(value)} characters"
    return repr(str(value)) if isinstance(value, float) else json_kind(value)


def json_kind(value: Any) -> str:
    """Name the JSON type of a value, for an error text."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")
