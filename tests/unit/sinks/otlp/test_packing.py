"""How many parcels there are."""

from scorer.model.trace import Envelope
from scorer.otlp.join import join
from scorer.sinks.otlp.packing import packed
from scorer.sinks.otlp.parcel import Parcel

SHARED = Envelope(b"r" * 1000, b"s")


def test_a_small_trace_is_one_parcel():
    """Its spans arrive together."""
    items = [(b"a", SHARED), (b"b", SHARED)]
    assert list(packed("traces", items)) == [Parcel("traces", join(items), 2)]


def test_nothing_makes_no_parcel():
    """A trace may have no log records."""
    assert list(packed("logs", [])) == []


def test_a_large_trace_is_several_that_hold_all_in_order():
    """Each about a MiB, or what one span takes: receivers bound their requests."""
    items = [(bytes([number]) * 400_000, SHARED) for number in range(9)]
    items[4] = (b"x" * 3_000_000, SHARED)
    parcels = list(packed("traces", items))
    assert [parcel.items for parcel in parcels] == [2, 2, 1, 2, 2]
    assert max(len(parcel.body) for parcel in parcels) < 3_100_000
    assert parcels[0].body + parcels[1].body == join(items[:2]) + join(items[2:4])


def test_large_resources_count():
    """They may be larger than what they surround."""
    items = [(b"a", Envelope(bytes([number]) * 600_000, b"")) for number in range(3)]
    assert [parcel.items for parcel in packed("traces", items)] == [1, 1, 1]
