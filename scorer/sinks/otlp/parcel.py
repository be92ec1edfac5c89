"""What is sent in one piece."""

from typing import NamedTuple

from scorer.otlp.signal import Signal


class Parcel(NamedTuple):
    """What must arrive together is one parcel.

    `body` is a whole Export*ServiceRequest (protobuf); such bodies may be concatenated to one
    larger request. `items` counts its spans, log records or points.
    """

    signal: Signal
    body: bytes
    items: int
