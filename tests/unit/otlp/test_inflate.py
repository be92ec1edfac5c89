"""Opening stored streams."""

import gzip
import io
import random
import resource

import pytest
import zstandard

from scorer.errors import PermanentError
from scorer.otlp.inflate import inflate_zstd, open_source

DATA = b"".join(
    b"%d %s\n" % (n, random.Random(n).randbytes(30).hex().encode()) for n in range(9000)
)
HALF = len(DATA) // 2


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


class OneByteAtATime(io.RawIOBase):
    """A stream without peek or read1 that hands out as little as it may, like a slow pipe."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, 1))


@pytest.mark.parametrize(
    "stored",
    [
        DATA,
        gzip.compress(DATA),
        gzip.compress(DATA[:HALF]) + gzip.compress(DATA[HALF:]),
        zstd(DATA),
        zstd(DATA[:HALF]) + zstd(DATA[HALF:]),
        gzip.compress(zstd(DATA)),
    ],
    ids=["plain", "gzip", "gzip members", "zstd", "zstd frames", "both"],
)
def test_plain_gzip_and_zstd_read_alike(stored):
    """All members and frames are read, whatever the stream beneath."""
    source = open_source(io.BytesIO(stored))

    assert source.read() == DATA
    assert source.problem == ""


def test_a_stream_may_be_slow():
    """Short reads are joined."""
    assert open_source(OneByteAtATime(DATA[:1000])).peek(100)[:1000] == DATA[:1000]


@pytest.mark.parametrize("layers", [1, 2])
def test_a_gzip_stream_that_breaks_off_gives_what_came_before(layers):
    """A truncated file is still worth reading, and says so."""
    stored = gzip.compress(DATA)
    if layers == 2:
        stored = gzip.compress(stored, compresslevel=0)
    source = open_source(io.BytesIO(stored[: len(stored) * 3 // 4]))

    read = source.read()

    assert DATA.startswith(read)
    assert len(read) > HALF
    assert "ended before" in source.problem


def test_a_broken_zstd_stream_gives_what_came_before():
    """The frames before the damage are good."""
    source = open_source(io.BytesIO(zstd(DATA) + b"\x28\xb5\x2f\xfd" + b"\xff" * 20))

    assert source.read() == DATA
    assert "zstd" in source.problem


@pytest.mark.parametrize("frames", [1, 2])
def test_a_zstd_stream_that_breaks_off_says_so(frames):
    """The end of the input is not the end of the data; what came before is read."""
    stored = zstd(DATA[:1000]) * (frames - 1) + zstd(DATA)
    source = open_source(io.BytesIO(stored[: len(stored) * 3 // 4]))

    read = source.read()

    assert (DATA[:1000] * (frames - 1) + DATA).startswith(read)
    assert len(read) > HALF
    assert "ended before" in source.problem


@pytest.mark.parametrize("cut", [1, 4, 5])
def test_a_zstd_frame_without_its_last_bytes_is_cut(cut):
    """Its checksum or last block may lie in them."""
    stored = zstandard.ZstdCompressor(write_checksum=True).compress(DATA)

    source = open_source(io.BytesIO(stored[:-cut]))
    source.read()

    assert "ended before" in source.problem


def test_empty_and_skippable_zstd_frames_are_passed_over():
    """They are whole frames without content."""
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    source = open_source(io.BytesIO(zstd(b"") + zstd(DATA) + skippable + zstd(b"end")))

    assert source.read() == DATA + b"end"
    assert source.problem == ""


def test_a_bomb_is_inflated_only_as_far_as_it_is_read():
    """A gigabyte of zeros costs a buffer."""
    bomb = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(bomb, closefd=False) as writer:
        for _ in range(1024):
            writer.write(bytes(1024 * 1024))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert open_source(io.BytesIO(bomb.getvalue())).read(1000) == bytes(1000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_a_zstd_record_is_bounded():
    """What a record claims to inflate to is not believed."""
    assert inflate_zstd(zstd(b"x" * 100), 100) == b"x" * 100
    with pytest.raises(PermanentError, match="more than 99 bytes"):
        inflate_zstd(zstd(b"x" * 100), 99)
    with pytest.raises(PermanentError, match="broken zstd"):
        inflate_zstd(b"\x28\xb5\x2f\xfdxxxxxxxxxxxxxxx", 100)
    with pytest.raises(PermanentError, match=r"broken zstd.*ended before"):
        inflate_zstd(zstd(b"x" * 100)[:-1], 100)
