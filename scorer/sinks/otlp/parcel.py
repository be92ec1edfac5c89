"""What is sent downstream."""

from typing import NamedTuple

from scorer.otlp.signal import Signal


class Parcel(NamedTuple):
    """What must arrive together.

    `body` is a whole Export*ServiceRequest (protobuf); such bodies may be concatenated to one
    larger request. `items` counts its spans, log records or metrics.
    """

    signal: Signal
    body: bytes
    items: int
