import gzip
import zlib

import pytest

from scorer.errors import PermanentError, TooLargeError
from scorer.receivers.bounded_body import MAX_GZIP_MEMBERS, BoundedBody, GzipBody, PlainBody

LIMIT = 1000


def read(body: BoundedBody, data: bytes, step: int = 7) -> bytes:
    for start in range(0, len(data), step):
        for _ in body.feed(data[start : start + step]):
            pass
    return body.finish()


def test_plain_body_is_what_was_fed():
    """A plain body is its pieces, in order."""
    assert read(PlainBody(LIMIT), bytes(range(256))) == bytes(range(256))


def test_plain_body_may_reach_its_limit_but_not_pass_it():
    """A body of exactly the limit is taken, one byte more is not."""
    assert len(read(PlainBody(LIMIT), b"x" * LIMIT)) == LIMIT
    with pytest.raises(TooLargeError, match="max_request_size"):
        read(PlainBody(LIMIT), b"x" * (LIMIT + 1))


@pytest.mark.parametrize("step", [1, 3, 10_000])
def test_gzip_body_is_inflated_wherever_it_is_cut(step):
    """The pieces of a gzip body may be cut anywhere."""
    data = bytes(range(256)) * 3
    assert read(GzipBody(LIMIT), gzip.compress(data), step) == data


@pytest.mark.parametrize("step", [1, 5, 10_000])
def test_every_member_of_a_gzip_body_is_read(step):
    """A second member is part of the body; stopping after the first would lose spans."""
    data = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two")
    assert read(GzipBody(LIMIT), data, step) == b"one two"


@pytest.mark.parametrize("step", [1, 10_000])
def test_zeros_after_a_member_are_padding(step):
    """Zeros between and after members are skipped, as gzip does."""
    data = gzip.compress(b"one") + bytes(9) + gzip.compress(b"two") + bytes(100)
    assert read(GzipBody(LIMIT), data, step) == b"onetwo"


@pytest.mark.parametrize("size", [2**20 - 1, 2**20, 2**20 + 1, 5 * 2**20])
def test_a_body_of_many_steps_is_whole(size):
    """What inflates to more than is inflated at once loses nothing at the seams."""
    data = gzip.compress(b"x" * size) * 2
    for step in (1, 1000, len(data)):
        assert read(GzipBody(2 * size), data, step) == b"x" * size * 2


def test_empty_gzip_body_is_empty():
    """No bytes at all inflate to no bytes."""
    assert read(GzipBody(LIMIT), b"") == b""


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT])
def test_gzip_body_may_reach_its_limit(size):
    """The limit is of inflated bytes, and inclusive."""
    assert read(GzipBody(LIMIT), gzip.compress(b"x" * size)) == b"x" * size


def test_gzip_body_stops_at_its_limit():
    """A small body that inflates beyond the limit is refused at the limit."""
    with pytest.raises(TooLargeError):
        read(GzipBody(LIMIT), gzip.compress(b"x" * (LIMIT + 1)))


def test_members_share_one_limit():
    """The limit is of the whole body, not of a member."""
    with pytest.raises(TooLargeError):
        read(GzipBody(LIMIT), gzip.compress(b"x" * 600) * 2)


def test_compressed_bytes_are_limited_too():
    """A body that is over the limit as sent is refused even if it inflates to little."""
    empty_blocks = b"\0\0\0\xff\xff" * LIMIT
    header = gzip.compress(b"")[:10]
    with pytest.raises(TooLargeError):
        read(GzipBody(LIMIT), header + empty_blocks)


def test_members_are_counted():
    """Empty members without end are refused: they cost CPU and never reach the size limit."""
    data = gzip.compress(b"") * (MAX_GZIP_MEMBERS + 1)
    with pytest.raises(PermanentError, match="members"):
        read(GzipBody(len(data)), data, 65536)


def test_a_bad_check_sum_is_refused():
    """Damage inside a member is an error, not data."""
    data = bytearray(gzip.compress(b"hello"))
    data[-5] ^= 1
    with pytest.raises(PermanentError, match="damaged"):
        read(GzipBody(LIMIT), bytes(data))


@pytest.mark.parametrize("data", [b"not gzip", zlib.compress(b"zlib"), b"\0" * 20])
def test_what_is_no_gzip_is_refused(data):
    """Other bytes, zlib's format among them, are refused; so are leading zeros."""
    with pytest.raises(PermanentError, match="damaged"):
        read(GzipBody(LIMIT), data)


def test_garbage_after_a_member_is_refused():
    """What follows a member is another member or padding."""
    with pytest.raises(PermanentError, match="damaged"):
        read(GzipBody(LIMIT), gzip.compress(b"one") + b"garbage")


@pytest.mark.parametrize("kept", [1, 12, 20])
def test_a_cut_gzip_body_is_refused(kept):
    """A body that ends inside a member is cut short."""
    with pytest.raises(PermanentError, match="cut short"):
        read(GzipBody(LIMIT), gzip.compress(b"hello world")[:kept])
