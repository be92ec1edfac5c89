"""The body of an HTTP request, read piece by piece and never beyond a limit."""

import zlib
from collections.abc import Iterator
from typing import Final, Protocol

from scorer.errors import PermanentError, TooLargeError

MAX_GZIP_MEMBERS: Final = 4096
"""Members of one gzip body; millions of empty ones would cost CPU without adding a byte."""

_STEP = 2**20  # inflated at once, before it is copied to the body
_GZIP_WBITS = 16 + zlib.MAX_WBITS


class BoundedBody(Protocol):
    """Collects a body; its pieces may be cut anywhere."""

    def feed(self, piece: bytes) -> Iterator[None]:
        """Take the next piece step by step; raises TooLargeError or PermanentError.

        A step adds at most a MiB to the body, so that one can look at the memory in between.
        """
        ...

    def finish(self) -> bytes:
        """Return the whole body; raises PermanentError when it is cut short."""
        ...


class PlainBody:
    """A body that is sent as it is, of at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._body = bytearray()

    def feed(self, piece: bytes) -> Iterator[None]:
        """Take the next piece; raises TooLargeError."""
        _check_size(len(self._body) + len(piece), self._limit)
        self._body += piece
        return iter(())

    def finish(self) -> bytes:
        """Return the whole body."""
        return bytes(self._body)


class GzipBody:
    """A gzip body of at most `limit` bytes, before and after it is inflated.

    A gzip file may have several members, which must be read to the end: a decompressor stops
    after the first and leaves the rest as "unused data". Zeros between and after members are
    padding, as gzip itself has it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._body = bytearray()
        self._received = 0
        self._members = 0
        self._member: zlib._Decompress | None = None  # None = between two members

    def feed(self, piece: bytes) -> Iterator[None]:
        """Inflate the next piece; raises TooLargeError, or PermanentError when it is no gzip."""
        self._received += len(piece)
        _check_size(self._received, self._limit)
        while piece:
            if self._member is None:
                piece = piece.lstrip(b"\0") if self._members else piece
                if not piece:
                    return
                self._member = self._next_member()
            piece = self._inflate(self._member, piece)
            yield

    def finish(self) -> bytes:
        """Return the inflated body; raises PermanentError when its last member is cut short."""
        if self._member is not None:
            raise PermanentError(f"the gzip body is cut short after {self._received} bytes")
        return bytes(self._body)

    def _next_member(self) -> "zlib._Decompress":
        self._members += 1
        if self._members > MAX_GZIP_MEMBERS:
            raise PermanentError(f"the gzip body has more than {MAX_GZIP_MEMBERS} members")
        return zlib.decompressobj(_GZIP_WBITS)

    def _inflate(self, member: "zlib._Decompress", piece: bytes) -> bytes:
        """Inflate a step, at most one byte over the limit; return what is still to be read."""
        room = self._limit - len(self._body)
        try:
            self._body += member.decompress(piece, min(room + 1, _STEP))
        except zlib.error as error:
            raise PermanentError(f"the gzip body is damaged: {error}") from error
        _check_size(len(self._body), self._limit)
        if not member.eof:
            return member.unconsumed_tail
        self._member = None
        return member.unused_data


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise TooLargeError(
            f"the request has more than {limit} bytes; send smaller batches, or raise "
            "receivers.otlp.http.max_request_size and assembly.memory (16 times as much)"
        )
