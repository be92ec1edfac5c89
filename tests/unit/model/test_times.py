"""Times as text and back."""

import pytest

from scorer.model.times import rfc3339, unix_ns


@pytest.mark.parametrize(
    "moment", [1, 999_999_999, 1_700_000_000_000_000_001, 253402300799 * 10**9]
)
def test_a_time_comes_back_to_the_nanosecond(moment):
    """Text loses nothing."""
    assert unix_ns(rfc3339(moment)) == moment


@pytest.mark.parametrize("text", [None, "", "yesterday", "2023-11-14T22:13:21.xZ"])
def test_what_is_no_time_is_0(text):
    """0 is how OTLP says that a time is not known."""
    assert unix_ns(text) == 0
