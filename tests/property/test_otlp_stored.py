"""Reading stored bytes: any form gives the same requests, and any bytes are survived."""

import gzip
import io
import json

import zstandard
from hypothesis import given
from hypothesis import strategies as st

from scorer.errors import PermanentError
from scorer.otlp.stored import StoredProblem, StoredRequest, read_requests

END = st.integers(1, 2**63)


def document(end: int) -> dict:
    span = {"traceId": "ab" * 16, "spanId": "cd" * 8, "endTimeUnixNano": str(end)}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def read(data: bytes) -> list[StoredRequest | StoredProblem]:
    return list(read_requests(io.BytesIO(data), "stored"))


def varint(size: int) -> bytes:
    return bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])


@given(st.lists(END, min_size=1, max_size=5))
def test_all_forms_of_the_same_requests_read_alike(ends):
    """The form is only a wrapping."""
    zstd = zstandard.ZstdCompressor().compress
    text = "\n".join(json.dumps(document(end)) for end in ends).encode()
    plain = read(text)
    bodies = [item.body for item in plain if isinstance(item, StoredRequest)]
    forms = [
        gzip.compress(text),
        zstd(text),
        json.dumps([document(end) for end in ends], indent=1).encode(),
        b"".join(bodies),
        b"".join(varint(len(body)) + body for body in bodies),
        b"".join(len(body).to_bytes(4, "big") + body for body in bodies),
        b"".join(len(zstd(body)).to_bytes(4, "big") + zstd(body) for body in bodies),
    ]

    assert [item.time_ns for item in plain if isinstance(item, StoredRequest)] == ends
    for form in forms:
        assert read(form) == plain


@st.composite
def damaged(draw) -> bytes:
    text = "\n".join(json.dumps(document(end)) for end in (1, 2, 3)).encode()
    (body,) = (item.body for item in read(json.dumps(document(1)).encode()))
    forms = [
        text,
        gzip.compress(text),
        zstandard.ZstdCompressor().compress(text),
        body * 3,
        (len(body).to_bytes(4, "big") + body) * 3,
        (varint(len(body)) + body) * 3,
    ]
    data = draw(st.sampled_from(forms))
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.binary(max_size=4)) + data[at + draw(st.integers(0, 4)) :]


@given(st.one_of(st.binary(max_size=100), damaged(), damaged().map(lambda data: data[:-7])))
def test_any_bytes_are_read_or_are_a_permanent_error(data):
    """No file, however broken, gets anything else out of the reader."""
    try:
        items = read(data)
    except PermanentError:
        return
    assert not items or any(isinstance(item, StoredRequest) for item in items)
