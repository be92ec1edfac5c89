"""Up to where a log is no longer needed."""

import pytest

from scorer.assembly.watermark import Watermark


@pytest.fixture
def watermark():
    return Watermark()


def test_nothing_pinned_holds_nothing(watermark):
    """There is no lowest pin."""
    assert watermark.lowest() is None


def test_the_lowest_pin_counts(watermark):
    """In whatever order pins are taken and given back."""
    for offset in (5, 3, 8):
        watermark.pin(offset, b"%d" % offset)
    assert watermark.lowest() == 3
    watermark.unpin(3, b"3")
    assert watermark.lowest() == 5
    watermark.unpin(8, b"8")
    watermark.unpin(5, b"5")
    assert watermark.lowest() is None


def test_traces_of_one_request_pin_it_together(watermark):
    """It is held until the last of them is done, also when it is pinned again meanwhile."""
    watermark.pin(1, b"a")
    watermark.pin(1, b"b")
    watermark.unpin(1, b"a")
    assert (watermark.lowest(), tuple(watermark.keys_at(1))) == (1, (b"b",))
    watermark.unpin(1, b"b")
    watermark.pin(1, b"a")
    assert watermark.lowest() == 1
