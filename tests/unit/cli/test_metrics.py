import pytest

from scorer.api import MetricSpec, OutputSpec, Threshold
from scorer.cli.metrics import span, threshold


@pytest.mark.parametrize(
    ("limits", "expected"),
    [((0, 1), "0..1"), ((0, None), "0.."), (None, ".."), ((-1, 0.5), "-1..0.5")],
)
def test_a_range_shows_its_ends(limits, expected):
    """An open end is left out."""
    assert span(OutputSpec(range=limits)) == expected


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, "-"), (Threshold(min=0.7), "min 0.7"), (Threshold(min=0, max=2), "min 0, max 2")],
)
def test_a_threshold_shows_its_sides(limit, expected):
    """A bound of 0 is a bound."""
    spec = MetricSpec(name="m", kind="quality", description="", default_threshold=limit)
    assert threshold(spec) == expected
