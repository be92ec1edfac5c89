"""Where accounts are kept, and what a batch of traces changes in it."""

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final, Protocol

import msgspec
from msgspec import Struct

_NAMESPACE: Final = "accounts"
_COUNTS: Final = b"counts"
_PAGE: Final = 1000


class Store(Protocol):
    """Keys and values by namespace; raises RetryableError when the disk fails."""

    async def get_many(self, namespace: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that have one."""
        ...

    async def keys(self, namespace: str, first: bytes, before: bytes, limit: int) -> list[bytes]:
        """Return the keys of a range, in order."""
        ...

    async def change(
        self, namespace: str, values: Mapping[bytes, bytes], deleted: Iterable[bytes]
    ) -> None:
        """Set and delete all of these keys, or none."""
        ...


class MemoryStore:
    """A store that ends with the process."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, bytes], bytes] = {}

    async def get_many(self, namespace: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that have one."""
        found = ((key, self._values.get((namespace, key))) for key in keys)
        return {key: value for key, value in found if value is not None}

    async def keys(self, namespace: str, first: bytes, before: bytes, limit: int) -> list[bytes]:
        """Return the keys of a range, in order."""
        own = (key for name, key in self._values if name == namespace)
        return sorted(key for key in own if first <= key < before)[:limit]

    async def change(
        self, namespace: str, values: Mapping[bytes, bytes], deleted: Iterable[bytes]
    ) -> None:
        """Set and delete these keys."""
        self._values.update({(namespace, key): value for key, value in values.items()})
        for key in deleted:
            self._values.pop((namespace, key), None)


class BookedTrace(Struct, array_like=True):
    """What is booked of a trace, and the totals of its accounts after its newest revision.

    `place` counts traces in the order of their first booking. The totals are kept because a
    revision that is scored again, after a crash, must get the same score.
    """

    place: int
    revision: int
    spans: list[str]
    totals: dict[str, dict[str, int]]


class Counts(Struct, array_like=True):
    """How much is kept; traces have the places from `first` to before `next_`."""

    accounts: int = 0
    spans: int = 0
    first: int = 0
    next_: int = 0


_encode = msgspec.json.encode
_decode_trace = msgspec.json.Decoder(BookedTrace).decode
_decode_totals = msgspec.json.Decoder(dict[str, int]).decode
_decode_counts = msgspec.json.Decoder(Counts).decode


def account_key(ends: int, *parts: Any) -> bytes:
    """Return where an account is kept; its names cannot be read back from that.

    Those that end (Unix seconds) stand in that order, behind those that are for good (0).
    """
    return b"a" + ends.to_bytes(8, "big") + _digest(parts)


def trace_key(*parts: Any) -> bytes:
    """Return where that which is booked of a trace is kept."""
    return b"t" + _digest(parts)


def _digest(parts: tuple[Any, ...]) -> bytes:
    return blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest()


def _place_key(place: int) -> bytes:
    return b"p" + place.to_bytes(8, "big")


class Draft:
    """What a batch reads and changes; nothing is written before `save`.

    Keys are loaded before they are read.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._values: dict[bytes, bytes | None] = {}
        self._changed: set[bytes] = set()
        self.counts = Counts()

    async def open(self, keys: Collection[bytes]) -> None:
        """Load the counts and these keys; raises RetryableError."""
        await self._load([_COUNTS, *keys])
        found = self._values[_COUNTS]
        self.counts = Counts() if found is None else _decode_counts(found)

    def totals(self, key: bytes) -> dict[str, int] | None:
        """Return the totals of an account, None where there is none."""
        found = self._values[key]
        return None if found is None else _decode_totals(found)

    def put_totals(self, key: bytes, totals: dict[str, int]) -> None:
        """Keep the totals of an account."""
        if self._values[key] is None:
            self.counts.accounts += 1
        self._set(key, _encode(totals))

    async def drop_ended(self, before: int) -> int:
        """Drop the accounts that ended before a time, Unix seconds; return how many."""
        first, last = account_key(1)[:9], account_key(max(before, 1))[:9]
        dropped = 0
        while keys := await self._store.keys(_NAMESPACE, first, last, _PAGE):
            for key in keys:
                if self._values.get(key, b"") is not None:
                    self._set(key, None)
                    dropped += 1
            first = keys[-1] + b"\0"
        self.counts.accounts -= dropped
        return dropped

    def trace(self, key: bytes) -> BookedTrace | None:
        """Return what is booked of a trace, None where nothing is remembered."""
        found = self._values[key]
        return None if found is None else _decode_trace(found)

    def put_trace(self, key: bytes, booked: BookedTrace, added: int) -> None:
        """Remember a trace, of which `added` spans were not remembered before."""
        if self._values[key] is None:
            booked.place = self.counts.next_
            self.counts.next_ += 1
            self._set(_place_key(booked.place), key)
        self.counts.spans += added
        self._set(key, _encode(booked))

    async def forget(self, max_spans: int) -> int:
        """Forget the oldest traces beyond a number of spans; return how many spans they had."""
        forgotten = 0
        counts = self.counts
        while counts.spans > max_spans and counts.first < counts.next_:
            place = _place_key(counts.first)
            await self._load([place])
            key = self._values[place]
            counts.first += 1
            if key is None:
                continue
            await self._load([key])
            booked = self.trace(key)
            spans = 0 if booked is None else len(booked.spans)
            counts.spans -= spans
            forgotten += spans
            self._set(place, None)
            self._set(key, None)
        return forgotten

    async def save(self) -> None:
        """Write all changes, or none; raises RetryableError."""
        if not self._changed:
            return
        self._set(_COUNTS, _encode(self.counts))
        values = {key: value for key in self._changed if (value := self._values[key]) is not None}
        await self._store.change(_NAMESPACE, values, self._changed - values.keys())

    async def _load(self, keys: Collection[bytes]) -> None:
        missing = {key for key in keys if key not in self._values}
        if missing:
            found = await self._store.get_many(_NAMESPACE, missing)
            self._values.update({key: found.get(key) for key in missing})

    def _set(self, key: bytes, value: bytes | None) -> None:
        self._values[key] = value
        self._changed.add(key)
