"""What is handed over for sending."""

from typing import NamedTuple

from scorer.otlp.signal import Signal


class Parcel(NamedTuple):
    """What must arrive together.

    `body` is a whole Export*ServiceRequest in protobuf. Such bodies may be concatenated, which
    makes one request of all of them: its only field is repeated. `items` is how many spans, log
    records or points it holds.
    """

    signal: Signal
    body: bytes
    items: int
