from zlib import crc32

from scorer.journal.format import (
    HEADER_SIZE,
    RECORD_HEAD_SIZE,
    Header,
    decode_header,
    decode_record_head,
    encode_record_head,
    is_whole,
    new_header,
)

HEADER = Header(first=7, follows=5, marker=b"mark", seed=99)


def test_a_header_stands_there_twice_and_reads_back():
    """Both copies are the same bytes."""
    data = HEADER.encode()
    assert len(data) == HEADER_SIZE
    assert data[: HEADER_SIZE // 2] == data[HEADER_SIZE // 2 :]
    assert decode_header(data) == (HEADER, "")


def test_one_whole_copy_of_the_header_is_enough_and_the_damage_is_told():
    """Whichever bit is flipped, the other copy serves."""
    data = HEADER.encode()
    for bit in range(8 * HEADER_SIZE):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        header, what = decode_header(bytes(flipped))
        assert header == HEADER
        assert what == "one of the two headers is damaged"


def test_a_newer_format_is_told_by_its_version():
    """It is not taken for damage."""
    data = bytearray(HEADER.encode())
    data[8] = data[HEADER_SIZE // 2 + 8] = 2
    assert decode_header(bytes(data)) == (None, "format version 2, this release reads 1")


def test_what_is_no_header_is_said_to_be_none():
    """Short, foreign or damaged, there is nothing to read."""
    for data in (b"", b"SPANJRNL", b"x" * HEADER_SIZE, HEADER.encode()[:20]):
        header, what = decode_header(data)
        assert header is None
        assert what == "it has no readable header of a segment"


def test_each_segment_has_a_marker_and_a_seed_of_its_own():
    """A payload cannot pretend to be a record; and what is not written never looks like one."""
    headers = [new_header(1, 1) for _ in range(200)]
    assert len({(header.marker, header.seed) for header in headers}) == len(headers)
    assert not any(0 in header.marker for header in headers)


def test_a_record_is_whole_when_length_offset_and_payload_are_those_written():
    """The checksum covers all three and starts from the seed."""
    data = encode_record_head(HEADER, 8, b"payload")
    assert len(data) == RECORD_HEAD_SIZE
    head = decode_record_head(data)
    assert (head.marker, head.length, head.offset) == (b"mark", 7, 8)
    assert is_whole(HEADER, head, b"payload")
    assert not is_whole(HEADER, head, b"payloae")
    assert not is_whole(HEADER, head, b"payload!")
    assert not is_whole(HEADER, head._replace(offset=9), b"payload")
    assert not is_whole(HEADER._replace(seed=100), head, b"payload")


def test_the_checksum_is_crc32():
    """The format is a fact that other programs can read."""
    head = decode_record_head(encode_record_head(HEADER, 8, b"payload"))
    begin = (7).to_bytes(4, "little") + (8).to_bytes(8, "little")
    assert head.crc == crc32(begin + b"payload", HEADER.seed)
