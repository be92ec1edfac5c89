"""Sees of which traces a request has spans, in half the time that splitting it takes.

Senders write the two ids of a span first, and with one tag and one length, so they stand at the
same place in each: a request is looked at without parsing its spans. Where one is written in
another way, and where one is broken, nothing is said: the request has to be split.
"""

from typing import NamedTuple

from google.protobuf.message import DecodeError

from scorer.pb.split.v1 import split_pb2

_HEAD = 20  # trace_id with its tag and length, and those of span_id
_TRACE_ID = b"\x0a\x10"
_SPAN_ID = b"\x12\x08"
# A larger one may be a bomb, which has to be walked over before it is parsed.
_MOST = 2**20


class Glance(NamedTuple):
    """How many spans there are (at least one), and the trace ids of all of them."""

    spans: int
    trace_ids: list[bytes]


def glance(body: bytes) -> Glance | None:
    """Look at an ExportTraceServiceRequest; None = it has to be split to say anything.

    Spans are counted whose other fields may turn out to be wrong.
    """
    if len(body) > _MOST:
        return None
    try:
        request = split_pb2.Traces.FromString(body)
    except DecodeError:
        return None
    count, heads = 0, set[bytes]()
    for group in request.resource_spans:
        for scope in group.scope_spans:
            spans = scope.spans
            count += len(spans)
            heads.update([span[:_HEAD] for span in spans])
    if not heads or not all(map(_is_usual, heads)):
        return None
    return Glance(count, [head[2:18] for head in heads])


def _is_usual(head: bytes) -> bool:
    return head.startswith(_TRACE_ID) and head.endswith(_SPAN_ID) and len(head) == _HEAD
