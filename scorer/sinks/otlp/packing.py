"""From spans and log records to parcels."""

from collections.abc import Iterable, Iterator

from scorer.model.trace import Item
from scorer.otlp.join import join
from scorer.otlp.signal import Signal
from scorer.sinks.otlp.parcel import Parcel

# Of the items of one parcel. Receivers take at least 4 MiB, also of several parcels in one.
_PARCEL_BYTES = 2**20


def packed(signal: Signal, items: Iterable[Item]) -> Iterator[Parcel]:
    """Return parcels that hold the items in order, of about 1 MiB or what one item takes."""
    part: list[Item] = []
    size = 0
    for item in items:
        # The envelope comes once in most parcels; it is counted where it is new.
        more = len(item[0]) + (0 if part and part[-1][1] is item[1] else item[1].size)
        if part and size + more > _PARCEL_BYTES:
            yield Parcel(signal, join(part), len(part))
            part, size, more = [], 0, len(item[0]) + item[1].size
        part.append(item)
        size += more
    if part:
        yield Parcel(signal, join(part), len(part))
