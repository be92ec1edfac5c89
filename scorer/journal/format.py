"""The bytes of a segment file.

    segment = header, header again, record*, zeros up to the preallocated size
    header  = magic 8s, version u32, first u64, follows u64, marker 4s, seed u32, crc u32
    record  = marker 4s, length u32, offset u64, crc u32, payload

All numbers are little-endian. `first` is the lowest offset that the segment may hold and is
also its file name; `follows` is the offset that came next when the segment was begun: lower
than `first` when offsets were skipped on purpose. The header stands there twice, since
without it nothing else can be read. Magic and version keep their place in every version.

Marker and seed are drawn anew for each segment. Payloads come from outside, and after damage
records are looked for by their marker: one that a payload only pretends to be must not be
found, nor cost anything. The checksum starts from the seed and covers length, offset and
payload. It is CRC-32: it finds every single flipped bit and every torn tail that matters here.
"""

import os
import struct
from typing import Final, NamedTuple
from zlib import crc32

VERSION: Final = 1
# Offsets stay below; a name that says otherwise is not ours.
OFFSET_LIMIT: Final = 2**62

_MAGIC = b"SPANJRNL"
_HEADER = struct.Struct("<8sIQQ4sII")
_PREFIX = struct.Struct("<8sI")
_RECORD = struct.Struct("<4sIQI")
_CHECKED = struct.Struct("<IQ")
_CRC_SIZE = 4

HEADER_SIZE: Final = 2 * _HEADER.size
RECORD_HEAD_SIZE: Final = _RECORD.size


class Header(NamedTuple):
    """What stands at the beginning of a segment."""

    first: int
    follows: int
    marker: bytes
    seed: int

    def encode(self) -> bytes:
        """Return both copies."""
        fields = _HEADER.pack(_MAGIC, VERSION, *self, 0)[:-_CRC_SIZE]
        return 2 * (fields + struct.pack("<I", crc32(fields)))


class RecordHead(NamedTuple):
    """What stands before a payload."""

    marker: bytes
    length: int
    offset: int
    crc: int


def new_header(first: int, follows: int) -> Header:
    """Return the header of a new segment, with a marker and a seed of its own."""
    # A marker without zeros is never found in what was preallocated and not written.
    marker = bytes(byte or 1 for byte in os.urandom(4))
    return Header(first, follows, marker, int.from_bytes(os.urandom(4), "little"))


def decode_header(data: bytes) -> tuple[Header | None, str]:
    """Return the header in the first bytes of a file, and what is wrong ("" = nothing).

    There may be both: one whole copy is enough.
    """
    copies = [_decode_copy(data[at : at + _HEADER.size]) for at in (0, _HEADER.size)]
    if copies[0] is not None and copies[0] == copies[1]:
        return copies[0], ""
    whole = copies[0] or copies[1]
    if whole is not None:
        return whole, "one of the two headers is damaged"
    return None, _why_unusable(data)


def _decode_copy(data: bytes) -> Header | None:
    if len(data) < _HEADER.size:
        return None
    magic, version, first, follows, marker, seed, crc = _HEADER.unpack(data)
    is_whole = (magic, version) == (_MAGIC, VERSION) and crc == crc32(data[:-_CRC_SIZE])
    return Header(first, follows, marker, seed) if is_whole else None


def _why_unusable(data: bytes) -> str:
    if len(data) >= _PREFIX.size:
        magic, version = _PREFIX.unpack(data[: _PREFIX.size])
        if magic == _MAGIC and version != VERSION:
            return f"format version {version}, this release reads {VERSION}"
    return "it has no readable header of a segment"


def encode_record_head(header: Header, offset: int, payload: bytes) -> bytes:
    """Return what goes before the payload."""
    crc = _checksum(header, offset, payload)
    return _RECORD.pack(header.marker, len(payload), offset, crc)


def decode_record_head(data: bytes) -> RecordHead:
    """Return the head in `RECORD_HEAD_SIZE` bytes; it may be anything."""
    return RecordHead._make(_RECORD.unpack(data))


def is_whole(header: Header, head: RecordHead, payload: bytes) -> bool:
    """Whether a payload is the one that was written."""
    return len(payload) == head.length and head.crc == _checksum(header, head.offset, payload)


def _checksum(header: Header, offset: int, payload: bytes) -> int:
    return crc32(payload, crc32(_CHECKED.pack(len(payload), offset), header.seed))
