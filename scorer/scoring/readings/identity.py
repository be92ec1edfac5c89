"""Which process or machine a resource names.

Readings belong to whatever their resource names, by these attributes. They speak for a span when
its resource has all of these with the same values: readings of a process for the spans of this
process, those of a host for all spans of this host. Where several do, those that name more are
asked first.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.resource.v1 import resource_pb2

from scorer.model.trace import ClosedTrace
from scorer.pb.split.v1 import split_pb2

Identity = tuple[tuple[str, str], ...]
"""Attributes with their values, in the order of `ATTRIBUTES`."""
Shape = tuple[str, ...]
"""The attributes that an identity has."""

ATTRIBUTES: Final = (
    "service.namespace",
    "service.name",
    "service.instance.id",
    "process.pid",
    "container.id",
    "k8s.pod.uid",
    "host.id",
    "host.name",
)
# These alone name nothing: there is a process 1 on every host.
_WEAK: Final = frozenset({"service.namespace", "process.pid"})
_MAX_VALUE: Final = 256


def identity_of(resource: bytes) -> Identity:
    """Return what the wire bytes of a resource name; empty = nothing, or they do not decode."""
    try:
        pairs = resource_pb2.Resource.FromString(resource).attributes
    except DecodeError:
        return ()
    values = {}
    for pair in pairs:
        if pair.key in ATTRIBUTES:
            kind = pair.value.WhichOneof("value")
            text = str(getattr(pair.value, kind)) if kind in {"string_value", "int_value"} else ""
            if 0 < len(text) <= _MAX_VALUE:
                values[pair.key] = text
    if values.keys() <= _WEAK:
        return ()
    return tuple([(name, values[name]) for name in ATTRIBUTES if name in values])


def shape_of(identity: Identity) -> Shape:
    """Return which attributes an identity has."""
    return tuple([name for name, _ in identity])


def within(identity: Identity, shape: Shape) -> Identity | None:
    """Return the part of an identity that has exactly this shape; None = it has not all of it."""
    part = tuple([item for item in identity if item[0] in shape])
    return part if len(part) == len(shape) else None


class Stay:
    """The time (Unix nanoseconds) in which a process had spans of a trace."""

    __slots__ = ("end_ns", "start_ns")

    def __init__(self) -> None:
        self.start_ns = 2**64
        self.end_ns = 0

    def extend(self, start_ns: int, end_ns: int) -> None:
        """Let it hold this time, too."""
        self.start_ns = min(self.start_ns, start_ns)
        self.end_ns = max(self.end_ns, end_ns)


def runs_of(trace: ClosedTrace) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield the spans of a trace by resource, those in a row that share one together."""
    pairs = zip(trace.span_envelopes, trace.spans, strict=True)
    for resource, group in groupby(pairs, lambda pair: pair[0].resource):
        yield resource, [wire for _, wire in group]


def extend(stay: Stay, wires: list[bytes]) -> None:
    """Let a stay hold the time of these spans; one without times, or that is broken, has none."""
    place, head = split_pb2.SpanPlace(), split_pb2.SpanHead()
    for wire in wires:
        try:
            place.ParseFromString(wire)
            head.ParseFromString(wire)
        except DecodeError:
            continue
        start_ns, end_ns = place.start_time_unix_nano, head.end_time_unix_nano
        if 0 < start_ns <= end_ns:
            stay.extend(start_ns, end_ns)
