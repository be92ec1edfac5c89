"""Whatever is sent as gzip: it is inflated whole, or refused in plain words."""

import gzip
import re
import zlib

from hypothesis import given
from hypothesis import strategies as st

from scorer.errors import PermanentError, TooLargeError
from scorer.receivers.bounded_body import GzipBody

from .budget import fuzz
from .steps import within_steps
from .wire import Writer, seeds

LIMIT = 300
RESERVED = re.compile(rb"\x1f\x8b\x08[\x20-\xff]")


def random_gzip(rng):
    """Return members, some of them damaged, with padding or something else in between."""
    members = [
        gzip.compress(rng.randbytes(rng.randrange(200)), rng.choice([0, 9]), mtime=0)
        + rng.choice([b"", b"", b"\0", b"\0" * 20, b"x"])
        for _ in range(rng.randrange(4))
    ]
    return rng.choice([bytes, Writer(rng).damaged])(b"".join(members))


BODIES = seeds.map(random_gzip)


def inflated(pieces):
    body = GzipBody(LIMIT)
    for piece in pieces:
        for _ in body.feed(piece):
            pass
    return body.finish()


@fuzz("gzip")
@given(BODIES, st.integers(1, 50))
def test_any_gzip_is_inflated_or_refused_however_it_is_cut(data, size):
    """Python's own gzip says what is in it, up to the limit.

    But for reserved bits among the flags, which Python ignores and RFC 1952 forbids.
    """
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    try:
        found = within_steps(len(data), inflated, pieces)
    except TooLargeError:
        return
    except PermanentError:
        found = None
    try:
        expected = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        expected = None
    assert found == expected or (found is None and RESERVED.search(data))
