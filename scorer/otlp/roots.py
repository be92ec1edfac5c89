"""Which span of a trace is its root, and whether a span failed, read from wire bytes."""

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import DecodeError

from scorer.model.span import STATUS_ERROR
from scorer.pb.split.v1 import split_pb2

_NO_SPAN: Final = bytes(8)
_CODE: Final = bytes((3 << 3, STATUS_ERROR))


def root_of(spans: Sequence[bytes], wanted: str | None = None) -> int:
    """Return the place of the root among the spans of a trace, which are at least one.

    That is the span of the id `wanted` (hex); where it is not given or not there, the earliest
    span without a parent, else the earliest whose parent is not there, else, in a ring of parents,
    the earliest. Of equally early ones it is the one that came first.
    """
    if wanted is not None:
        span_id = bytes.fromhex(wanted)
        for index, wire in enumerate(spans):
            if span_id in wire and split_pb2.SpanPlace.FromString(wire).span_id == span_id:
                return index
    places = [split_pb2.SpanPlace.FromString(wire) for wire in spans]
    ids = {place.span_id for place in places}

    def rank(index: int) -> tuple[int, int, int]:
        place = places[index]
        parent = place.parent_span_id
        is_root = not parent or parent == _NO_SPAN
        depth = 0 if is_root else 1 if parent not in ids else 2
        return depth, place.start_time_unix_nano, index

    return min(range(len(places)), key=rank)


def is_failed(wire: bytes) -> bool:
    """Whether the status of a span is ERROR; one that cannot be read is not."""
    if _CODE not in wire:
        return False
    try:
        return split_pb2.SpanOutcome.FromString(wire).status.code == STATUS_ERROR
    except DecodeError:
        return False
