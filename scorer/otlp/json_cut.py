"""Cuts a large OTLP/JSON request into small ones.

Theory of operation. Parsed JSON takes ten times the memory of its text, so a request of 64 MiB
must never be parsed as a whole. A decoder that only skips finds where each span (log record,
metric) begins and ends; they are given out as requests of about `size` bytes, each with the
resource and the scope that it had, and only these are parsed, strictly, by `json_mapping`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw

from scorer.errors import PermanentError, TooLargeError
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


def cut_json(body: bytes, signal: Signal, size: int = PART_SIZE) -> Iterator[bytes]:
    """Return requests that hold together what `body` holds, in its order.

    Raises:
        PermanentError: The body is no JSON, or not of the form of a request.
        TooLargeError: One item is made of so many values that it would take far more memory.
    """
    if len(body) <= size:
        yield body
        return
    request = _skim(body, signal)
    _refuse_repeated_keys(body, request, signal)
    keys = _LISTS[signal]
    if request.groups is None:
        yield _without_values(body)
    for group in _each(request.groups):
        for scope in _each(group.scopes):
            yield from _parts(keys, group, scope, size)


def _skim(body: bytes, signal: Signal) -> Any:
    try:
        return _DECODERS[signal].decode(body.removeprefix(b"\xef\xbb\xbf"))
    except msgspec.MsgspecError as error:
        raise PermanentError(f"this is no OTLP/JSON: {error}") from error
    except RecursionError as error:
        raise PermanentError("the JSON nests too deeply") from error


def _without_values(body: bytes) -> bytes:
    """Return a request with the known keys of a body, for whoever reads it to say what it is."""
    known = [key for key in TOP_KEYS if _count(rb'"%s"\s*:', key, body)]
    return b"{%s}" % b",".join(b'"%s":[]' % key.encode() for key in known or ["unknown"])


def _count(pattern: bytes, key: str, body: bytes) -> int:
    return sum(1 for _ in re.finditer(pattern % key.encode(), body))


def _each(items: list[Any] | None) -> list[Any]:
    return [item for item in items or () if item is not None]


def _parts(keys: Sequence[str], group: Any, scope: Any, size: int) -> Iterator[bytes]:
    before = b"".join(
        (
            b'{"%s":[{' % keys[0].encode(),
            *_member(b"resource", group.resource),
            *_member(b"schemaUrl", group.schema_url),
            b'"%s":[{' % keys[1].encode(),
            *_member(b"scope", scope.scope),
            *_member(b"schemaUrl", scope.schema_url),
            b'"%s":[' % keys[2].encode(),
        )
    )
    # A large resource comes again in each part: then the parts are large too.
    for items in _batches(scope.items or (), max(size, 4 * len(before))):
        yield before + b",".join(items) + b"]}]}]}"


def _member(key: bytes, value: Raw) -> tuple[bytes, ...]:
    raw = bytes(value)
    return (b'"%s":' % key, raw, b",") if raw else ()


def _batches(items: Iterable[Raw], size: int) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    held = 0
    for raw in items:
        item = bytes(raw)
        if len(item) > size:
            _refuse_hollow(item)
        batch.append(item)
        held += len(item)
        if held >= size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _refuse_hollow(item: bytes) -> None:
    values = item.count(b",") + item.count(b"[")
    if 200 * item.count(b"{") + 60 * values > _MAX_ITEM:
        raise TooLargeError(f"too many tiny values in an item of {len(item)} bytes of JSON")


def _refuse_repeated_keys(body: bytes, request: Any, signal: Signal) -> None:
    """Refuse what would be lost: of a key that stands twice in one object only one was seen."""
    groups = _each(request.groups)
    scopes = [scope for group in groups for scope in _each(group.scopes)]
    seen = (
        request.groups is not None,
        sum(group.scopes is not None for group in groups),
        sum(scope.items is not None for scope in scopes),
    )
    for key, count in zip(_LISTS[signal], seen, strict=True):
        found = _count(rb'"%s"\s*:(?!\s*null)', key, body)
        if found > count:
            raise PermanentError(f"key {key!r} stands twice in one object, or where it is unknown")


def _decoder(keys: tuple[str, str, str]) -> "msgspec.json.Decoder[Any]":
    absent = Raw()
    scope = msgspec.defstruct(
        "Scope",
        [("scope", Raw, absent), ("schema_url", Raw, absent), ("items", list[Raw] | None, None)],
        rename={"schema_url": "schemaUrl", "items": keys[2]},
    )
    scopes = list[scope | None] | None  # type: ignore[valid-type]
    group = msgspec.defstruct(
        "Group",
        [("resource", Raw, absent), ("schema_url", Raw, absent), ("scopes", scopes, None)],
        rename={"schema_url": "schemaUrl", "scopes": keys[1]},
    )
    groups = list[group | None] | None  # type: ignore[valid-type]
    request = msgspec.defstruct("Request", [("groups", groups, None)], rename={"groups": keys[0]})
    return msgspec.json.Decoder(request)


_DECODERS: Final = {signal: _decoder(keys) for signal, keys in _LISTS.items()}
