import argparse

import pytest

from scorer.cli.times import parse_time

NOON = 1_772_366_400_000_000_000  # 2026-03-01T12:00:00Z


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T12:00:00Z", NOON),
        ("2026-03-01T13:00:00+01:00", NOON),
        ("2026-03-01 12:00", NOON),
        ("2026-03-01", NOON - 12 * 3600 * 10**9),
        ("2026-03-01T12:00:00.000001Z", NOON + 1000),
    ],
)
def test_iso_times_are_read_as_utc_unless_they_say_otherwise(text, expected):
    """A time without an offset is UTC, so that a command means the same everywhere."""
    assert parse_time(text) == expected


def test_another_form_is_wrong_use():
    """The error shows how to write a time."""
    with pytest.raises(argparse.ArgumentTypeError, match="2026-03-01T12"):
        parse_time("yesterday")
