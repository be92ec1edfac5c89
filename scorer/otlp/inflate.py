"""Opens stored bytes as a plain stream, inflating gzip and zstd piece by piece.

Nothing is inflated ahead of what the reader takes, so a compression bomb costs no more memory
than one buffer. A stream that breaks off ends there, and `Source.problem` says why: what came
before the break is still good.
"""

import gzip
import io
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Final, Protocol

import zstandard

from scorer.errors import PermanentError

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

_BUFFER = 256 * 1024
_MAX_LAYERS = 3
# A zstd block of 4 bytes may inflate to 128 KiB, so this much makes at most 16 MiB.
_ZSTD_PIECE = 512


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Source(io.BufferedReader):
    """A buffered plain stream over possibly compressed bytes; `problem` = why it broke off."""

    def __init__(self, stream: _Readable, below: "Source | None" = None) -> None:
        self._layer = _Layer(stream)
        self._below = below
        super().__init__(self._layer, _BUFFER)

    @property
    def problem(self) -> str:
        """What went wrong while reading, `""` as long as nothing did."""
        return self._layer.problem or (self._below.problem if self._below else "")


class _Layer(io.RawIOBase):
    """Fills whole buffers, and turns an error of the stream below into its end."""

    def __init__(self, stream: _Readable) -> None:
        self.problem = ""
        # read1 hands out what there is; read would lose it when the stream breaks meanwhile.
        self._read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        filled = 0
        try:
            while filled < len(buffer) and not self.problem:
                piece = self._read(len(buffer) - filled)
                if not piece:
                    break
                buffer[filled : filled + len(piece)] = piece
                filled += len(piece)
        except (EOFError, OSError, zlib.error, zstandard.ZstdError) as error:
            self.problem = str(error) or type(error).__name__
        return filled


def open_source(stream: BinaryIO) -> Source:
    """Open a stream; gzip (also many members) and zstd (also many frames) are inflated."""
    source = Source(stream)
    for _ in range(_MAX_LAYERS):
        head = source.peek(4)
        if head.startswith(GZIP_MAGIC):
            source = Source(gzip.GzipFile(fileobj=source), source)
        elif head.startswith(ZSTD_MAGIC):
            source = Source(_ZstdFrames(source), source)
        else:
            break
    return source


class _ZstdFrames:
    """The plain bytes of zstd frames that follow each other.

    The library's own reader takes the end of the input for the end of the data, even in the
    middle of a frame; here each frame must come to its end.
    """

    def __init__(self, stream: _Readable) -> None:
        self._stream = stream
        self._inflate = zstandard.ZstdDecompressor().decompressobj()
        self._is_inside = False
        self._input = b""
        self._plain = io.BytesIO()

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, b"" at the end; raises EOFError in a cut frame."""
        while not (piece := self._plain.read(size)):
            if not self._take_in():
                return b""
        return piece

    def _take_in(self) -> bool:
        data = self._input or self._stream.read(_ZSTD_PIECE)
        self._input = b""
        if not data:
            if self._is_inside:
                raise EOFError("the zstd frame ended before its end-of-frame mark was reached")
            return False
        self._plain = io.BytesIO(self._inflate.decompress(data))
        self._is_inside = not self._inflate.eof
        if self._inflate.eof:
            self._input = self._inflate.unused_data
            self._inflate = zstandard.ZstdDecompressor().decompressobj()
        return True


def inflate_zstd(data: bytes, limit: int) -> bytes:
    """Inflate one zstd record.

    Raises:
        PermanentError: It is broken, cut off, or larger than `limit` bytes.
    """
    source = Source(_ZstdFrames(io.BytesIO(data)))
    plain = source.read(limit + 1)
    if source.problem:
        raise PermanentError(f"broken zstd: {source.problem}")
    if len(plain) > limit:
        raise PermanentError(f"a zstd record inflates to more than {limit} bytes")
    return plain
