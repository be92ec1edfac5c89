"""Durations, sizes and endpoints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.config import Duration, Endpoint, Size
from scorer.config.quantities import decode_quantity


@pytest.mark.parametrize(
    ("text", "seconds"), [("250ms", 0.25), ("2s", 2), ("1.5m", 90), ("6h", 21600), ("1d", 86400)]
)
def test_durations(text, seconds):
    """Milliseconds to days."""
    assert decode_quantity(Duration, text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [("7B", 7), ("2KB", 2000), ("2KiB", 2048), ("1.5MiB", 1572864), ("1GiB", 2**30)],
)
def test_sizes(text, size):
    """Decimal and binary units."""
    assert decode_quantity(Size, text) == size


@given(st.integers(0, 10**9))
def test_a_size_prints_as_it_is_read(size):
    """`str` keeps the exact number of bytes."""
    assert decode_quantity(Size, str(Size(size))) == size


@given(st.integers(0, 10**8))
def test_a_duration_of_whole_milliseconds_prints_as_it_is_read(millis):
    """`str` keeps the length."""
    duration = Duration(millis / 1000)
    assert decode_quantity(Duration, str(duration)) == pytest.approx(float(duration), rel=1e-6)


def test_an_endpoint_has_host_and_port():
    """An IPv6 host stands in brackets."""
    assert (Endpoint("[::1]:80").host, Endpoint("[::1]:80").port) == ("::1", 80)
    assert Endpoint("localhost:0").port == 0
