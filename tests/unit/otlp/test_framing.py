"""Cutting streams into records."""

import io

import pytest

from scorer.otlp import framing
from scorer.otlp.framing import Frame, bare, binary_framing, delimited, lines, prefixed
from scorer.otlp.inflate import open_source

REQUEST = b"\x0a\x04\x0a\x00\x12\x00"


def cut(frames, data: bytes) -> list[Frame]:
    return list(frames(open_source(io.BytesIO(data))))


def size4(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (size4(REQUEST), prefixed),
        (size4(b"\x28\xb5\x2f\xfd rest"), prefixed),
        (size4(b'{"resourceSpans":[]}'), prefixed),
        (REQUEST, bare),
        (b"\x0a\x00", bare),
        (bytes([len(REQUEST)]) + REQUEST, delimited),
        (b"hello", None),
        (b"\x00\x00", None),
        (b"\x00\x00\x00\x00", None),
        (b"\x0a\x05hello", None),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", None),
        (b"", None),
    ],
)
def test_the_first_bytes_tell_the_form(head, expected):
    """Length prefixes, bare requests and delimited ones exclude each other."""
    assert binary_framing(head) is expected


def test_prefixed_records_are_cut():
    """Each follows its length, big-endian."""
    assert cut(prefixed, size4(b"ab") + size4(b"") + size4(b"c")) == [
        Frame(1, b"ab"),
        Frame(2, b""),
        Frame(3, b"c"),
    ]


@pytest.mark.parametrize("cut_off", [1, 5])
def test_a_cut_off_prefixed_record_is_a_problem(cut_off):
    """The record, or even its length, may be incomplete."""
    first, last = cut(prefixed, size4(b"ab") + size4(b"abcdef")[:cut_off])

    assert first == Frame(1, b"ab")
    assert "cut off" in last.problem


def test_delimited_records_are_cut():
    """The length is a varint of any width."""
    long = b"x" * 300
    records = cut(delimited, b"\x02ab" + b"\xac\x02" + long + b"\x80")

    assert records[:2] == [Frame(1, b"ab"), Frame(2, long)]
    assert "length" in records[2].problem


def test_a_bare_request_is_cut_into_requests_of_one_resource():
    """So a bare file of any size is read piece by piece."""
    long = b"\x12\xac\x02" + b"x" * 300
    two = REQUEST + b"\x0a\xaf\x02" + long

    assert cut(bare, two) == [Frame(1, REQUEST), Frame(2, b"\x0a\xaf\x02" + long)]


def test_a_bare_request_that_goes_on_otherwise_is_a_problem():
    """Nothing after the break can be trusted."""
    records = cut(bare, REQUEST + b"\x99rest")

    assert records[0].data == REQUEST
    assert [bool(r.problem) for r in records] == [False, True]
    assert "cut off" in cut(bare, REQUEST[:-1])[0].problem


def test_lines_are_numbered_from_one():
    """Empty ones count, and the last needs no end."""
    assert cut(lines, b"a\n\nb") == [Frame(1, b"a\n"), Frame(2, b"\n"), Frame(3, b"b")]


def test_what_is_over_the_limit_is_skipped_and_reported(monkeypatch):
    """One huge line or record does not end the reading."""
    monkeypatch.setattr(framing, "MAX_RECORD", 4)
    monkeypatch.setattr(framing, "_SKIP", 2)

    found = cut(lines, b"abcdefghi\nab\n")
    assert [(f.number, f.data, bool(f.problem)) for f in found] == [
        (1, b"", True),
        (2, b"ab\n", False),
    ]
    found = cut(prefixed, size4(b"abcdefg") + size4(b"ab"))
    assert [(f.data, bool(f.problem)) for f in found] == [(b"", True), (b"ab", False)]
