"""Cuts a large OTLP/JSON request into small ones.

Theory of operation. Parsed JSON takes ten times the memory of its text, so a request of 64 MiB
must never be parsed as a whole. A decoder that only skips looks up, level by level, the members
that matter, as raw text. So spans (log records, metrics) are given out as requests of about
`size` bytes, each with the resource and the scope that it had, and only these are parsed,
strictly, by `json_mapping`. Texts of tiny values are refused before, for each takes dozens of
bytes, however it is skipped.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw
from msgspec.structs import astuple

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.json_text import Marks, lone_surrogates, marks, mend_surrogates
from scorer.otlp.json_values import parse_json
from scorer.otlp.signal import TOP_KEYS, Signal

PART_SIZE: Final = 256 * 1024
"""Bytes of a part; what is not longer is not cut."""

# Of a request, of its resources, of their scopes: the key of the list.
_LISTS: Final[dict[Signal, tuple[str, str, str]]] = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
    "metrics": ("resourceMetrics", "scopeMetrics", "metrics"),
}
# What one item may take when it is parsed, in bytes; an object takes some 200, a value 60.
_MAX_ITEM: Final = 64 * 2**20
# A text has so many bytes to each object, and to each comma: the smallest value of OTLP, in an
# array, is {"intValue":"1"} with 17.
_MIN_PER_OBJECT: Final = 15
_MIN_PER_COMMA: Final = 12
# After so many elements without a part an empty one is given out, so that others get a turn.
_PAUSE: Final = 500
# A part has that many items, or more where its resource and scope are large: they come again in
# each part, and must not make a request many times as long as it was sent.
_PART_ITEMS: Final = 500
_BYTES_AN_ITEM: Final = 128
_NOTHING: Final = b"{}"
_BOM: Final = b"\xef\xbb\xbf"
_SHORT: Final = 5


class _Outer(NamedTuple):
    """What stands around a list of items."""

    keys: Sequence[str]
    group: dict[str, memoryview]
    scope: dict[str, memoryview]


def cut_json(body: bytes, signal: Signal, size: int = PART_SIZE) -> Iterator[bytes]:
    """Return requests that hold together what `body` holds, in its order.

    Raises:
        PermanentError: The body is no JSON, or not of the form of a request.
        TooLargeError: It is made of so many tiny values that it would take far more memory.
    """
    if len(body) <= size:
        yield body
        return
    if lone_surrogates(body):  # the decoder that skips takes them for an error
        text = bytearray(body)
        for _ in mend_surrogates(text):
            yield _NOTHING
        body = bytes(text)
        del text
    keys = _LISTS[signal]
    body = body.removeprefix(_BOM)
    request = _members(body, keys[0])
    _refuse_tiny(body)
    if keys[0] not in request or _is_null(request[keys[0]]):
        yield _without_values(body, keys[0], is_null=keys[0] in request)
        if keys[0] not in request:
            return
    _check_frame(body, request[keys[0]])
    yield from _cut(request, keys, size)


def _cut(request: dict[str, memoryview], keys: tuple[str, str, str], size: int) -> Iterator[bytes]:
    bare = _Bare(keys[0])
    for group_text, group in _objects(request, *keys[:2], "resource"):
        if keys[1] not in group:
            bare.add(group_text)
        for scope_text, scope in _objects(group, *keys[1:], "scope"):
            if keys[2] in scope:
                yield from _parts(_Outer(keys, group, scope), _elements(scope, keys[2]), size)
            elif not _is_null(scope_text):
                bare.add(b'{"%b":[%b]}' % (keys[1].encode(), bytes(scope_text)))
            if bare.is_due():
                yield bare.take()
        if bare.is_due():
            yield bare.take()
    if bare.is_held:
        yield bare.take()


class _Bare:
    """Resources and scopes without a list: the mapper says what is wrong with them.

    They are also what gives others a turn where very many are passed.
    """

    def __init__(self, top: str) -> None:
        self._top = top.encode()
        self._texts: list[bytes | memoryview] = []
        self._held = self._passed = 0

    @property
    def is_held(self) -> bool:
        """Whether there is any."""
        return bool(self._texts)

    def add(self, text: bytes | memoryview) -> None:
        """Add a member of the request's list, unless it is null."""
        if _is_null(text):
            return
        if len(text) > PART_SIZE:
            _refuse_hollow(bytes(text))
        self._texts.append(text)
        self._held += len(text)

    def is_due(self) -> bool:
        """Whether enough are held, or enough were passed; called once for each."""
        self._passed += 1
        return self._passed >= _PAUSE or self._held >= PART_SIZE

    def take(self) -> bytes:
        """Return a request of them."""
        texts, self._texts, self._held, self._passed = self._texts, [], 0, 0
        return b'{"%b":[%b]}' % (self._top, b",".join(texts)) if texts else _NOTHING


def _members(text: bytes | memoryview, *keys: str) -> dict[str, memoryview]:
    """Return the members of an object that have one of the keys."""
    found = astuple(_decode(_decoder(keys), text))
    members = ((key, memoryview(raw)) for key, raw in zip(keys, found, strict=True))
    return {key: raw for key, raw in members if raw}


def _is_null(raw: bytes | memoryview) -> bool:
    return bytes(raw[:_SHORT]) == b"null"


def _check_frame(text: bytes | memoryview, inner: memoryview) -> None:
    """Parse an object without its list as strictly as a small request.

    The decoder that skips sees only the last of several members with the same key.
    """
    whole = bytes(text)
    # Where the same text stands before, it is a value too (or in a text), and may as well go.
    at = whole.find(inner)
    frame = b"%b[]%b" % (whole[:at], whole[at + len(inner) :])
    del whole
    if len(frame) > PART_SIZE:
        _refuse_hollow(frame)
    parse_json(frame)


def _decode(decoder: "msgspec.json.Decoder[Any]", text: bytes | memoryview) -> Any:
    try:
        return decoder.decode(text)
    except msgspec.MsgspecError as error:
        raise PermanentError(f"this is no OTLP/JSON: {error}") from error
    except RecursionError as error:
        raise PermanentError("the JSON nests too deeply") from error


@cache
def _decoder(keys: tuple[str, ...]) -> "msgspec.json.Decoder[Any]":
    # A struct, not a dict: what has other keys is skipped.
    fields: list[tuple[str, type, Any]] = [(f"member_{n}", Raw, Raw()) for n in range(len(keys))]
    renamed = {name: key for (name, *_), key in zip(fields, keys, strict=True)}
    return msgspec.json.Decoder(msgspec.defstruct("Members", fields, rename=renamed))


def _objects(
    outer: dict[str, memoryview], key: str, inner: str, *keys: str
) -> Iterator[tuple[memoryview, dict[str, memoryview]]]:
    """Return the objects in a list, and those of their members that have one of the keys."""
    for element in _elements(outer, key):
        members = {} if _is_null(element) else _members(element, inner, *keys, "schemaUrl")
        if inner in members:
            _check_frame(element, members[inner])
        yield element, members


def _elements(outer: dict[str, memoryview], key: str) -> Iterator[memoryview]:
    text = outer.get(key)
    if text is None or _is_null(text):
        return
    for raw in _decode(_ARRAY, text):
        yield memoryview(raw)


def _parts(outer: _Outer, items: Iterator[memoryview], size: int) -> Iterator[bytes]:
    keys, group, scope = outer
    before = b"".join(
        (
            b'{"%s":[{' % keys[0].encode(),
            *_copied(group, "resource", "schemaUrl"),
            b'"%s":[{' % keys[1].encode(),
            *_copied(scope, "scope", "schemaUrl"),
            b'"%s":[' % keys[2].encode(),
        )
    )
    if len(before) > PART_SIZE:
        _refuse_hollow(before)
    # A large resource comes again in each part: then the parts are large too.
    most = max(_PART_ITEMS, len(before) // _BYTES_AN_ITEM)
    for batch in _batches(items, max(size, 4 * len(before)), most):
        yield before + b",".join(batch) + b"]}]}]}" if batch else _NOTHING


def _copied(members: dict[str, memoryview], *keys: str) -> Iterator[bytes]:
    for key in keys:
        if key in members:
            yield b'"%s":%s,' % (key.encode(), bytes(members[key]))


def _batches(items: Iterator[memoryview], size: int, most: int) -> Iterator[list[memoryview]]:
    """Return the items by about `size` bytes; an empty list now and then, where they are null."""
    batch: list[memoryview] = []
    held = nulls = 0
    for item in items:
        if _is_null(item):
            nulls += 1
            if nulls % _PAUSE == 0:
                yield []
            continue
        if len(item) > size:
            _refuse_hollow(bytes(item))
        batch.append(item)
        held += len(item)
        if held >= size or len(batch) >= most:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _refuse_tiny(body: bytes) -> None:
    room = len(body) + PART_SIZE
    rough = Marks(body.count(b"{"), body.count(b"["), body.count(b","))
    if _are_tiny(rough, room) and _are_tiny(marks(body), room):
        raise TooLargeError(f"too many tiny values in JSON of {len(body)} bytes")


def _are_tiny(found: Marks, room: int) -> bool:
    objects = found.objects + found.arrays
    return objects * _MIN_PER_OBJECT > room or found.commas * _MIN_PER_COMMA > room


def _refuse_hollow(item: bytes) -> None:
    rough = Marks(item.count(b"{"), item.count(b"["), item.count(b","))
    if _is_hollow(rough) and _is_hollow(marks(item)):
        raise TooLargeError(f"too many tiny values in an item of {len(item)} bytes of JSON")


def _is_hollow(found: Marks) -> bool:
    return 200 * found.objects + 60 * (found.commas + found.arrays) > _MAX_ITEM


def _without_values(body: bytes, top: str, *, is_null: bool) -> bytes:
    """Return a request with the known keys of a body, for whoever reads it to say what it is."""
    known = [key for key in TOP_KEYS if key != top and _has(body, key)]
    known = known or [top if is_null else "unknown"]
    return b"{%s}" % b",".join(b'"%s":[]' % key.encode() for key in known)


def _has(body: bytes, key: str) -> bool:
    return re.search(rb'"%s"\s*:(?!\s*null)' % key.encode(), body) is not None


_ARRAY: Final = msgspec.json.Decoder(list[Raw])
